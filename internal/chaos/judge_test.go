package chaos

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// story is the evidence of one question that went well: a form of the blocking
// era, submitted 5 s after it was asked. Tests spoil it.
type story struct {
	events   []wireEvent
	acts     []act
	drawn    []drawing
	messages []slacksim.Message
	dead     bool // the replica
	cardless bool // its form opened by itself, and no card ever stood
}

const storyNonce = "q0000z"

var storyStart = time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC)

func after(seconds float64) time.Time {
	return storyStart.Add(time.Duration(seconds * float64(time.Second)))
}

func wireAt(seconds float64, dir, message string) wireEvent {
	e := wireEvent{At: after(seconds), Server: serverHTTP, Replica: "0.1", Conn: "web/s1", Exchange: 1, Dir: dir}
	if message != "" {
		e.Message = json.RawMessage(message)
	}
	return e
}

func answerAt(seconds float64, action, token string) wireEvent {
	content := ""
	if token != "" {
		content = fmt.Sprintf(`,"content":{"note":%q}`, token)
	}
	e := wireAt(seconds, dirIn, fmt.Sprintf(`{"id":7,"result":{"action":%q%s}}`, action, content))
	e.Exchange = 2 // the answer is a POST of its own
	return e
}

func goodStory() *story {
	return &story{
		events: []wireEvent{
			wireAt(0.1, dirIn, `{"id":1,"method":"tools/call","params":{"name":"ask","arguments":{"message":"`+storyNonce+`"}}}`),
			wireAt(0.1, dirOut, `{"id":7,"method":"elicitation/create","params":{"message":"`+storyNonce+`"}}`),
			answerAt(5.1, "accept", "tok-1"),
			wireAt(5.2, dirOut, `{"id":1,"result":{"content":[{"type":"text","text":"Got {}."}]}}`),
			wireAt(5.2, dirEnd, ""),
		},
		acts: []act{{nonce: storyNonce, who: "U_A", what: "Submit", token: "tok-1", begin: after(5), end: after(5.1), told: true}},
		drawn: []drawing{
			{at: after(0.2), text: "web asks " + storyNonce, open: true},
			{at: after(5.2), text: "*Accepted by* <@U_A>"},
		},
		messages: []slacksim.Message{{TS: "2.0", ThreadTS: "1.0", Text: "Accepted by @A"}, {TS: "3.0", ThreadTS: "1.0", Text: "web.ask returned:"}},
	}
}

func (s *story) judge() *verdict {
	b := newBoard(nil)
	c := &card{nonce: storyNonce, channel: "C", ts: "2.0", thread: "1.0", posted: after(0.2), deadline: after(20), drawn: s.drawn}
	b.headings["1.0"] = &card{channel: "C", ts: "1.0", posted: after(0.05), drawn: []drawing{{text: "<@U_A> runs web.ask"}}}
	if !s.cardless {
		b.cards[c.ts], b.byNonce[storyNonce] = c, []*card{c}
	}
	e := &evidence{
		model: readWire(s.events), board: b, messages: s.messages, order: []string{storyNonce},
		questions: map[string]*question{storyNonce: {nonce: storyNonce, server: serverHTTP, tool: "ask", requester: "U_A", channel: "C", started: storyStart}},
		acts:      map[string][]act{storyNonce: s.acts},
		gone:      func(string) (bool, time.Time) { return s.dead, after(3) },
	}
	return e.judge()
}

func (s *story) ends(text string) { s.drawn[len(s.drawn)-1].text = text }

// unanswered takes the answer and the result off the wire.
func (s *story) unanswered() { s.events = append(s.events[:2:2], s.events[4:]...) }

