package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// crowdProgress is the interval of progress notes in these tests; nothing else
// waits for as long.
const crowdProgress = 17 * time.Second

// guest is one call of one user of a crowd. The text of its secret is in
// everything that belongs to it.
type guest struct {
	call   elicit.Call
	secret string
	done   <-chan outcome
}

var secrets = regexp.MustCompile(`secret-\d\d-\d`)

// crowd makes the calls of that many users. Question and id are the same for
// all of them, but for the secret. The last one is doomed: its server dies
// when it has one answer.
func crowd(users, each int, tool string) []*guest {
	var all []*guest
	for i := range users * each {
		user := elicit.User{Team: "T_HOME", ID: fmt.Sprintf("U_%02d", i/each)}
		g := &guest{secret: fmt.Sprintf("secret-%02d-%d", i/each, i%each)}
		script := []string{`{"send":` + secretQuestion("1", g.secret) + `}`, `{"send":` + secretQuestion("2", g.secret) + `}`}
		doomed := i == users*each-1
		if doomed {
			script = append(script, `{"await":3}`, `{"exit":7}`)
		} else {
			script = append(script, `{"await":4}`)
		}
		g.call = callFor(user, "s", tool, fmt.Sprintf(`{"secret":%q,"doomed":%t,"steps":[%s]}`, g.secret, doomed, strings.Join(script, ",")))
		g.call.ID = elicit.CallID("call-" + g.secret)
		all = append(all, g)
	}
	return all
}

func secretQuestion(id, secret string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"elicitation/create","params":%s}`, id, secretParams(secret))
}

func secretParams(secret string) string {
	return fmt.Sprintf(`{"_meta":{"progressToken":%q},"message":%q,"requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, secret, secret)
}

// wantOnly fails when the text does not carry the secret so many times, or
// carries that of somebody else.
func (g *guest) wantOnly(t *testing.T, what, text string, times int) {
	t.Helper()
	got := secrets.FindAllString(text, -1)
	if len(got) != times || slices.ContainsFunc(got, func(s string) bool { return s != g.secret }) {
		t.Errorf("%s of %s carries %q, want its own secret %d times", what, g.secret, got, times)
	}
}

func crowdSize() int {
	if testing.Short() {
		return 10
	}
	return 50
}

func TestCrowd_NothingOfOneUserReachesAnother(t *testing.T) {
	for name, tc := range map[string]struct {
		servers, tool string
		each          int // calls of a user at a time; each has a connection of its own
	}{
		"stdio": {local(t, "raw", ""), "script", 1},
		"http":  {remote(crowdServer(t).srv.URL, ""), "run", 2},
	} {
		t.Run(name, func(t *testing.T) {
			tickers := make(chan chan time.Time, 1000)
			w := newWorld(t, tc.servers, func(o *Options) {
				o.PerUser, o.HandshakeTimeout, o.DiscoverTimeout, o.ProgressInterval = tc.each, patience, patience, crowdProgress
				o.After = func(d time.Duration) <-chan time.Time {
					if d != crowdProgress {
						return time.After(d)
					}
					tick := make(chan time.Time, 1)
					tickers <- tick
					return tick
				}
			})
			guests := crowd(crowdSize(), tc.each, tc.tool)
			for _, g := range guests {
				g.done = w.start(t.Context(), g.call)
			}
			asked := map[*guest][]*asked{}
			for range 2 * len(guests) {
				q := w.question()
				i := slices.IndexFunc(guests, func(g *guest) bool { return g.call.ID == q.Call })
				g := guests[i]
				g.wantOnly(t, "a question", string(q.Params), 2)
				if q.Origin != g.call.Origin {
					t.Errorf("a question of %s is for %+v", g.secret, q.Origin)
				}
				asked[g] = append(asked[g], q)
			}
			// All are open. One note of progress for each, before any answer.
			var ticks []chan time.Time
			for range 2 * len(guests) {
				ticks = append(ticks, receiveFrom(t, tickers, "a clock of progress"))
			}
			for _, tick := range ticks {
				tick <- time.Time{}
			}
			for range 2 * len(guests) { // asked for again only when the note was sent
				receiveFrom(t, tickers, "a note of progress")
			}
			doomed := guests[len(guests)-1]
			// The server may die before it has said that it has the answer.
			_ = asked[doomed][0].reply(t.Context(), accept(`{"a":"`+doomed.secret+`"}`))
			asked[doomed][0].done()
			if cause := asked[doomed][1].cause(t); !errors.Is(cause, elicit.ErrConnectionLost) {
				t.Errorf("the question of the server that died ended with %v, want ErrConnectionLost", cause)
			}
			wantError[*ServerDownError](t, receiveFrom(t, doomed.done, "the end of the doomed call").err)
			guests = guests[:len(guests)-1]
			for _, g := range slices.Backward(guests) {
				asked[g][1].answer(t, accept(`{"a":"`+g.secret+`"}`))
			}
			for _, g := range guests {
				asked[g][0].answer(t, accept(`{"a":"`+g.secret+`"}`))
			}
			for _, g := range guests {
				text := strings.Join(receiveFrom(t, g.done, "a result").texts(t), "\n")
				g.wantOnly(t, "the result", text, 4)
				if notes := strings.Count(text, "notifications/progress"); notes != 2 {
					t.Errorf("the server of %s had %d notes of progress, want 2: %s", g.secret, notes, text)
				}
			}
			w.noQuestion()
		})
	}
}

