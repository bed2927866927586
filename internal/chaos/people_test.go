package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// Plans that people have for a question.
const (
	planAccept   = "accept"
	planDecline  = "decline"
	planCancel   = "cancel"
	planClose    = "close"    // the form, where there is one
	planStop     = "stop"     // the call
	planIgnore   = "ignore"   // it expires
	planStranger = "stranger" // only those answer who may not
	planRace     = "race"     // accept and decline at once, on two devices
	planLate     = "late"     // accept within a second of the deadline
)

// plans by how often they are made, of 100.
var plans = []struct {
	plan string
	of   int
}{
	{planAccept, 48}, {planDecline, 11}, {planCancel, 6}, {planClose, 5}, {planStop, 6}, {planIgnore, 6}, {planStranger, 6}, {planRace, 6}, {planLate, 6},
}

// question is one call of one person, and so one question.
type question struct {
	nonce     string
	server    string
	tool      string
	requester string
	channel   string
	plan      string
	think     time.Duration // before the first act
	started   time.Time
}

// act is what somebody did in Slack.
type act struct {
	nonce string
	who   string
	what  string // command, or a button's label; "Submit", "close"
	token string // of a form: what was typed
	begin time.Time
	end   time.Time
	err   error
	told  bool // the form closed without an error: it is recorded, Slack says
}

// crowd are the people. Each does one thing at a time.
type crowd struct {
	sim      *slacksim.Sim
	board    *board
	seed     uint64
	ids      []string
	channels []string
	servers  []string
	pace     func() int // how many questions may have been asked by now
	reach    time.Duration

	mu        sync.Mutex
	questions map[string]*question
	order     []string
	acts      []act
	last      map[string]time.Time // by question: when its requester last acted
	findings  []string
}

// workspace has n people, and so many channels that the limit of a message a
// second in each of them hides nothing.
func workspace(n int) (w slacksim.Workspace, people, channels []string) {
	w = slacksim.DefaultWorkspace()
	w.Channels = nil
	for i := range n {
		id := fmt.Sprintf("U_P%02d", i)
		people = append(people, id)
		w.Users = append(w.Users, slacksim.User{ID: id, TeamID: w.TeamID, Name: strings.ToLower(id), RealName: fmt.Sprintf("Person %d", i), TZ: "Europe/Berlin", Locale: "en-US"})
	}
	for i := range 3 * n {
		id := fmt.Sprintf("C_%02d", i)
		channels = append(channels, id)
		w.Channels = append(w.Channels, slacksim.Channel{ID: id, Name: strings.ToLower(id), Members: append(slices.Clone(people), "U_ANN", w.BotUserID)})
	}
	return w, people, channels
}

// run lets everybody act until ctx ends.
func (c *crowd) run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			c.board.refresh()
			pause(ctx, 100*time.Millisecond)
		}
	})
	for i, id := range c.ids {
		all.Go(func() {
			p := &person{crowd: c, Person: c.sim.Person(id), rng: rand.New(rand.NewPCG(c.seed, uint64(i)+1))}
			for ctx.Err() == nil {
				p.step(ctx)
				pause(ctx, 50*time.Millisecond+time.Duration(p.rng.Int64N(int64(350*time.Millisecond))))
			}
		})
	}
	all.Wait()
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (c *crowd) question(nonce string) *question {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.questions[nonce]
}

func (c *crowd) note(a act) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a.end = time.Now()
	c.acts = append(c.acts, a)
	if q := c.questions[a.nonce]; q != nil && q.requester == a.who {
		c.last[a.nonce] = a.end
	}
}

func (c *crowd) rested(nonce string, d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.last[nonce]) > d
}

// person is one of them.
type person struct {
	*crowd
	*slacksim.Person
	rng *rand.Rand

	modal string // the one that was in front last time
	since time.Time
	tries int // of the form in front
	typed int // tokens so far
}

func (p *person) chance(percent int) bool { return p.rng.IntN(100) < percent }

// step does one thing.
func (p *person) step(ctx context.Context) {
	if m, ok := p.Modal(); ok {
		if m.ID != p.modal {
			p.modal, p.since, p.tries = m.ID, time.Now(), 0
		}
		p.atModal(ctx, m)
		return
	}
	if p.chance(7) {
		p.meddle(ctx)
		return
	}
	if p.atCards(ctx) {
		return
	}
	p.ask(ctx)
}

