package mcpclient

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// What fails today. Each test says what is right; take out its Skip with the
// mend.

func TestBug_CallAfterAServerBecameDurableFails(t *testing.T) {
	t.Run("stdio", func(t *testing.T) { afterRestart(t, changingStdio(t), blocking, modern, 1) })
	t.Run("http", func(t *testing.T) { afterRestart(t, changingHTTP(t), blocking, modern, 1) })
}

func TestBug_HTTPServerThatBecameBlockingIsNeverSpokenToSo(t *testing.T) {
	afterRestart(t, changingHTTP(t), modern, blocking, 3)
}

func TestBug_ProgressIsSentAfterTheAnswer(t *testing.T) {
	wire := t.TempDir() + "/wire"
	t.Setenv(wireVariable, wire)
	answered := make(chan struct{})
	w := newWorld(t, local(t, "raw", ""), func(o *Options) {
		o.ProgressInterval = crowdProgress
		o.After = func(d time.Duration) <-chan time.Time {
			if d != crowdProgress {
				return time.After(d)
			}
			<-answered
			now := make(chan time.Time)
			close(now)
			return now
		}
	})
	const many = 30 // each goes wrong in one of two cases
	var all []string
	for n := range many {
		all = append(all, secretQuestion(fmt.Sprint(n), "token"))
	}
	done := w.start(t.Context(), callFor(ann, "s", "script", steps(sends(all), fmt.Sprintf(`{"await":%d}`, many))))
	for range many {
		w.question().answer(t, accept(`{}`))
	}
	receiveFrom(t, done, "the result").texts(t)
	w.host.mu.Lock()
	c := w.host.pools[poolKey{"s", ann}].idle[0]
	w.host.mu.Unlock()
	close(answered)
	c.asked.Wait()
	w.call("s", "pid", "").texts(t) // the server has read all before it
	heard, err := os.ReadFile(wire)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(heard), "notifications/progress"); n > 0 {
		t.Errorf("%d notes of progress followed the answers to %d questions", n, many)
	}
}
