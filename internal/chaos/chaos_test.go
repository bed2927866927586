package chaos

import (
	"bytes"
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

var (
	seedFlag      = flag.Uint64("chaos.seed", 0, "seed of everything that is random; 0: another one each time")
	questionsFlag = flag.Int("chaos.questions", 30, "how many questions are asked")
	replicasFlag  = flag.Int("chaos.replicas", 2, "how many replicas run")
	durationFlag  = flag.Duration("chaos.duration", 14*time.Second, "how long people act and things go wrong")
	raceFlag      = flag.Bool("chaos.race", false, "build the replicas with the race detector")
	keepFlag      = flag.String("chaos.keep", "", "directory for the logs of the replicas; default: kept only after a failure")
)

// gentleBelow is the duration below which nothing is done that takes long to
// get over.
const gentleBelow = 60 * time.Second

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		os.Exit(serveAsChild(dir))
	}
	os.Exit(m.Run())
}

// suite is one run.
type suite struct {
	t       *testing.T
	dir     string
	seed    uint64
	sim     *slacksim.Sim
	servers *servers
	fleet   *fleet
	store   *store
	crowd   *crowd
	board   *board
	trouble *trouble
}

func TestChaos_NoAnswerIsLostOrDoubled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	s := newSuite(t)
	begin := time.Now()
	s.play()
	s.trouble.heal()
	converged := s.converge()
	s.report(begin, converged)
}

func newSuite(t *testing.T) *suite {
	t.Helper()
	s := &suite{t: t, seed: *seedFlag, dir: *keepFlag}
	if s.seed == 0 {
		s.seed = rand.Uint64N(1_000_000)
	}
	t.Logf("seed %d: go test ./internal/chaos -chaos.seed %d -chaos.questions %d -chaos.replicas %d -chaos.duration %s", s.seed, s.seed, *questionsFlag, *replicasFlag, *durationFlag)
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "slackbridge-chaos-")
		if err != nil {
			t.Fatal(err)
		}
		s.dir = dir
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("the logs of the replicas are in %s", dir)
				return
			}
			_ = os.RemoveAll(dir)
		})
	}
	gentle := *durationFlag < gentleBelow
	limits := deadlines{form: 20 * time.Second, confirm: 15 * time.Second, durable: 25 * time.Second}
	reach, people := 8*time.Second, 8
	if gentle {
		limits, reach, people = deadlines{form: 9 * time.Second, confirm: 7 * time.Second, durable: 10 * time.Second}, 2*time.Second, 5
	}
	const drain = 3 * time.Second
	w, ids, channels := workspace(people)
	sim, err := slacksim.Start(slacksim.Options{Workspace: &w, MessageInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Close() })
	s.sim, s.board = sim, newBoard(sim)
	s.servers = startServers(t, s.dir)
	s.store = startStore(t)
	policy := filepath.Join(s.dir, "policy.yaml")
	if err := os.WriteFile(policy, []byte(limits.policy()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.fleet = &fleet{
		t: t, dir: s.dir, binary: build(t, s.dir, *raceFlag), slots: make([]*replica, *replicasFlag),
		env: []string{
			"SLACK_BOT_TOKEN=" + sim.BotToken(), "SLACK_APP_TOKEN=" + sim.AppToken(), "SLACK_API_URL=" + sim.APIURL(),
			"REDIS_URL=" + s.store.url(), "SLACKBRIDGE_SEAL_KEYS=" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)),
			"SLACKBRIDGE_SERVERS=" + s.servers.file, "SLACKBRIDGE_POLICY=" + policy, "SLACKBRIDGE_LISTEN=127.0.0.1:0",
			"SLACKBRIDGE_DRAIN=" + drain.String(), "LOG_LEVEL=debug", "LOG_FORMAT=json",
		},
	}
	t.Cleanup(func() { s.fleet.stop() })
	for i := range s.fleet.slots {
		s.fleet.start(i)
	}
	ready, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := sim.Wait(ready, func() bool { return sim.Sockets() >= *replicasFlag }); err != nil {
		t.Fatalf("the replicas do not come up: %v\n%v", err, s.fleet.stop())
	}
	s.crowd = &crowd{
		sim: sim, board: s.board, seed: s.seed, ids: ids, channels: channels, reach: reach,
		servers: []string{serverDurable, serverHTTP, serverChild}, questions: map[string]*question{}, last: map[string]time.Time{},
	}
	s.trouble = &trouble{
		sim: sim, fleet: s.fleet, store: s.store, servers: s.servers, drain: drain, gentle: gentle,
		rng: rand.New(rand.NewPCG(s.seed, 0)),
	}
	return s
}

// play has people act while things go wrong.
func (s *suite) play() {
	ctx, cancel := context.WithTimeout(s.t.Context(), *durationFlag)
	defer cancel()
	begin := time.Now()
	var vain atomic.Int64       // calls that came to nothing, which are made up for
	s.crowd.pace = func() int { // all are asked when 4/5 of the time is over
		due := int(float64(*questionsFlag) * float64(time.Since(begin)) / (0.8 * float64(*durationFlag)))
		return min(1+due, *questionsFlag) + int(vain.Load())
	}
	go func() { // ends with ctx
		for ctx.Err() == nil {
			pause(ctx, 2*time.Second)
			vain.Store(int64(s.inVain()))
		}
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.crowd.run(ctx)
	}()
	for ctx.Err() == nil {
		pause(ctx, s.trouble.between(300*time.Millisecond, 2500*time.Millisecond))
		if ctx.Err() == nil {
			s.trouble.one()
		}
	}
	<-done
}