// ask types a command, if it is time for another question.
func (p *person) ask(ctx context.Context) {
	p.mu.Lock()
	n := len(p.order)
	if n >= p.pace() {
		p.mu.Unlock()
		return
	}
	q := &question{
		nonce: fmt.Sprintf("q%04dz", n), server: p.servers[p.rng.IntN(len(p.servers))], requester: p.ID(),
		tool:    []string{"restart_service", "scale_service", "deploy_service", "ask"}[p.rng.IntN(4)],
		channel: p.channels[p.rng.IntN(len(p.channels))], think: time.Duration(p.rng.Int64N(int64(p.reach))), started: time.Now(),
	}
	roll := p.rng.IntN(100)
	for _, pl := range plans {
		if roll -= pl.of; roll < 0 {
			q.plan = pl.plan
			break
		}
	}
	p.questions[q.nonce] = q
	p.order = append(p.order, q.nonce)
	p.mu.Unlock()
	if p.chance(15) {
		p.sim.DuplicateNext(2)
	}
	a := act{nonce: q.nonce, who: p.ID(), what: "command", begin: time.Now()}
	a.err = p.Type(ctx, q.channel, q.command())
	p.note(a)
}

func (q *question) command() string {
	head := "/mcp " + q.server + "." + q.tool + " "
	switch q.tool {
	case "scale_service":
		return head + "service=" + q.nonce + " replicas=7"
	case "deploy_service":
		return head + "service=" + q.nonce + " version=1.0"
	case "ask":
		return head + `--json {"message":"Tell me of ` + q.nonce + `","schema":"{\"type\":\"object\",\"properties\":{\"note\":{\"type\":\"string\",\"title\":\"Note\",\"maxLength\":100}},\"required\":[\"note\"]}"}`
	default:
		return head + "service=" + q.nonce
	}
}

// onCard is the button that accepts on the card; without one the form does.
func (q *question) onCard() string {
	switch q.tool {
	case "restart_service":
		return "Accept"
	case "scale_service":
		return "Yes"
	default:
		return ""
	}
}

// atCards acts on one open card of this person's own questions.
func (p *person) atCards(ctx context.Context) bool {
	for _, c := range p.board.openCards() {
		q := p.question(c.nonce)
		if q == nil || q.requester != p.ID() || !p.rested(q.nonce, 3*time.Second) || !p.due(q, c) {
			continue
		}
		return p.actOn(ctx, q, c)
	}
	return false
}

func (p *person) due(q *question, c card) bool {
	switch q.plan {
	case planIgnore, planStranger:
		return false
	case planLate:
		return time.Until(c.deadline) < 1200*time.Millisecond
	default:
		return time.Since(c.posted) > q.think
	}
}

func (p *person) actOn(ctx context.Context, q *question, c card) bool {
	switch q.plan {
	case planDecline:
		p.press(ctx, q.nonce, c, "Decline")
	case planCancel:
		p.press(ctx, q.nonce, c, "Cancel")
	case planStop:
		if h, ok := p.board.heading(c.thread); ok {
			p.press(ctx, q.nonce, h, "Stop")
		}
	case planClose:
		if q.tool == "restart_service" {
			p.press(ctx, q.nonce, c, "Cancel")
			break
		}
		p.press(ctx, q.nonce, c, "Respond…")
	case planRace:
		p.race(ctx, q, c)
	default:
		p.accept(ctx, q, c)
	}
	return true
}

func (p *person) accept(ctx context.Context, q *question, c card) {
	label := q.onCard()
	if label == "" || label == "Yes" && p.chance(30) {
		label = "Respond…"
	}
	p.press(ctx, q.nonce, c, label)
}

// race presses two buttons at once.
func (p *person) race(ctx context.Context, q *question, c card) {
	label := q.onCard()
	if label == "" {
		label = "Cancel"
	}
	var both sync.WaitGroup
	both.Go(func() { p.pressPlain(ctx, q.nonce, c, label) })
	both.Go(func() { p.pressPlain(ctx, q.nonce, c, "Decline") })
	both.Wait()
}

// press presses a button; sometimes Slack delivers it twice or three times.
func (p *person) press(ctx context.Context, nonce string, c card, label string) {
	if p.chance(20) {
		p.sim.DuplicateNext(2 + p.rng.IntN(2))
	}
	p.pressPlain(ctx, nonce, c, label)
}

