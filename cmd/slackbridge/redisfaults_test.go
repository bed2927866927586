package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/redistest"
	"github.com/slackbridge/slackbridge/internal/slacksim"
)

const typedOnce = `{"action":"accept","content":{"cluster":"prod-eu","window":"typed once","confirm":true}}`

// hasFilledAForm is the situation in which a fault is worst: all is typed.
func (h human) hasFilledAForm() (question slacksim.Message) {
	h.w.t.Helper()
	h.types(deployCommand)
	h.form()
	q := h.seesQuestion("deploy", "Cluster")
	h.fills("Cluster", "prod-eu")
	h.fills("Maintenance window", "typed once")
	h.fills("Confirm", "Yes")
	return q
}

// isTold submits, and sees that it did not work and that nothing is lost.
func (h human) isTold() {
	h.w.t.Helper()
	h.submits()
	m := h.form()
	if !anyError(m) || value(m, "Maintenance window") != "typed once" {
		h.w.t.Errorf("the form shows no error, or not what was typed: %+v", m)
	}
}

// submitsUntilTaken does what a person does who is told to try again.
func (h human) submitsUntilTaken() {
	h.w.t.Helper()
	h.w.wait(h.id+"'s form is taken", func() bool {
		if m, open := h.p.Modal(); !open || len(m.Fields) == 0 {
			return true
		}
		h.submits()
		return false
	})
}

func TestRedis_FaultIsShownKeepsWhatWasTypedAndTheSameClickWorksAfterwards(t *testing.T) {
	sideBySide(t)
	for name, fault := range map[string]struct{ begin, end func(*world) }{
		"ReadOnly": {
			begin: func(w *world) { w.redis.Do("REPLICAOF", "127.0.0.1", "1") },
			end:   func(w *world) { w.redis.Do("REPLICAOF", "NO", "ONE") },
		},
		"MemoryFull": {
			begin: func(w *world) { w.redis.Do("CONFIG", "SET", "maxmemory", "1") },
			end:   func(w *world) { w.redis.Do("CONFIG", "SET", "maxmemory", "100mb") },
		},
		"Unreachable": {
			begin: func(w *world) { w.proxy.Down() },
			end:   func(w *world) { w.proxy.Up() },
		},
		"Slow": {
			begin: func(w *world) { w.proxy.Delay(0, 2*time.Second) },
			end:   func(w *world) { w.proxy.Delay(0, 0) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			sideBySide(t)
			w := newWorld(t, worldOptions{proxied: true})
			w.replica()
			ann := w.human("U_ANN")
			q := ann.hasFilledAForm()
			fault.begin(w)
			ann.isTold()
			ann.presses(q, "Decline")
			ann.sees("could not be recorded")
			ann.types("/mcp deploy.restart_service service=payments")
			w.wait("the command is answered", func() bool {
				n := 0
				for _, m := range ann.all() {
					if holdsAll(m.Text, []string{"could not be recorded"}) {
						n++
					}
				}
				return n == 2
			})
			if got := w.received(); len(got) != 0 {
				t.Fatalf("something was answered that was not recorded: %q", got)
			}
			fault.end(w)
			ann.submitsUntilTaken()
			w.wantReceived(typedOnce)
			ann.becomes(q, "Accepted by", "Ann")
			ann.sees("Deployed payments 2.3.1 to prod-eu")
			ann.types("/mcp deploy.restart_service service=payments")
			ann.presses(ann.seesQuestion("Restart payments"), "Accept")
			w.wantReceived(typedOnce, `{"action":"accept","content":{}}`)
		})
	}
}