// inVain counts the calls that did not come to their question within 5 s.
func (s *suite) inVain() int {
	m := s.wire()
	s.crowd.mu.Lock()
	defer s.crowd.mu.Unlock()
	n := 0
	for nonce, q := range s.crowd.questions {
		if len(m.asked[nonce]) == 0 && time.Since(q.started) > 5*time.Second {
			n++
		}
	}
	return n
}

// patience is how long everything may take to come right. A card that could
// not be drawn is tried again after 20 s, a heading after a minute.
const patience = 150 * time.Second

// converge waits until nothing is left to do, and returns how long it took.
func (s *suite) converge() time.Duration {
	begin := time.Now()
	quiet := 0
	for time.Since(begin) < patience {
		s.board.refresh()
		if len(s.unfinished()) == 0 {
			quiet++
		} else {
			quiet = 0
		}
		if quiet == 5 { // what comes twice comes soon after
			break
		}
		time.Sleep(300 * time.Millisecond)
	}
	return time.Since(begin)
}

// unfinished lists what is still to come right.
func (s *suite) unfinished() []string {
	var out []string
	for _, c := range append(s.board.openCards(), s.board.openHeadings()...) {
		out = append(out, "message "+c.ts+" of "+c.nonce)
	}
	for nonce, all := range s.wire().asked {
		for _, a := range all {
			if len(a.answers) == 0 && a.ended.IsZero() && a.server != serverDurable {
				out = append(out, nonce)
			}
		}
	}
	return out
}

func (s *suite) wire() model { return readWire(s.events()) }

func (s *suite) events() []wireEvent {
	events, err := s.servers.wire.all()
	if err != nil {
		s.t.Fatalf("reading the wire: %v", err)
	}
	for i, e := range events { // a child that was killed says no farewell
		if e.Server == serverChild && !alive(childPID(e.Conn)) && (i+1 == len(events) || !slices.ContainsFunc(events[i+1:], func(o wireEvent) bool { return o.Conn == e.Conn })) && e.Dir != dirEnd {
			e.Dir, e.Message = dirEnd, nil
			events = append(events, e)
		}
	}
	return events
}

func (s *suite) evidence() *evidence {
	s.board.refresh()
	e := &evidence{
		model: s.wire(), board: s.board, questions: s.crowd.questions, order: s.crowd.order,
		acts: map[string][]act{}, faults: s.trouble.faults, gone: s.fleet.gone,
	}
	for _, a := range s.crowd.acts {
		e.acts[a.nonce] = append(e.acts[a.nonce], a)
	}
	witness := s.sim.Person("U_ANN")
	seen := map[string]bool{}
	for _, c := range s.crowd.channels {
		for _, m := range witness.Messages(c) {
			for _, r := range append([]slacksim.Message{m}, witness.Thread(c, m.TS)...) {
				if !seen[r.TS] {
					seen[r.TS] = true
					e.messages = append(e.messages, r)
				}
			}
		}
	}
	return e
}

// report judges the run and prints what came of it.
func (s *suite) report(begin time.Time, converged time.Duration) {
	e := s.evidence()
	v := e.judge()
	for _, f := range s.crowd.findings {
		v.fail("I5", nonceForm.FindString(f), "%s", f)
	}
	for _, o := range s.fleet.stop() {
		v.fail("process", "", "%s", o)
	}
	s.t.Logf("%s", s.table(v, e, time.Since(begin), converged))
	byRule := map[string]int{}
	for _, r := range v.remarks {
		if byRule[r.rule]++; byRule[r.rule] <= 3 {
			s.t.Logf("remark (%s) %s: %s", r.rule, r.nonce, r.text)
			if byRule[r.rule] == 1 && r.nonce != "" {
				s.t.Log(s.timeline(e, r.nonce))
			}
		}
	}
	shown := map[string]bool{}
	for i, f := range v.findings {
		s.t.Errorf("%s %s: %s", f.rule, f.nonce, f.text)
		if f.nonce != "" && !shown[f.nonce] && i < 40 {
			shown[f.nonce] = true
			s.t.Log(s.timeline(e, f.nonce))
		}
	}
	if s.t.Failed() {
		s.t.Logf("again: go test ./internal/chaos -chaos.seed %d -chaos.questions %d -chaos.replicas %d -chaos.duration %s", s.seed, *questionsFlag, *replicasFlag, *durationFlag)
	}
}

// table are the totals.
func (s *suite) table(v *verdict, e *evidence, took, converged time.Duration) string {
	var b strings.Builder
	line := func(what string, n any) { fmt.Fprintf(&b, "  %-58s %v\n", what, n) }
	fmt.Fprintf(&b, "totals of seed %d:\n", s.seed)
	line("replicas", *replicasFlag)
	line("processes started", len(s.fleet.all))
	line("took", took.Round(time.Second))
	line("came right after healing in", converged.Round(100*time.Millisecond))
	stranger := 0
	for _, a := range s.crowd.acts {
		if q := s.crowd.questions[a.nonce]; q != nil && q.requester != a.who {
			stranger++
		}
	}
	line("acts of people", len(s.crowd.acts))
	line("acts of strangers", stranger)
	kinds := map[string]int{}
	for _, f := range s.trouble.faults {
		if f.kind != "SIGCONT" && f.kind != "healed" && f.kind != "orderly stop" {
			kinds[f.kind]++
			kinds["faults"]++
		}
	}
	for _, name := range sortedKeys(kinds) {
		line("fault: "+name, kinds[name])
	}
	for _, name := range []string{"answers lost", "answers doubled", "answers told as lost", "dead buttons"} {
		v.count[name] += 0
	}
	for _, name := range sortedKeys(v.count) {
		line(name, v.count[name])
	}
	line("findings", len(v.findings))
	return b.String()
}

func sortedKeys(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
