package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// finding is something that must not be.
type finding struct {
	rule  string // the invariant
	nonce string // of the question; empty: none
	text  string
}

// verdict is what came of a run.
type verdict struct {
	findings []finding
	remarks  []finding // worth a look, but right by the rules
	count    map[string]int
}

func (v *verdict) fail(rule, nonce, format string, args ...any) {
	v.findings = append(v.findings, finding{rule, nonce, fmt.Sprintf(format, args...)})
}

func (v *verdict) remark(rule, nonce, format string, args ...any) {
	v.remarks = append(v.remarks, finding{rule, nonce, fmt.Sprintf(format, args...)})
	v.count["remark: "+rule]++
}

// evidence is all that the checks look at.
type evidence struct {
	model     model
	board     *board
	questions map[string]*question
	order     []string
	acts      map[string][]act
	faults    []fault
	messages  []slacksim.Message // all that a member of every channel sees, at the end
	gone      func(replica string) (bool, time.Time)
}

// judge checks every question and then what stands in Slack.
func (e *evidence) judge() *verdict {
	v := &verdict{count: map[string]int{}}
	for _, nonce := range e.order {
		e.one(v, e.questions[nonce])
	}
	for nonce := range e.model.asked {
		if e.questions[nonce] == nil {
			v.fail("I1", nonce, "a server asked a question that nobody's call has")
		}
	}
	e.buttons(v)
	return v
}

func (e *evidence) one(v *verdict, q *question) {
	v.count["calls"]++
	asked, call, cards := e.model.asked[q.nonce], e.model.calls[q.nonce], e.board.cardsOf(q.nonce)
	if call == nil {
		v.count["calls that did not reach their server"]++
		if len(cards) > 0 {
			v.fail("I1", q.nonce, "there is a card of a call that its server never received")
		}
		return
	}
	if call.received > 1 {
		v.fail("I1", q.nonce, "the call was sent %d times", call.received)
	}
	if len(asked) > 1 {
		v.fail("I1", q.nonce, "the server asked %d times", len(asked))
	}
	if len(call.done) > 1 {
		v.fail("I1 doubled", q.nonce, "the call was carried out %d times", len(call.done))
		v.count["answers doubled"]++
	}
	if len(asked) == 0 {
		v.count["calls that ended before their question"]++
		return
	}
	a := asked[0]
	v.count["questions"]++
	v.count["questions, "+era(q.server)]++
	end := endUnknown
	if len(cards) > 0 {
		end = endingOf(ofRecord(cards).now())
		v.count["cards: "+string(end)]++
	} else {
		v.count["cards: never posted"]++
		end = e.endInThread(q)
	}
	if len(cards) > 1 {
		v.remark("cards", q.nonce, "%d cards were posted", len(cards))
	}
	for _, an := range a.answers {
		v.count["answers on the wire: "+an.action]++
	}
	e.oneAnswer(v, q, a, call, end)
	e.entitled(v, q, a)
	e.told(v, q, a, end)
	e.agrees(v, q, a, call, end, len(cards) > 0)
	for _, c := range cards {
		e.notLate(v, q, a, c)
	}
	e.reported(v, q, call, end)
	if len(cards) > 0 && len(a.answers) == 0 && contains(ofRecord(cards).now().text, "the server was told") {
		v.remark("card says too much", q.nonce, "the card says that the server was told; it received nothing")
	}
}

// ofRecord is the card that counts where a question stands more than once: the
// newest that has not given way to another one.
func ofRecord(cards []card) *card {
	for i := range slices.Backward(cards) {
		if endingOf(cards[i].now()) != endMoved {
			return &cards[i]
		}
	}
	return &cards[len(cards)-1]
}