func TestRedis_ConnectionResetInTheMiddleOfADecideIsNotNoticed(t *testing.T) {
	sideBySide(t)
	isDecide := func(r redistest.Request) bool {
		return (r.Is("evalsha") || r.Is("eval")) && r.Has(string(elicit.Accept))
	}
	for name, cut := range map[string]func(*redistest.Proxy) <-chan struct{}{
		"BeforeTheScriptRan": func(p *redistest.Proxy) <-chan struct{} { return p.CutRequest(isDecide, 100) },
		"AfterTheScriptRan":  func(p *redistest.Proxy) <-chan struct{} { return p.CutReply(isDecide) },
	} {
		t.Run(name, func(t *testing.T) {
			sideBySide(t)
			w := newWorld(t, worldOptions{proxied: true})
			w.replica()
			ann := w.human("U_ANN")
			ann.types("/mcp deploy.restart_service service=payments") // so that Redis knows the script
			ann.presses(ann.seesQuestion("Restart payments"), "Accept")
			ann.sees("Restarted payments")
			q := ann.hasFilledAForm()
			struck := cut(w.proxy)
			ann.submits()
			ann.hasNoForm()
			w.wantReceived(`{"action":"accept","content":{}}`, typedOnce)
			ann.becomes(q, "Accepted by", "Ann")
			select {
			case <-struck:
			default:
				t.Error("no connection was cut")
			}
		})
	}
}

func TestRedis_ScriptCacheEmptiedUnderAnOpenFormIsNotNoticed(t *testing.T) {
	sideBySide(t)
	w := newWorld(t, worldOptions{})
	w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=payments")
	ann.presses(ann.seesQuestion("Restart payments"), "Accept")
	ann.sees("Restarted payments")
	w.redis.Do("SCRIPT", "FLUSH")
	q := ann.hasFilledAForm()
	w.redis.Do("SCRIPT", "FLUSH")
	ann.submits()
	ann.hasNoForm()
	w.wantReceived(`{"action":"accept","content":{}}`, typedOnce)
	ann.becomes(q, "Accepted by", "Ann")
}

func TestFailover_FormThatWasOpenIsAnsweredAfterwards(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: a master dies")
	}
	sideBySide(t)
	play := func(t *testing.T, url string, kill, promoted func()) {
		w := newWorld(t, worldOptions{redisURL: url})
		w.replica()
		ann := w.human("U_ANN")
		q := ann.hasFilledAForm()
		kill()
		ann.isTold()
		if got := w.received(); len(got) != 0 {
			t.Fatalf("something was answered that was not recorded: %q", got)
		}
		promoted()
		ann.submitsUntilTaken()
		w.wantReceived(typedOnce)
		ann.becomes(q, "Accepted by", "Ann")
		ann.types("/mcp deploy.restart_service service=payments")
		ann.presses(ann.seesQuestion("Restart payments"), "Accept")
		w.wantReceived(typedOnce, `{"action":"accept","content":{}}`)
	}
	t.Run("sentinel", func(t *testing.T) {
		sideBySide(t)
		s := redistest.StartSentinel(t)
		var old *redistest.Server
		play(t, s.URL, func() { s.WaitReplicated(); old = s.KillMaster() }, func() { s.WaitPromoted(old) })
	})
	t.Run("cluster", func(t *testing.T) {
		sideBySide(t)
		c := redistest.StartCluster(t)
		const ours = "{sb:T_HOME}:" // the hash tag of the simulated workspace
		var old *redistest.Server
		play(t, c.URL, func() { c.WaitReplicated(ours); old = c.KillMasterOf(ours) }, func() { c.WaitPromoted(ours, old) })
	})
}

func TestReadyz_SaysSoWhenRedisTakesNoWrites(t *testing.T) {
	w := newWorld(t, worldOptions{})
	a, _ := w.replica()
	status := func() int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+a.listen.Addr().String()+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	for _, to := range [][]any{{"REPLICAOF", "127.0.0.1", "1"}, {"REPLICAOF", "NO", "ONE"}} {
		want := http.StatusServiceUnavailable
		if to[2] == "ONE" {
			want = http.StatusOK
		}
		w.redis.Do(to...)
		w.wait("/readyz follows Redis", func() bool { return status() == want })
	}
}
