package chaos

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// fleet are the replicas: processes of the real binary, each in a slot. A slot
// whose process ends gets another one, as a supervisor would do it.
type fleet struct {
	t      *testing.T
	binary string
	dir    string
	env    []string

	mu       sync.Mutex
	slots    []*replica // nil: none at the moment
	all      []*replica
	stopping bool
	watchers sync.WaitGroup
	oddities []string // processes that ended by themselves
}

// replica is one process.
type replica struct {
	name string // slot.generation
	slot int
	cmd  *exec.Cmd
	log  string
	done chan struct{}

	mu      sync.Mutex
	ordered bool // its end
	paused  bool
	started time.Time
	ended   time.Time
}

// build builds the binary once.
func build(t *testing.T, dir string, race bool) string {
	t.Helper()
	out := filepath.Join(dir, "slackbridge")
	args := []string{"build", "-o", out}
	if race {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, "github.com/slackbridge/slackbridge/cmd/slackbridge")...)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building slackbridge: %v\n%s", err, msg)
	}
	return out
}

// start runs a process in a slot that has none.
func (f *fleet) start(slot int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopping || f.slots[slot] != nil {
		return
	}
	generation := 1
	for _, r := range f.all {
		if r.slot == slot {
			generation++
		}
	}
	r := &replica{name: fmt.Sprintf("%d.%d", slot, generation), slot: slot, done: make(chan struct{}), started: time.Now()}
	r.log = filepath.Join(f.dir, "replica-"+r.name+".log")
	stderr, err := os.Create(r.log)
	if err != nil {
		f.oddities = append(f.oddities, err.Error())
		return
	}
	r.cmd = exec.Command(f.binary, "serve")
	r.cmd.Env = append(os.Environ(), append(f.env, replicaVariable+"="+r.name, "SLACKBRIDGE_AUDIT_FILE="+filepath.Join(f.dir, "audit-"+r.name+".jsonl"))...)
	r.cmd.Stderr = stderr
	if err := r.cmd.Start(); err != nil {
		f.oddities = append(f.oddities, "starting a replica: "+err.Error())
		return
	}
	f.slots[slot] = r
	f.all = append(f.all, r)
	f.watchers.Go(func() { f.watch(r, stderr) })
}

// watch takes note of the end of a process. One that could not start, because
// Redis or Slack were out of reach, is started again.
func (f *fleet) watch(r *replica, stderr *os.File) {
	err := r.cmd.Wait()
	_ = stderr.Close()
	r.mu.Lock()
	r.ended = time.Now()
	ordered := r.ordered
	r.mu.Unlock()
	close(r.done)
	f.mu.Lock()
	if f.slots[r.slot] == r {
		f.slots[r.slot] = nil
	}
	stopping := f.stopping
	text, readErr := os.ReadFile(r.log)
	if wasUp := bytes.Contains(text, []byte("slackbridge is up")); !ordered && !stopping && (wasUp || readErr != nil) {
		f.oddities = append(f.oddities, fmt.Sprintf("replica %s ended by itself: %v; its log ends with\n%s", r.name, err, tail(text, 12)))
	}
	f.mu.Unlock()
	if !ordered && !stopping {
		time.Sleep(300 * time.Millisecond) // a supervisor backs off
		f.start(r.slot)
	}
}

func tail(text []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// live lists the processes that run and are not suspended.
func (f *fleet) live() []*replica {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []*replica
	for _, r := range f.slots {
		if r == nil {
			continue
		}
		r.mu.Lock()
		if !r.paused && !r.ordered {
			out = append(out, r)
		}
		r.mu.Unlock()
	}
	return out
}

func (r *replica) signal(sig syscall.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch sig {
	case syscall.SIGSTOP:
		r.paused = true
	case syscall.SIGCONT:
		r.paused = false
	case syscall.SIGKILL, syscall.SIGTERM:
		r.ordered = true
	}
	if err := r.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		fmt.Fprintf(os.Stderr, "signalling replica %s: %v\n", r.name, err)
	}
}

// gone reports whether the process with that name has ended, or was never one.
func (f *fleet) gone(name string) (bool, time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.all {
		if r.name == name {
			r.mu.Lock()
			defer r.mu.Unlock()
			return !r.ended.IsZero(), r.ended
		}
	}
	return true, time.Time{}
}

// heal lets suspended processes go on and fills every slot.
func (f *fleet) heal() {
	f.mu.Lock()
	slots := append([]*replica(nil), f.slots...)
	f.mu.Unlock()
	for _, r := range slots {
		if r == nil {
			continue
		}
		r.mu.Lock()
		paused := r.paused
		r.mu.Unlock()
		if paused {
			r.signal(syscall.SIGCONT)
		}
	}
	for i := range slots {
		f.start(i)
	}
}

// stop ends every process and returns what went wrong with them.
func (f *fleet) stop() []string {
	f.mu.Lock()
	f.stopping = true
	all := append([]*replica(nil), f.all...)
	f.mu.Unlock()
	for _, r := range all {
		if gone, _ := f.gone(r.name); !gone {
			r.signal(syscall.SIGCONT)
			r.signal(syscall.SIGKILL)
		}
	}
	f.watchers.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.oddities
	for _, r := range all {
		text, err := os.ReadFile(r.log)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		for _, bad := range []string{"panic:", "DATA RACE", "fatal error:"} {
			if i := bytes.Index(text, []byte(bad)); i >= 0 {
				out = append(out, fmt.Sprintf("replica %s: %s", r.name, text[i:min(len(text), i+3000)]))
			}
		}
	}
	return out
}