// endInThread is how the thread of a call says that a question ended of which
// no card ever stood: its form had opened by itself.
func (e *evidence) endInThread(q *question) ending {
	heading, ok := e.board.headingOf(q)
	if !ok {
		return endUnknown
	}
	for _, m := range e.messages {
		if m.ThreadTS == heading.ts {
			if end := endingOf(drawing{text: m.Text}); end != endUnknown {
				return end
			}
		}
	}
	return endUnknown
}

func era(server string) string {
	switch server {
	case serverDurable:
		return "durable, HTTP"
	case serverHTTP:
		return "blocking, HTTP"
	default:
		return "blocking, stdio"
	}
}

// oneAnswer is I1: one response, unless the connection is gone.
func (e *evidence) oneAnswer(v *verdict, q *question, a *asked, call *callLog, end ending) {
	switch n := len(a.answers); {
	case n > 1:
		v.count["answers doubled"]++
		v.fail("I1 doubled", q.nonce, "the server received %d answers", n)
	case n == 1:
		if a.answers[0].invalid {
			v.fail("I1", q.nonce, "the server received an error instead of an answer")
		}
	case q.server == serverDurable:
		e.durableUnanswered(v, q, a, end)
	case a.ended.IsZero():
		v.fail("I1", q.nonce, "the server never received an answer, and its connection stands")
	default:
		v.count["questions whose connection died"]++
		if gone, at := e.gone(a.replica); gone && at.Before(a.ended.Add(2*time.Second)) {
			return
		}
		if !e.excused(a.at, a.ended, "MCP connections cut", "MCP child killed") && !e.did(q, a.at, a.ended, "Stop") {
			v.fail("I1", q.nonce, "replica %s, which lived, ended the connection without an answer", a.replica)
		}
	}
}

// durableUnanswered: the call was stopped, or it is told as lost or unknown.
func (e *evidence) durableUnanswered(v *verdict, q *question, a *asked, end ending) {
	v.count["durable questions that the server heard no more of"]++
	switch {
	case end == endLost, end == endCancelled && e.did(q, a.at, time.Now(), "Stop"):
	case end == endUnknown && e.threadSays(q, "is not known", "Failed.") != "":
	default:
		v.fail("I1", q.nonce, "the server never received an answer, and the card says %q", end)
	}
}

// excused reports whether a fault of one of these kinds happened in the time.
func (e *evidence) excused(from, to time.Time, kinds ...string) bool {
	return slices.ContainsFunc(e.faults, func(f fault) bool {
		return slices.Contains(kinds, f.kind) && f.begin.Before(to.Add(time.Second)) && f.end.After(from.Add(-time.Second))
	})
}

// did reports whether the requester did this.
func (e *evidence) did(q *question, from, to time.Time, what ...string) bool {
	return slices.ContainsFunc(e.acts[q.nonce], func(a act) bool {
		return a.who == q.requester && slices.Contains(what, a.what) && a.begin.Before(to) && a.end.After(from)
	})
}

// entitled is I3: each answer of a person is one that the requester gave.
func (e *evidence) entitled(v *verdict, q *question, a *asked) {
	for _, an := range a.answers {
		switch an.action {
		case "accept":
			ok := slices.ContainsFunc(e.acts[q.nonce], func(x act) bool {
				if x.who != q.requester || x.begin.After(an.at) {
					return false
				}
				if strings.HasPrefix(x.what, "Submit") {
					return strings.Contains(an.content, `"`+x.token+`"`) || x.token == ""
				}
				return x.what == q.onCard() && x.what != ""
			})
			if !ok {
				v.fail("I3", q.nonce, "the server received accept %s, which the requester never gave", an.content)
			}
		case "decline":
			if !e.did(q, a.at, an.at, "Decline") {
				v.fail("I3", q.nonce, "the server received decline, which the requester never gave")
			}
		case "cancel":
		default:
			v.fail("I1", q.nonce, "the server received action %q", an.action)
		}
	}
}

