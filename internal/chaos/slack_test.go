package chaos

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// nonceForm is the name of a question: it stands in the arguments of its call,
// and so in everything that is said of it on the wire and on its card.
var nonceForm = regexp.MustCompile(`q[0-9]{4}z`)

var dateToken = regexp.MustCompile(`<!date\^([0-9]+)\^`)

// card is a message with a question, as it was posted.
type card struct {
	nonce    string
	channel  string
	ts       string
	thread   string
	posted   time.Time
	deadline time.Time // as it says; whole seconds
	drawn    []drawing // the first is how it was posted
}

// drawing is how a message looked from some time on.
type drawing struct {
	at   time.Time
	text string
	open bool // it had buttons
}

func (c *card) now() drawing { return c.drawn[len(c.drawn)-1] }

// board follows what the app posts and redraws, from the simulator's own list
// of calls.
type board struct {
	sim *slacksim.Sim

	mu       sync.Mutex
	read     int // calls that were taken in
	cards    map[string]*card
	byNonce  map[string][]*card
	headings map[string]*card // top-level messages with a Stop button once
}

func newBoard(sim *slacksim.Sim) *board {
	return &board{sim: sim, cards: map[string]*card{}, byNonce: map[string][]*card{}, headings: map[string]*card{}}
}

// refresh takes in the calls since the last time.
func (b *board) refresh() {
	calls := b.sim.Calls()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range calls[b.read:] {
		if (c.Method == "chat.postMessage" || c.Method == "chat.update") && c.OK() {
			b.take(c)
		}
	}
	b.read = len(calls)
}

func (b *board) take(c slacksim.Call) {
	var answer struct{ Channel, TS string }
	if json.Unmarshal(c.Response, &answer) != nil {
		return
	}
	text, _ := c.Args["text"].(string)
	blocks, err := json.Marshal(c.Args["blocks"])
	if err != nil {
		return
	}
	d := drawing{at: c.At, text: text, open: strings.Contains(string(blocks), `"type":"button"`)}
	if c.Method == "chat.update" {
		for _, known := range []map[string]*card{b.cards, b.headings} {
			if m := known[answer.TS]; m != nil {
				m.drawn = append(m.drawn, d)
			}
		}
		return
	}
	thread, _ := c.Args["thread_ts"].(string)
	m := &card{channel: answer.Channel, ts: answer.TS, thread: thread, posted: c.At, drawn: []drawing{d}}
	switch {
	case strings.Contains(string(blocks), `"call_stop"`):
		b.headings[m.ts] = m
	case strings.Contains(string(blocks), `"elicit_decline"`):
		m.nonce = nonceForm.FindString(text + string(blocks))
		unescaped := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(blocks))
		if at := dateToken.FindStringSubmatch(unescaped); at != nil {
			if sec, err := strconv.ParseInt(at[1], 10, 64); err == nil {
				m.deadline = time.Unix(sec, 0)
			}
		}
		b.cards[m.ts] = m
		b.byNonce[m.nonce] = append(b.byNonce[m.nonce], m)
	}
}

// cardOf is the newest card of a question; nil when there is none.
func (b *board) cardOf(nonce string) (card, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.byNonce[nonce]
	if len(all) == 0 {
		return card{}, false
	}
	return b.copyOf(all[len(all)-1]), true
}

func (b *board) copyOf(m *card) card {
	c := *m
	c.drawn = slices.Clone(m.drawn)
	return c
}

// openCards lists the cards that have buttons now.
func (b *board) openCards() []card { return b.open(b.cards) }

// openHeadings lists the calls that can be stopped now.
func (b *board) openHeadings() []card { return b.open(b.headings) }

func (b *board) open(of map[string]*card) []card {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []card
	for _, m := range of {
		if m.now().open {
			out = append(out, b.copyOf(m))
		}
	}
	slices.SortFunc(out, func(x, y card) int { return cmp.Compare(x.ts, y.ts) })
	return out
}

// cardsOf lists all cards of a question, oldest first.
func (b *board) cardsOf(nonce string) []card {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []card
	for _, m := range b.byNonce[nonce] {
		out = append(out, b.copyOf(m))
	}
	return out
}

func (b *board) heading(ts string) (card, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.headings[ts]
	if m == nil {
		return card{}, false
	}
	return b.copyOf(m), true
}

// headingOf is the message of the call that a command started: the first one of
// its requester, server and tool in that channel since then.
func (b *board) headingOf(q *question) (card, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var first *card
	for _, m := range b.headings {
		if m.channel != q.channel || m.posted.Before(q.started) || !contains(m.drawn[0].text, "<@"+q.requester+">", q.server+"."+q.tool) {
			continue
		}
		if first == nil || m.posted.Before(first.posted) {
			first = m
		}
	}
	if first == nil {
		return card{}, false
	}
	return b.copyOf(first), true
}

// ending is how a card says that its question ended.
type ending string

const (
	endOpen      ending = "open"
	endAccepted  ending = "Accepted by"
	endDeclined  ending = "Declined by"
	endDismissed ending = "Dismissed by"
	endCancelled ending = "Cancelled by"
	endExpired   ending = "Expired"
	endWithdrawn ending = "Withdrawn by the server"
	endLost      ending = "Lost"
	endNotShown  ending = "Not shown"
	endMoved     ending = "This question was asked once more"
	endUnknown   ending = "?"
)

// endingOf reads a drawing.
func endingOf(d drawing) ending {
	if d.open {
		return endOpen
	}
	text := strings.TrimLeft(d.text, "*_ ")
	for _, e := range []ending{endAccepted, endDeclined, endDismissed, endCancelled, endExpired, endWithdrawn, endLost, endNotShown, endMoved} {
		if strings.HasPrefix(text, string(e)) {
			return e
		}
	}
	return endUnknown
}

func sortBy[T any](s []T, at func(T) time.Time) {
	slices.SortStableFunc(s, func(a, b T) int { return at(a).Compare(at(b)) })
}

func contains(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}