func TestJudge_FindsWhatMustNotBe(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*story)
		want  string // rules of the findings
	}{
		"all is well":                           {func(*story) {}, ""},
		"answered twice":                        {func(s *story) { s.events = append(s.events, answerAt(6, "accept", "tok-1")) }, "I1 doubled"},
		"carried out twice":                     {func(s *story) { s.events = append(s.events, s.events[3]) }, "I1 doubled"},
		"never answered, the connection stands": {func(s *story) { s.unanswered(); s.events = s.events[:2]; s.acts = nil; s.ends("Expired") }, "I1 I6"},
		"never answered, the replica lived":     {func(s *story) { s.unanswered(); s.acts = nil; s.ends("*Lost*") }, "I1"},
		"never answered, the replica died":      {func(s *story) { s.unanswered(); s.acts = nil; s.ends("*Lost*"); s.dead = true }, ""},
		"told as recorded, cancelled":           {func(s *story) { s.events[2] = answerAt(5.1, "cancel", ""); s.ends("*Expired*") }, "LOST"},
		"told as recorded, never sent":          {func(s *story) { s.unanswered(); s.dead = true }, "LOST LOST"},
		"told as lost, without a card": {func(s *story) {
			s.unanswered()
			s.dead, s.cardless = true, true
			s.messages = []slacksim.Message{{TS: "2.0", ThreadTS: "1.0", Text: "Lost: the answer did not reach the server."}}
		}, ""},
		"lost without a word and a card": {func(s *story) {
			s.unanswered()
			s.dead, s.cardless, s.messages = true, true, nil
		}, "LOST"},
		"sent to a server that was ending": {func(s *story) {
			s.unanswered()
			s.dead = true
			s.messages = append(s.messages, slacksim.Message{TS: "4.0", ThreadTS: "1.0", Text: "Failed. server web ended by itself; whether the call had an effect is not known"})
		}, ""},
		"told as recorded, then told as lost": {func(s *story) { s.unanswered(); s.dead = true; s.ends("*Lost*") }, ""},
		"another answer than was typed":       {func(s *story) { s.events[2] = answerAt(5.1, "accept", "tok-2") }, "I3 LOST"},
		"accepted by a stranger":              {func(s *story) { s.acts[0].who = "U_B"; s.acts[0].told = false }, "I3 I7"},
		"declined by a stranger": {func(s *story) {
			s.events[2] = answerAt(5.1, "decline", "")
			s.ends("*Declined by* <@U_B>")
			s.acts = []act{{nonce: storyNonce, who: "U_B", what: "Decline", begin: after(4), end: after(4.1)}}
		}, "I3 I7"},
		"the card keeps its buttons": {func(s *story) {
			s.drawn = s.drawn[:1]
			s.messages[0].Buttons = []slacksim.Button{{Label: "Decline"}}
		}, "I6"},
		"the heading keeps Stop": {func(s *story) {
			s.messages = append(s.messages, slacksim.Message{TS: "1.0", Buttons: []slacksim.Button{{Label: "Stop"}}})
		}, "I6"},
		"Run again may stay": {func(s *story) {
			s.messages = append(s.messages, slacksim.Message{TS: "4.0", Buttons: []slacksim.Button{{Label: "Run again"}}})
		}, ""},
		"the card tells something else":   {func(s *story) { s.ends("*Declined by* <@U_A>") }, "I6"},
		"expired, and accepted after all": {func(s *story) { s.drawn = append(s.drawn, drawing{at: after(6), text: "*Expired*"}, s.drawn[1]) }, "I7 I7"},
		"lost, and delivered after all": {func(s *story) {
			s.drawn = []drawing{s.drawn[0], {at: after(2), text: "*Lost*"}, s.drawn[1]}
		}, ""},
		"accepted after the card's end": {func(s *story) {
			s.drawn = []drawing{s.drawn[0], {at: after(2), text: "*Expired*"}, s.drawn[1]}
		}, "I7 I7"},
		"accepted after the deadline": {func(s *story) {
			s.acts[0].begin, s.acts[0].end = after(22), after(22.1)
			s.events[2].At, s.drawn[1].at = after(22.1), after(22.2)
		}, "I7 I7"},
		"a failed act is no promise": {func(s *story) {
			s.acts[0].told, s.acts[0].err = false, errors.New("operation_timeout")
			s.events[2] = answerAt(9, "cancel", "")
			s.events = append(s.events[:3:3], s.events[4])
			s.ends("*Expired*")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := goodStory()
			c.spoil(s)
			var rules, texts []string
			for _, f := range s.judge().findings {
				rules, texts = append(rules, f.rule), append(texts, f.rule+": "+f.text)
			}
			if got := strings.Join(rules, " "); got != c.want {
				t.Errorf("judge found %q, want %q:\n%s", got, c.want, strings.Join(texts, "\n"))
			}
		})
	}
}