// told: what Slack told a person is recorded has reached the server, or the
// card says that it was lost.
func (e *evidence) told(v *verdict, q *question, a *asked, end ending) {
	tokens := map[string]bool{}
	for _, x := range e.acts[q.nonce] {
		if !x.told {
			continue
		}
		v.count["forms accepted"]++
		tokens[x.token] = true
		arrived := slices.ContainsFunc(a.answers, func(an answer) bool {
			return an.action == "accept" && (x.token == "" || strings.Contains(an.content, `"`+x.token+`"`))
		})
		switch {
		case arrived:
		case end == endLost:
			v.count["answers told as lost"]++
		case !a.ended.IsZero() && e.threadSays(q, "is not known") != "":
			// It was sent into a connection that ended before anybody read it.
			v.count["answers whose thread says that their effect is not known"]++
		default:
			v.count["answers lost"]++
			v.fail("LOST", q.nonce, "%s was told that their answer %s is recorded; the server received %v and the card says %q", x.who, x.token, actions(a), end)
		}
	}
	if len(tokens) > 1 {
		v.fail("I1", q.nonce, "%d different answers were told to be recorded", len(tokens))
	}
}

func actions(a *asked) []string {
	var out []string
	for _, an := range a.answers {
		out = append(out, an.action+an.content)
	}
	return out
}

// agrees: the card and the wire tell the same.
func (e *evidence) agrees(v *verdict, q *question, a *asked, call *callLog, end ending, posted bool) {
	wire := "nothing"
	if len(a.answers) > 0 {
		wire = a.answers[0].action
	}
	want := map[ending]string{endAccepted: "accept", endDeclined: "decline", endDismissed: "cancel", endCancelled: "cancel", endExpired: "cancel", endNotShown: "cancel", endWithdrawn: "nothing"}
	switch {
	case !posted: // a form that opened by itself needs no card
	case end == endLost:
		switch wire {
		case "accept", "decline":
			v.remark("told as lost, but delivered", q.nonce, "the card says Lost and the server received %s", wire)
		}
	case end == endOpen, end == endUnknown, end == endMoved:
		// buttons reports it
	case wire == want[end]:
	case wire == "nothing" && want[end] == "cancel" && !a.ended.IsZero():
		// cancelled, and there was nobody left to be told
	case wire == "nothing" && q.server == serverDurable && want[end] == "cancel":
		// durableUnanswered looks at it
	case wire == "nothing" && !a.ended.IsZero() && e.threadSays(q, "is not known") != "":
		// told counts it
	case wire == "nothing" && (end == endAccepted || end == endDeclined):
		v.count["answers lost"]++
		v.fail("LOST", q.nonce, "the card says %q and the server received nothing (connection ended: %v)", end, !a.ended.IsZero())
	default:
		v.fail("I6", q.nonce, "the card says %q and the server received %s", end, wire)
	}
}

// notLate is I7: nothing is accepted after the end of the question.
func (e *evidence) notLate(v *verdict, q *question, a *asked, c card) {
	for _, x := range e.acts[q.nonce] {
		if x.told && !c.deadline.IsZero() && x.begin.After(c.deadline.Add(1200*time.Millisecond)) {
			v.fail("I7", q.nonce, "a form was accepted %s after the deadline", x.begin.Sub(c.deadline))
		}
	}
	var before ending
	for _, d := range c.drawn {
		now := endingOf(d)
		switch {
		case before == "" || before == now || before == endOpen:
		case now == endOpen:
			v.fail("I6", q.nonce, "the card had ended (%s) and got its buttons back", before)
		case now == endLost && before != endWithdrawn, now == endMoved:
			// its owner died before the server had it
		case before == endLost && len(a.answers) == 1:
			// its owner was only suspended: the server has it after all
		case before == endLost && endingOf(c.drawn[len(c.drawn)-1]) == endLost:
			// a drawing of another replica was on its way, and is corrected
		default:
			v.fail("I7", q.nonce, "the card said %q and then %q", before, now)
		}
		if before = now; now == endOpen || now == endLost || now == endMoved {
			continue
		}
		for _, x := range e.acts[q.nonce] {
			if x.told && x.begin.After(d.at.Add(500*time.Millisecond)) {
				v.fail("I7", q.nonce, "a form was accepted after the card said %q", now)
			}
		}
	}
	if len(a.answers) == 1 && a.answers[0].action != "cancel" && !c.deadline.IsZero() {
		// The act that it came from must lie before the deadline.
		inTime := slices.ContainsFunc(e.acts[q.nonce], func(x act) bool {
			return x.who == q.requester && x.what != "command" && x.begin.Before(c.deadline.Add(1200*time.Millisecond))
		})
		if !inTime {
			v.fail("I7", q.nonce, "the server received %s, and nobody had acted before the deadline", a.answers[0].action)
		}
	}
}

