package chaos

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// asked is a question as its server knows it.
type asked struct {
	nonce   string
	server  string
	replica string // to which it was sent
	at      time.Time
	answers []answer
	ended   time.Time // when the connection that carried it ended; zero: it stands
}

// answer is what a server received for a question.
type answer struct {
	at      time.Time
	action  string
	content string
	replica string
	invalid bool // an error of JSON-RPC
}

// callLog is what a server knows of the call of a question.
type callLog struct {
	received int         // requests without answers
	repeated int         // requests with answers (durable)
	done     []time.Time // executions: the tool did what was asked
	results  []string
}

// model is what the wire says of all questions.
type model struct {
	asked map[string][]*asked // by nonce
	calls map[string]*callLog
}

type wireMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// didIt are the results of tools that carried something out.
var didIt = regexp.MustCompile(`"text":"(Restarted|Deployed|Scaled|Got) `)

type actionContent struct {
	Action  string          `json:"action"`
	Content json.RawMessage `json:"content"`
}

// reader builds the model from events in the order of time.
type reader struct {
	model
	open      map[string]*asked   // by connection and id of the request
	exchange  map[string][]*asked // by exchange over HTTP
	conn      map[string][]*asked // by connection of a child
	callNonce map[string]string   // by connection (or exchange) and id of the request
}

func readWire(events []wireEvent) model {
	r := &reader{
		model: model{asked: map[string][]*asked{}, calls: map[string]*callLog{}},
		open:  map[string]*asked{}, exchange: map[string][]*asked{}, conn: map[string][]*asked{}, callNonce: map[string]string{},
	}
	for _, e := range events {
		r.take(e)
	}
	return r.model
}

func (r *reader) call(nonce string) *callLog {
	if r.calls[nonce] == nil {
		r.calls[nonce] = &callLog{}
	}
	return r.calls[nonce]
}

func exchangeKey(e wireEvent) string { return fmt.Sprintf("%s#%d", e.Server, e.Exchange) }

func (r *reader) take(e wireEvent) {
	if e.Dir == dirEnd {
		for _, a := range append(r.exchange[exchangeKey(e)], r.conn[e.Conn]...) {
			if a.ended.IsZero() && (e.Exchange != 0 || e.Server == serverChild) {
				a.ended = e.At
			}
		}
		if e.Server != serverChild {
			delete(r.exchange, exchangeKey(e))
		}
		return
	}
	var m wireMessage
	if json.Unmarshal(e.Message, &m) != nil {
		return
	}
	id := e.Conn + "#" + string(m.ID)
	if e.Server == serverDurable {
		id = exchangeKey(e) // there are no sessions; one request an exchange
	}
	switch {
	case e.Dir == dirIn && m.Method == "tools/call":
		r.received(e, m, id)
	case e.Dir == dirOut && m.Method == "elicitation/create":
		a := r.ask(e, nonceForm.FindString(string(m.Params)))
		r.open[id] = a
	case e.Dir == dirIn && m.Method == "" && e.Server != serverDurable:
		if a := r.open[id]; a != nil {
			a.answers = append(a.answers, answerOf(e, m.Result, m.Error))
		}
	case e.Dir == dirOut && m.Method == "" && r.callNonce[id] != "":
		r.result(e, m, r.callNonce[id])
	}
}

func (r *reader) ask(e wireEvent, nonce string) *asked {
	a := &asked{nonce: nonce, server: e.Server, replica: e.Replica, at: e.At}
	r.asked[nonce] = append(r.asked[nonce], a)
	switch e.Server {
	case serverChild:
		r.conn[e.Conn] = append(r.conn[e.Conn], a)
	case serverHTTP:
		r.exchange[exchangeKey(e)] = append(r.exchange[exchangeKey(e)], a)
	}
	return a
}

func (r *reader) received(e wireEvent, m wireMessage, id string) {
	var p struct {
		Arguments      json.RawMessage            `json:"arguments"`
		InputResponses map[string]json.RawMessage `json:"inputResponses"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	nonce := nonceForm.FindString(string(p.Arguments))
	r.callNonce[id] = nonce
	c := r.call(nonce)
	if p.InputResponses == nil {
		c.received++
		return
	}
	c.repeated++
	all := r.asked[nonce]
	if len(all) == 0 {
		all = []*asked{r.ask(e, nonce)} // an answer to what was never asked: the checks find it
	}
	for _, raw := range p.InputResponses {
		last := all[len(all)-1]
		last.answers = append(last.answers, answerOf(e, raw, nil))
	}
}

func answerOf(e wireEvent, result, failure json.RawMessage) answer {
	var ac actionContent
	a := answer{at: e.At, replica: e.Replica, invalid: failure != nil}
	if json.Unmarshal(result, &ac) == nil {
		a.action, a.content = ac.Action, string(ac.Content)
	}
	return a
}

func (r *reader) result(e wireEvent, m wireMessage, nonce string) {
	if e.Server == serverDurable && strings.Contains(string(m.Result), `"inputRequests"`) {
		r.ask(e, nonce)
		return
	}
	c := r.call(nonce)
	text := string(m.Result)
	if m.Error != nil {
		text = string(m.Error)
	}
	c.results = append(c.results, text)
	if didIt.MatchString(text) {
		c.done = append(c.done, e.At)
	}
}
