package mcpclient

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// manualClock is a clock that moves when it is told to.
type manualClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *manualClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *manualClock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func TestWorkTime_StandsStillWhileAQuestionIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := newWorkTime(time.Minute, time.Now, time.After)
		spent := make(chan time.Duration, 1)
		go func() {
			if w.spent(t.Context()) {
				spent <- time.Since(start)
			}
		}()
		<-time.After(30 * time.Second)
		w.pause()
		<-time.After(2 * time.Minute)
		w.pause() // two questions at once
		<-time.After(5 * time.Minute)
		w.resume()
		<-time.After(time.Hour)
		w.resume()
		got := <-spent
		if want := time.Minute + 7*time.Minute + time.Hour; got != want {
			t.Errorf("the time was spent after %s, want %s", got, want)
		}
	})
}

func TestWorkTime_EndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := newWorkTime(time.Minute, time.Now, time.After)
		w.pause()
		spent := make(chan bool, 1)
		go func() { spent <- w.spent(ctx) }()
		synctest.Wait()
		cancel()
		if <-spent {
			t.Error("a call that has ended ran out of time")
		}
	})
}

func TestCall_WorkingTimeRunsOutAndTheServerIsTold(t *testing.T) {
	alarm := make(chan time.Time)
	clock := &manualClock{at: time.Unix(0, 0)}
	s := newRawHTTP(t, false, func(x *exchangeHTTP) {
		x.stream()
		x.event("", ask("3"))
		x.response("3")
		x.event("", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`) // keeps nothing alive
		<-x.closed()
	})
	w := newWorld(t, remote(s.srv.URL, `"timeout":"7s"`), func(o *Options) {
		o.Now = clock.now
		o.After = func(d time.Duration) <-chan time.Time {
			if d > 2*time.Second && d <= 7*time.Second && d != stopGrace {
				return alarm
			}
			return time.After(d)
		}
	})
	done := w.start(t.Context(), callFor(ann, "s", "run", ""))
	q := w.question()
	clock.add(time.Hour) // the person thinks; nobody listens to the alarm
	q.answer(t, accept(`{}`))
	clock.add(8 * time.Second)
	var out outcome
	select {
	case alarm <- time.Time{}:
		out = receiveFrom(t, done, "the end of the call")
	case out = <-done: // the clock was read after it had moved
	case <-time.After(patience):
		t.Fatal("the clock of the call does not run after the answer")
	}
	e := wantError[*TimeoutError](t, out.err)
	if e.Limit != 7*time.Second {
		t.Errorf("the limit was %s, want 7s", e.Limit)
	}
	if n := len(s.all(method("notifications/cancelled"))); n != 1 {
		t.Errorf("the server was told %d times, want once", n)
	}
}

func TestWorkTime_ProgressStartsTheLimitAnewButNotForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := newWorkTime(time.Minute, time.Now, time.After)
		spent := make(chan time.Duration, 1)
		go func() {
			if w.spent(t.Context()) {
				spent <- time.Since(start)
			}
		}()
		for range 8 { // four minutes of work
			<-time.After(30 * time.Second)
			w.progressed()
		}
		w.pause()
		<-time.After(time.Hour) // a person thinks
		w.progressed()
		w.resume()
		select {
		case d := <-spent:
			t.Fatalf("the time was spent after %s although progress was reported", d)
		default:
		}
		for {
			select {
			case <-time.After(30 * time.Second):
				w.progressed()
				continue
			case got := <-spent:
				if want := time.Hour + maxLimits*time.Minute; got != want {
					t.Errorf("progress for ever ended after %s, want %s", got, want)
				}
			}
			return
		}
	})
}