// reported: what was carried out is told in the thread.
func (e *evidence) reported(v *verdict, q *question, call *callLog, end ending) {
	if len(call.done) == 0 {
		return
	}
	v.count["calls carried out"]++
	result := slices.ContainsFunc(e.messages, func(m slacksim.Message) bool { return contains(m.Text, q.nonce, " returned:") })
	if !result && e.threadSays(q, "is not known", "Failed.") == "" && end != endLost {
		v.remark("result not shown", q.nonce, "the call was carried out, and its thread says neither that nor that it is not known")
	}
}

// threadSays returns the first message under the question's call that holds
// one of these.
func (e *evidence) threadSays(q *question, parts ...string) string {
	threads := map[string]bool{}
	for _, c := range e.board.cardsOf(q.nonce) {
		threads[c.thread] = true
	}
	if h, ok := e.board.headingOf(q); ok {
		threads[h.ts] = true
	}
	for _, m := range e.messages {
		if m.ThreadTS == "" || !threads[m.ThreadTS] {
			continue
		}
		for _, part := range parts {
			if strings.Contains(m.Text, part) {
				return m.Text
			}
		}
	}
	return ""
}

// buttons is I6: every question is over, so nothing can be pressed any more.
func (e *evidence) buttons(v *verdict) {
	for _, m := range e.messages {
		var dead []string
		for _, b := range m.Buttons {
			if b.Label != "Run again" {
				dead = append(dead, b.Label)
			}
		}
		if len(dead) == 0 {
			continue
		}
		nonce := nonceForm.FindString(m.Text)
		what := "card"
		if slices.Contains(dead, "Stop") {
			what, nonce = "top-level message", e.nonceUnder(m.TS)
		}
		if e.standsTwice(m, what, nonce) {
			v.remark("stands twice", nonce, "Slack's answer was lost, and the %s that was posted again keeps %v until somebody presses it", what, dead)
			continue
		}
		v.count["dead buttons"]++
		v.fail("I6", nonce, "the %s %s of %s still has %v", what, m.TS, m.Channel, dead)
	}
}

// standsTwice reports whether a message was posted while Slack's answers were
// lost, and another one stands in its place.
func (e *evidence) standsTwice(m slacksim.Message, what, nonce string) bool {
	at := tsTime(m.TS)
	if !e.excused(at, at, faultAnswersLost) {
		return false
	}
	if what == "card" {
		all := e.board.cardsOf(nonce)
		return len(all) > 1 && all[len(all)-1].ts != m.TS
	}
	return nonce == "" // nothing was ever said under it
}

// nonceUnder names the question of a call by its top-level message.
func (e *evidence) nonceUnder(ts string) string {
	for nonce := range e.questions {
		for _, c := range e.board.cardsOf(nonce) {
			if c.thread == ts {
				return nonce
			}
		}
	}
	for _, m := range e.messages {
		if m.ThreadTS == ts {
			if n := nonceForm.FindString(m.Text); n != "" {
				return n
			}
		}
	}
	return ""
}
