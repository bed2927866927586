package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slackbridge/slackbridge/elicit"
)

// batch is how many questions a call has open at a time: as many as it may.
const batch = maxOpen

// ending is a way in which the questions of a call end.
type ending struct {
	cause  error                              // of the context that Ask gets; nil: they are answered
	fails  bool                               // so does the call
	script string                             // steps of a stdio server after its questions
	http   func(x *exchangeHTTP, in *inboxes) // the same over HTTP
}

func endings() map[string]ending {
	cancelled := make([]string, batch)
	for n := range cancelled {
		cancelled[n] = fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, n)
	}
	return map[string]ending{
		"answered": {nil, false, fmt.Sprintf(`{"await":%d}`, batch), func(x *exchangeHTTP, in *inboxes) {
			for range batch {
				select {
				case <-in.of(x):
				case <-x.closed():
					return
				}
			}
		}},
		"withdrawn": {elicit.ErrWithdrawn, false, sends(cancelled), func(x *exchangeHTTP, _ *inboxes) {
			for _, note := range cancelled {
				x.event("", note)
			}
		}},
		"call ended":      {elicit.ErrCallEnded, false, `{"stderr":"that is all"}`, func(*exchangeHTTP, *inboxes) {}},
		"connection lost": {elicit.ErrConnectionLost, true, `{"exit":7}`, func(*exchangeHTTP, *inboxes) { panic(http.ErrAbortHandler) }},
		"stopped":         {elicit.ErrStopped, true, `{"await":1000000}`, func(x *exchangeHTTP, _ *inboxes) { <-x.closed() }},
	}
}

func batchOfQuestions() []string {
	all := make([]string, batch)
	for n := range all {
		all[n] = secretQuestion(fmt.Sprint(n), "token")
	}
	return all
}

func sends(messages []string) string {
	return `{"send":` + strings.Join(messages, `},{"send":`) + `}`
}

func TestLeak_QuestionsLeaveNothingBehindHoweverTheyEnd(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("there is no /proc here to count in")
	}
	questions := 10_000
	if testing.Short() || raceEnabled {
		questions = 1_000
	}
	for name, way := range endings() {
		for _, transport := range []string{"stdio", "http"} {
			t.Run(name+" over "+transport, func(t *testing.T) {
				t.Run("warm up", func(t *testing.T) { openAndEnd(t, transport, way, 1) })
				before, known := takeFootprint(t), goleak.IgnoreCurrent()
				collected := debug.SetGCPercent(-1) // which closes files that were forgotten
				t.Run("without the collector", func(t *testing.T) { openAndEnd(t, transport, way, 5) })
				after, ok := shrinksTo(t, before)
				debug.SetGCPercent(collected)
				if !ok {
					t.Errorf("before %+v, after a few calls %+v", before, after)
				}
				t.Run("questions", func(t *testing.T) { openAndEnd(t, transport, way, questions/batch) })
				if after, ok := shrinksTo(t, before); !ok {
					t.Errorf("before %+v, after %+v; goroutines: %v", before, after, goleak.Find(known))
				}
			})
		}
	}
}

// openAndEnd makes so many calls of one user, each of which opens a batch of
// questions that end that way.
func openAndEnd(t *testing.T, transport string, way ending, calls int) {
	opened := make(chan struct{}, batch)
	var wrong atomic.Value
	var ended atomic.Int64
	servers, call := leakServer(t, transport, way)
	w := newWorld(t, servers, func(o *Options) {
		o.Log = nil
		o.After = func(d time.Duration) <-chan time.Time {
			if d == drainGrace || d == stopGrace {
				d = patience // what is under way must arrive, on a slow machine too
			}
			return time.After(d)
		}
		o.Ask = func(ctx context.Context, _ elicit.Question, reply func(context.Context, elicit.Answer) error) {
			defer ended.Add(1)
			opened <- struct{}{}
			var got error
			if way.cause == nil {
				got = reply(context.WithoutCancel(ctx), accept(`{}`)) // the call may end before we know that it arrived
			} else {
				<-ctx.Done()
				got = context.Cause(ctx)
			}
			if !errors.Is(got, way.cause) {
				wrong.Store(fmt.Sprintf("ended with %v, want %v", got, way.cause))
			}
		}
	})
	var first footprint
	for n := range calls {
		ctx, stop := context.WithCancelCause(t.Context())
		done := w.start(ctx, call)
		for range batch {
			receiveFrom(t, opened, "a question")
		}
		if errors.Is(way.cause, elicit.ErrStopped) {
			stop(elicit.ErrStopped)
		}
		if out := receiveFrom(t, done, "the end of the call"); (out.err != nil) != way.fails {
			t.Fatalf("the call ended with %v", out.err)
		}
		stop(nil)
		if n == 0 {
			first = takeFootprint(t)
		}
	}
	// HTTP keeps some connections of the first batch for later ones, and those
	// that are lost go in the background: so many are not a leak of each.
	slack := footprint{batch, batch, 1}
	if now, ok := shrinksTo(t, first.plus(slack)); !ok {
		t.Errorf("after one call %+v, after %d %+v", first, calls, now)
	}
	w.close()
	if got, want := ended.Load(), int64(calls*batch); got != want {
		t.Errorf("%d questions ended, want %d", got, want)
	}
	if problem := wrong.Load(); problem != nil {
		t.Errorf("a question %s", problem)
	}
}

// leakServer is a server whose questions end that way, and the call that
// makes it ask.
func leakServer(t *testing.T, transport string, way ending) (servers string, call elicit.Call) {
	if transport == "stdio" {
		return local(t, "raw", ""), callFor(ann, "s", "script", steps(sends(batchOfQuestions()), way.script))
	}
	s := newRawHTTP(t, false, nil)
	in := sorted(s)
	all := batchOfQuestions()
	s.call = func(x *exchangeHTTP) {
		x.stream()
		for _, q := range all {
			x.event("", q)
		}
		way.http(x, in)
		x.event("", x.text("over"))
	}
	return remote(s.srv.URL, ""), callFor(ann, "s", "run", "")
}

// footprint is what this process holds.
type footprint struct{ goroutines, files, children int }

func (f footprint) plus(g footprint) footprint {
	return footprint{f.goroutines + g.goroutines, f.files + g.files, f.children + g.children}
}

func takeFootprint(t *testing.T) footprint {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	children := 0
	for _, file := range processes {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state ppid ...; the dead that nobody collected count, too
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == fmt.Sprint(os.Getpid()) {
			children++
		}
	}
	return footprint{runtime.NumGoroutine(), len(files), children}
}

// shrinksTo waits until the process holds no more than that.
func shrinksTo(t *testing.T, limit footprint) (footprint, bool) {
	t.Helper()
	end := time.After(patience)
	for {
		now := takeFootprint(t)
		if now.goroutines <= limit.goroutines && now.files <= limit.files && now.children <= limit.children {
			return now, true
		}
		select {
		case <-end:
			return now, false
		case <-time.After(time.Millisecond):
		}
	}
}
