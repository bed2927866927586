package chaos

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// fault is one thing that was made to go wrong.
type fault struct {
	kind   string
	detail string
	begin  time.Time
	end    time.Time
}

// trouble makes things go wrong. It is used by one goroutine; what ends later
// ends in goroutines that heal waits for.
type trouble struct {
	sim     *slacksim.Sim
	fleet   *fleet
	store   *store
	servers *servers
	rng     *rand.Rand
	drain   time.Duration
	gentle  bool // nothing that takes long to get over

	later sync.WaitGroup

	mu     sync.Mutex
	faults []fault
}

// kinds of faults by how often they happen.
func (t *trouble) kinds() []kind {
	all := []kind{
		{"kill -9", 5, t.kill},
		{"SIGTERM", 3, t.term},
		{"SIGSTOP", 4, t.suspend},
		{"Redis paused", 2, t.pauseRedis},
		{"Redis restarted", 2, t.restartRedis},
		{"SCRIPT FLUSH", 2, t.flushScripts},
		{"CLIENT KILL", 2, t.killClients},
		{"Slack faulty", 6, t.slack},
		{"socket closed", 2, t.socket},
		{"MCP connections cut", 1, t.cut},
		{"MCP child killed", 1, t.killChild},
	}
	if !t.gentle {
		all = append(all, kind{"Redis failover", 2, t.failover}, kind{faultAnswersLost, 2, t.dropAnswers})
	}
	return all
}

// faultAnswersLost is Slack carrying calls out and its answers not arriving:
// what was posted then may stand twice.
const faultAnswersLost = "Slack's answers lost"

type kind struct {
	name string
	of   int
	do   func() string
}

// one makes one thing go wrong.
func (t *trouble) one() {
	sum := 0
	for _, k := range t.kinds() {
		sum += k.of
	}
	roll := t.rng.IntN(sum)
	for _, k := range t.kinds() {
		if roll -= k.of; roll < 0 {
			f := fault{kind: k.name, begin: time.Now()}
			f.detail = k.do()
			t.note(f)
			return
		}
	}
}

func (t *trouble) note(f fault) {
	f.end = time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = append(t.faults, f)
}

func (t *trouble) between(from, to time.Duration) time.Duration {
	return from + time.Duration(t.rng.Int64N(int64(to-from)))
}

func (t *trouble) victim() *replica {
	live := t.fleet.live()
	if len(live) == 0 {
		return nil
	}
	return live[t.rng.IntN(len(live))]
}

func (t *trouble) restartLater(slot int, after time.Duration) {
	t.later.Go(func() {
		time.Sleep(after)
		t.fleet.start(slot)
	})
}

func (t *trouble) kill() string {
	r := t.victim()
	if r == nil {
		return "none lived"
	}
	r.signal(syscall.SIGKILL)
	<-r.done
	t.restartLater(r.slot, t.between(200*time.Millisecond, 3*time.Second))
	return "replica " + r.name
}

// term stops a replica in order. The next one starts when it has ended, which
// must be before a supervisor would kill it.
func (t *trouble) term() string {
	r := t.victim()
	if r == nil {
		return "none lived"
	}
	r.signal(syscall.SIGTERM)
	t.later.Go(func() {
		begin := time.Now()
		select {
		case <-r.done:
			t.note(fault{kind: "orderly stop", detail: fmt.Sprintf("replica %s took %s", r.name, time.Since(begin).Round(time.Millisecond)), begin: begin})
		case <-time.After(t.drain + 25*time.Second):
			t.note(fault{kind: "orderly stop too slow", detail: "replica " + r.name, begin: begin})
			r.signal(syscall.SIGKILL)
			<-r.done
		}
		t.fleet.start(r.slot)
	})
	return "replica " + r.name
}

func (t *trouble) suspend() string {
	r := t.victim()
	if r == nil {
		return "none lived"
	}
	d := t.between(time.Second, 6*time.Second)
	if !t.gentle && t.rng.IntN(3) == 0 {
		d = t.between(9*time.Second, 20*time.Second) // longer than its lease
	}
	r.signal(syscall.SIGSTOP)
	t.later.Go(func() {
		begin := time.Now()
		select {
		case <-time.After(d):
		case <-r.done:
		}
		r.signal(syscall.SIGCONT)
		t.note(fault{kind: "SIGCONT", detail: "replica " + r.name, begin: begin})
	})
	return fmt.Sprintf("replica %s for %s", r.name, d.Round(time.Millisecond))
}