func TestCrowd_NothingOfOneUserReachesAnotherInRounds(t *testing.T) {
	s := newRawHTTP(t, true, nil)
	s.call = func(x *exchangeHTTP) {
		secret, doomed := guestArguments(x)
		p := paramsOf(t, x.m)
		switch {
		case p.responses == "":
			x.json(encodeResult(x.m.id, json.RawMessage(fmt.Sprintf(`{"resultType":"input_required","requestState":%q,"inputRequests":{"1":{"method":"elicitation/create","params":%s},"2":{"method":"elicitation/create","params":%s}}}`,
				secret, secretParams(secret), secretParams(secret)))))
		case doomed:
			panic(http.ErrAbortHandler)
		default:
			x.json([]byte(x.text(p.arguments + p.responses + p.state)))
		}
	}
	w := newWorld(t, remote(s.srv.URL, ""), func(o *Options) {
		o.PerUser, o.HandshakeTimeout, o.DiscoverTimeout = 2, patience, patience
	})
	guests := crowd(crowdSize(), 2, "run")
	for _, g := range guests {
		g.call.Arguments = json.RawMessage(strings.Split(string(g.call.Arguments), `,"steps"`)[0] + "}")
		g.done = w.start(t.Context(), g.call)
	}
	parked := map[*guest]*elicit.Parked{}
	for _, g := range guests {
		out := receiveFrom(t, g.done, "the questions")
		if out.Parked == nil {
			t.Fatalf("the call of %s came to %+v, %v", g.secret, out.Outcome, out.err)
		}
		parked[g] = out.Parked
		for _, q := range out.Parked.Questions {
			g.wantOnly(t, "a question", string(q.Params), 2)
			if q.Origin != g.call.Origin || q.Call != g.call.ID {
				t.Errorf("a question of %s is for %s of %+v", g.secret, q.Call, q.Origin)
			}
		}
	}
	for _, g := range slices.Backward(guests) { // now all at once
		done := make(chan outcome, 1)
		g.done = done
		go func() {
			answer := accept(`{"a":"` + g.secret + `"}`)
			out, err := w.host.Resume(t.Context(), *parked[g], map[string]elicit.Answer{"1": answer, "2": answer})
			done <- outcome{out, err}
		}()
	}
	doomed := guests[len(guests)-1]
	wantError[*ServerDownError](t, receiveFrom(t, doomed.done, "the end of the doomed call").err)
	for _, g := range guests[:len(guests)-1] {
		g.wantOnly(t, "the result", strings.Join(receiveFrom(t, g.done, "a result").texts(t), "\n"), 4)
	}
}
