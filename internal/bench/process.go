package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// startTimeout bounds the start of a child, readyPoll is between two looks.
const (
	startTimeout = 30 * time.Second
	readyPoll    = 5 * time.Millisecond
)

// build makes the binary that is measured, as `make build` makes it.
func build(ctx context.Context, dir string, profile bool) (string, error) {
	bin := filepath.Join(dir, "slackbridge")
	args := []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", bin}
	if profile {
		args = append(args, "-tags", "profile")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "github.com/slackbridge/slackbridge/cmd/slackbridge")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building slackbridge: %w\n%s", err, out)
	}
	return bin, nil
}

// child is a process of ours. It dies with this one, however that ends.
type child struct {
	cmd  *exec.Cmd
	log  string // file with what it wrote
	done chan struct{}
}

func start(cmd *exec.Cmd, log string) (*child, error) {
	f, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	cmd.Stderr = f
	if cmd.Stdout == nil {
		cmd.Stdout = f
	}
	dieWithUs(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, log: log, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // we end it ourselves; that it ended too early shows elsewhere
		close(c.done)
	}()
	return c, nil
}

func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may be gone already
	<-c.done
}

// await asks until ready is nil, the child ends or time is up.
func (c *child) await(ctx context.Context, what string, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(readyPoll):
		case <-c.done:
			return fmt.Errorf("%s ended: %s", what, c.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w: %s", what, err, c.lastWords())
		}
	}
}

func (c *child) lastWords() string {
	data, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-2000):])
}

// complaints are the last lines of its log that are more than information.
func (c *child) complaints() string {
	data, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
			out = append(out, line)
		}
	}
	return strings.Join(out[max(0, len(out)-10):], "")
}

// cpu is the processor time that the child has used, in steps of 10 ms.
func (c *child) cpu() (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, ok := bytes.Cut(data, []byte(") "))
	fields := strings.Fields(string(rest))
	if !ok || len(fields) < 13 {
		return 0, errors.New("/proc/PID/stat is not as expected")
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * (time.Second / 100), errors.Join(err1, err2)
}

// resident is how much memory the child holds, in bytes.
func (c *child) resident() (int64, error) {
	text := field(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid), "VmRSS")
	kib, err := strconv.ParseInt(strings.TrimSuffix(text, " kB"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading the memory of a process: %w", err)
	}
	return kib << 10, nil
}

// redisServer is a real Redis of one group.
type redisServer struct {
	*child
	addr   string
	client *redis.Client
}

func startRedis(ctx context.Context, dir string) (*redisServer, error) {
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("redis-server", "--bind", host, "--port", port, "--dir", dir, "--save", "", "--appendonly", "no", "--loglevel", "warning")
	c, err := start(cmd, filepath.Join(dir, "redis.log"))
	if err != nil {
		return nil, fmt.Errorf("starting redis-server (`make deps` installs it): %w", err)
	}
	r := &redisServer{child: c, addr: addr, client: redis.NewClient(&redis.Options{Addr: addr})}
	return r, c.await(ctx, "redis-server", func(ctx context.Context) error { return r.client.Ping(ctx).Err() })
}

func (r *redisServer) stop() {
	_ = r.client.Close() // nothing depends on it any more
	r.kill()
}

// used is how much memory Redis has given to data.
func (r *redisServer) used(ctx context.Context) (int64, error) {
	info, err := r.client.Info(ctx, "memory").Result()
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(info) {
		if v, ok := strings.CutPrefix(line, "used_memory:"); ok {
			return strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		}
	}
	return 0, errors.New("redis does not say how much memory it uses")
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// bot is one replica.
type bot struct {
	*child
	url     string
	profile string // address of its profiles; empty: it has none
}

// startBot runs a replica against the fakes of a world.
func startBot(ctx context.Context, w *world, name string, env ...string) (*bot, error) {
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(w.bin, "serve")
	cmd.Dir = w.dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir,
		"SLACK_BOT_TOKEN=xoxb-bench", "SLACK_SIGNING_SECRET=" + signingSecret, "SLACK_API_URL=" + w.slack.url + "/api/",
		"REDIS_URL=redis://" + w.redis.addr, "SLACKBRIDGE_SEAL_KEYS=YmVuY2hiZW5jaGJlbmNoYmVuY2hiZW5jaGJlbmNoISE=",
		"SLACKBRIDGE_SERVERS=" + w.servers, "SLACKBRIDGE_POLICY=" + w.policy, "SLACKBRIDGE_LISTEN=" + addr,
	}, env...)
	b := &bot{url: "http://" + addr}
	if w.profiles != "" {
		if b.profile, err = freeAddress(); err != nil {
			return nil, err
		}
		cmd.Env = append(cmd.Env, "SLACKBRIDGE_PROFILE="+b.profile)
	}
	if b.child, err = start(cmd, filepath.Join(w.dir, name+".log")); err != nil {
		return nil, err
	}
	err = b.await(ctx, "slackbridge serve", func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+"/readyz", nil)
		if err != nil {
			return err
		}
		resp, err := w.client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("readyz: %s", resp.Status)
		}
		return nil
	})
	if err != nil {
		b.kill()
		return nil, err
	}
	return b, nil
}

// raiseFiles lets this process have as many connections as the system allows.
func files() uint64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0
	}
	return l.Max
}