func (t *trouble) pauseRedis() string {
	d := t.between(time.Second, 4*time.Second)
	t.store.master.Pause()
	time.Sleep(d)
	t.store.master.Resume()
	return d.Round(time.Millisecond).String()
}

func (t *trouble) restartRedis() string {
	t.store.master.Stop()
	t.store.proxy.drop()
	d := t.between(0, time.Second)
	time.Sleep(d)
	t.store.master.Restart()
	return "down for " + d.Round(time.Millisecond).String()
}

func (t *trouble) failover() string {
	t.store.failover()
	return "now " + t.store.master.Addr
}

func (t *trouble) flushScripts() string {
	out, err := t.store.do(t.store.master.Addr, "SCRIPT", "FLUSH")
	return fmt.Sprint(out, err)
}

func (t *trouble) killClients() string {
	out, err := t.store.do(t.store.master.Addr, "CLIENT", "KILL", "TYPE", "normal")
	return fmt.Sprint(out, " ", err)
}

// slack makes one method, or all that write, go wrong for some seconds.
func (t *trouble) slack() string {
	methods := []string{"chat.postMessage", "chat.update", "chat.postEphemeral", "views.open", "views.update"}
	if t.rng.IntN(3) > 0 {
		i := t.rng.IntN(len(methods))
		methods = methods[i : i+1]
	}
	f := slacksim.Fault{Times: -1}
	var what string
	switch t.rng.IntN(5) {
	case 0:
		f.RetryAfter = t.between(time.Second, 4*time.Second)
		what = "429"
	case 1:
		f.Status = 503
		what = "503"
	case 2:
		f.Status = 500
		what = "500"
	case 3:
		f.Delay = t.between(time.Second, 4*time.Second)
		what = "slow"
	case 4:
		f.Error = "internal_error"
		what = f.Error
	}
	d := t.between(time.Second, 5*time.Second)
	if !t.gentle && t.rng.IntN(4) == 0 {
		d = t.between(8*time.Second, 15*time.Second)
	}
	if f.Error != "" {
		d = min(d, 3*time.Second) // calls fail at once: people would do nothing else
	}
	t.spoil(methods, f, d)
	return fmt.Sprintf("%s at %v for %s", what, methods, d.Round(time.Millisecond))
}

func (t *trouble) spoil(methods []string, f slacksim.Fault, d time.Duration) {
	for _, m := range methods {
		t.sim.Fault(m, f)
	}
	time.Sleep(d)
	t.sim.ClearFaults()
}

func (t *trouble) dropAnswers() string {
	method := []string{"chat.postMessage", "chat.update", "chat.postEphemeral", "views.open", "views.update"}[t.rng.IntN(5)]
	d := t.between(500*time.Millisecond, 2*time.Second)
	t.spoil([]string{method}, slacksim.Fault{Times: -1, Drop: true}, d)
	return fmt.Sprintf("%s for %s", method, d.Round(time.Millisecond))
}

func (t *trouble) socket() string {
	reasons := []string{"refresh_requested", "link_disabled", "warning"}
	reason := reasons[t.rng.IntN(len(reasons))]
	t.sim.Disconnect(reason)
	return reason
}

func (t *trouble) cut() string {
	name := []string{serverHTTP, serverDurable}[t.rng.IntN(2)]
	t.servers.dropConnections(name)
	return name
}

func (t *trouble) killChild() string {
	out, err := t.servers.killAChild(t.rng.IntN)
	if err != nil {
		return err.Error()
	}
	return out
}

// heal makes everything work again.
func (t *trouble) heal() {
	t.sim.ClearFaults()
	t.store.master.Resume()
	t.fleet.heal()
	t.later.Wait()
	t.fleet.heal()
	t.note(fault{kind: "healed", begin: time.Now()})
}