func (p *person) pressPlain(ctx context.Context, nonce string, c card, label string) {
	a := act{nonce: nonce, who: p.ID(), what: label, begin: time.Now()}
	a.err = p.Press(ctx, c.channel, c.ts, label)
	p.note(a)
}

// meddle presses a button on somebody else's card.
func (p *person) meddle(ctx context.Context) {
	cards := p.board.openCards()
	if len(cards) == 0 {
		return
	}
	c := cards[p.rng.IntN(len(cards))]
	q := p.question(c.nonce)
	if q == nil || q.requester == p.ID() {
		return
	}
	if p.chance(20) {
		if h, ok := p.board.heading(c.thread); ok {
			p.press(ctx, q.nonce, h, "Stop")
		}
		return
	}
	labels := []string{"Decline", "Cancel"}
	if on := q.onCard(); on != "" {
		labels = append(labels, on, on)
	}
	if q.tool != "restart_service" {
		labels = append(labels, "Respond…")
	}
	p.press(ctx, q.nonce, c, labels[p.rng.IntN(len(labels))])
}

// atModal does what this person wants with the view in front.
func (p *person) atModal(ctx context.Context, m slacksim.Modal) {
	nonce := nonceForm.FindString(m.Text)
	q := p.question(nonce)
	if len(m.Fields) == 0 || q == nil {
		if strings.Contains(m.Text, "Loading") && time.Since(p.since) < 4*time.Second {
			return
		}
		a := act{nonce: nonce, who: p.ID(), what: "close a note: " + oneLine(m.Text), begin: time.Now()}
		if a.err = p.CloseModal(ctx); a.err != nil {
			p.KillApp()
		}
		p.note(a)
		return
	}
	if q.requester != p.ID() {
		p.mu.Lock()
		p.findings = append(p.findings, fmt.Sprintf("I5 %s: %s has the form of %s open", nonce, p.ID(), q.requester))
		p.mu.Unlock()
		p.KillApp()
		return
	}
	a := act{nonce: nonce, who: p.ID(), begin: time.Now()}
	switch q.plan {
	case planDecline:
		a.what = "Decline"
		a.err = p.PressInModal(ctx, "Decline")
	case planClose, planCancel:
		a.what = "close"
		a.err = p.CloseStack(ctx)
	case planAccept, planLate:
		if !p.ready(q) {
			return
		}
		p.submit(ctx, q, m, a)
		return
	default:
		a.what = "kill the app"
	}
	p.note(a)
	if p.tries++; a.err != nil && p.tries < 4 {
		return
	}
	p.KillApp()
}

// ready reports whether it is time to submit the form of q.
func (p *person) ready(q *question) bool {
	c, ok := p.board.cardOf(q.nonce)
	if !ok || q.plan != planLate {
		return time.Since(p.since) > min(q.think, 2*time.Second)
	}
	return time.Until(c.deadline) < time.Second-time.Duration(p.rng.Int64N(int64(2*time.Second)))
}

// submit fills the form and hands it in, until it goes.
func (p *person) submit(ctx context.Context, q *question, m slacksim.Modal, a act) {
	p.typed++
	a.what, a.token = "Submit", fmt.Sprintf("tok-%s-%s-%d", q.nonce, p.ID(), p.typed)
	fill := func(label, value string) {
		if a.err == nil {
			a.err = p.Fill(label, value)
		}
	}
	switch q.tool {
	case "deploy_service":
		fill("Cluster", "prod-us")
		fill("Maintenance window", a.token)
		fill("Confirm", "Yes")
	case "ask":
		fill("Note", a.token)
	case "scale_service":
		a.token = ""
		fill("Keep the old instances warm", "Yes")
	}
	if front, ok := p.Modal(); a.err != nil || !ok || front.ID != m.ID {
		if a.err != nil {
			a.what = "fill"
			p.note(a)
			p.KillApp()
		}
		return // another form came in front: next time
	}
	if p.chance(20) {
		p.sim.DuplicateNext(2)
	}
	a.err = p.Submit(ctx)
	a.told = a.err == nil && !slices.Contains(p.OpenModals(), m.ID)
	if now, ok := p.Modal(); ok && !a.told && a.err == nil {
		a.what = "Submit, answered: " + oneLine(now.Text)
		for _, f := range now.Fields {
			if f.Error != "" {
				a.what = "Submit, refused: " + f.Error
			}
		}
	}
	p.note(a)
	if p.tries++; !a.told && p.tries > 5 {
		p.KillApp()
	}
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), 120)]
}
