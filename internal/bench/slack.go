package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	team          = "T0BENCH"
	signingSecret = "bench-signing-secret"
)

// slackFake is Slack as far as it takes to be asked. It checks nothing, so
// that it costs little: what the bot sends is judged by the strict simulator,
// in the tests.
type slackFake struct {
	w   *world
	url string

	clock    atomic.Int64 // makes ts
	triggers atomic.Int64
	updates  atomic.Int64 // calls of chat.update so far
	infos    atomic.Int64 // calls of users.info so far

	mu     sync.Mutex
	opened map[string]chan time.Time // by trigger: when views.open arrived
}

// ServeHTTP is the Web API.
func (s *slackFake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var reply string
	switch method := strings.TrimPrefix(r.URL.Path, "/api/"); method {
	case "auth.test":
		reply = `{"ok":true,"team_id":"` + team + `","team":"bench","user_id":"U0BOT","bot_id":"B0BOT","url":"https://bench.slack.com/"}`
	case "chat.postMessage":
		reply = s.post(string(body))
	case "chat.update":
		s.updates.Add(1)
		reply = `{"ok":true,"channel":"C0","ts":"1.1","text":""}`
	case "views.open", "views.update", "views.push":
		reply = `{"ok":true,"view":{"id":"V1","type":"modal"}}`
		if method == "views.open" {
			s.open(string(body), at)
		}
	case "users.info":
		s.infos.Add(1)
		reply = `{"ok":true,"user":{"id":"U1","team_id":"` + team + `","tz":"Europe/Berlin","tz_offset":3600,"locale":"en-US"}}`
	case "conversations.open":
		reply = `{"ok":true,"channel":{"id":"D1"}}`
	default:
		reply = `{"ok":true}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, reply) // the bot may be gone
}

var (
	numberInText = regexp.MustCompile(`question-(\d+)-`)
	resultInText = regexp.MustCompile(`answered-(\d+)-`)
)

// post takes a message: a heading, the card of a question, or a result.
func (s *slackFake) post(body string) string {
	form, err := url.ParseQuery(body)
	if err != nil {
		return `{"ok":false,"error":"invalid_arguments"}`
	}
	n := s.clock.Add(1)
	ts := fmt.Sprintf("%d.%06d", 1_700_000_000+n/1_000_000, n%1_000_000)
	if blocks := form.Get("blocks"); strings.Contains(blocks, `"action_id":"elicit_respond"`) {
		if q := s.asked(numberInText, blocks); q != nil {
			_, after, _ := strings.Cut(blocks, `"action_id":"elicit_respond"`)
			_, after, _ = strings.Cut(after, `"value":"`)
			id, _, _ := strings.Cut(after, `"`)
			q.cardOnce.Do(func() {
				q.pending, q.card, q.root = id, ts, form.Get("thread_ts")
				close(q.posted)
			})
		}
	} else if q := s.asked(resultInText, blocks); q != nil {
		q.endOnce.Do(func() { close(q.finished) })
	}
	return `{"ok":true,"channel":"` + form.Get("channel") + `","ts":"` + ts + `"}`
}

// asked is the question whose number stands in a text.
func (s *slackFake) asked(number *regexp.Regexp, text string) *question {
	m := number.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return nil
	}
	return s.w.question(n)
}

func (s *slackFake) open(body string, at time.Time) {
	_, after, _ := strings.Cut(body, `"trigger_id":"`)
	trigger, _, _ := strings.Cut(after, `"`)
	s.mu.Lock()
	c := s.opened[trigger]
	delete(s.opened, trigger)
	s.mu.Unlock()
	if c != nil {
		c <- at // it has room: a trigger serves once
	}
}

// trigger makes a trigger. c hears when a view is opened with it.
func (s *slackFake) trigger(c chan time.Time) string {
	id := fmt.Sprintf("%d.1.bench", s.triggers.Add(1))
	if c != nil {
		s.mu.Lock()
		s.opened[id] = c
		s.mu.Unlock()
	}
	return id
}

// deliver posts what Slack would, signed, and returns the acknowledgement.
// sent is when the request began.
func (s *slackFake) deliver(ctx context.Context, b *bot, path, body string) (sent time.Time, ack []byte, err error) {
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(signingSecret))
	mac.Write([]byte("v0:" + stamp + ":" + body))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+path, strings.NewReader(body))
	if err != nil {
		return sent, nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("X-Slack-Request-Timestamp", stamp)
	req.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	sent = time.Now()
	resp, err := s.w.client.Do(req)
	if err != nil {
		return sent, nil, err
	}
	defer resp.Body.Close()
	ack, err = io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s was answered %s: %s", path, resp.Status, ack)
	}
	return sent, ack, err
}

func (s *slackFake) command(ctx context.Context, b *bot, q *question, text string) error {
	form := url.Values{
		"team_id": {team}, "user_id": {q.user}, "channel_id": {q.channel}, "command": {"/mcp"}, "text": {text},
		"trigger_id": {s.trigger(nil)}, "response_url": {s.url + "/response"},
	}
	_, _, err := s.deliver(ctx, b, "/slack/commands", form.Encode())
	return err
}

type object = map[string]any

func (s *slackFake) payload(typ string, q *question) object {
	return object{
		"type": typ, "token": "unused", "api_app_id": "A0BENCH", "enterprise": nil, "is_enterprise_install": false,
		"user": object{"id": q.user, "username": "bench", "name": "bench", "team_id": team},
		"team": object{"id": team, "domain": "bench"},
	}
}

func (s *slackFake) interact(ctx context.Context, b *bot, payload object) (sent time.Time, ack []byte, err error) {
	raw, err := json.Marshal(payload)
	if err != nil {
		return sent, nil, err
	}
	return s.deliver(ctx, b, "/slack/interactions", url.Values{"payload": {string(raw)}}.Encode())
}

// click presses Respond… on the card. opened hears when the form comes.
func (s *slackFake) click(q *question, opened chan time.Time) object {
	p := s.payload("block_actions", q)
	p["trigger_id"] = s.trigger(opened)
	p["channel"] = object{"id": q.channel, "name": "bench"}
	p["container"] = object{"type": "message", "message_ts": q.card, "thread_ts": q.root, "channel_id": q.channel, "is_ephemeral": false}
	p["response_url"] = s.url + "/response"
	p["actions"] = []any{object{"type": "button", "block_id": "b", "action_id": "elicit_respond", "value": q.pending, "action_ts": "1.1"}}
	return p
}

// Fields of the form that the fake servers ask for, as a person fills it in.
var (
	goodState = object{"values": object{
		"f0": object{"v": object{"type": "radio_buttons", "selected_option": object{"text": object{"type": "plain_text", "text": "prod-eu"}, "value": "o0"}}},
		"f1": object{"v": object{"type": "plain_text_input", "value": "22:00–23:00 UTC"}},
		"f2": object{"v": object{"type": "radio_buttons", "selected_option": object{"text": object{"type": "plain_text", "text": "Yes"}, "value": "o0"}}},
	}}
	badState = object{"values": object{
		"f0": object{"v": object{"type": "radio_buttons", "selected_option": nil}},
		"f1": object{"v": object{"type": "plain_text_input", "value": strings.Repeat("far too long ", 20)}},
		"f2": object{"v": object{"type": "radio_buttons", "selected_option": nil}},
	}}
)

func (s *slackFake) view(typ string, q *question, state object) object {
	p := s.payload(typ, q)
	p["trigger_id"] = s.trigger(nil)
	p["view"] = object{
		"id": "V1", "team_id": team, "type": "modal", "callback_id": "elicit_form", "private_metadata": q.pending,
		"hash": "1.a", "state": state, "blocks": []any{},
	}
	return p
}

func (s *slackFake) submit(q *question) object      { return s.view("view_submission", q, goodState) }
func (s *slackFake) submitWrong(q *question) object { return s.view("view_submission", q, badState) }
func (s *slackFake) dismiss(q *question) object {
	p := s.view("view_closed", q, object{"values": []any{}})
	p["is_cleared"] = false
	return p
}

// submitTimes is how often a person tries.
const submitTimes = 5

// submitForm submits the form of a question until it is taken: on a machine
// that is too busy Redis may be out of time, and a person is told to try again.
// sent is when that began.
func (s *slackFake) submitForm(ctx context.Context, b *bot, q *question) (sent time.Time, err error) {
	for i := range submitTimes {
		at, ack, failed := s.interact(ctx, b, s.submit(q))
		if i == 0 {
			sent = at
		}
		if failed != nil {
			return sent, failed
		}
		if err = taken(ack); err == nil {
			break
		}
	}
	return sent, err
}

var errForm = errors.New("the form was not taken")

// taken reports whether the acknowledgement closes the form.
func taken(ack []byte) error {
	if strings.Contains(string(ack), `"clear"`) {
		return nil
	}
	return fmt.Errorf("%w: %s", errForm, ack)
}
