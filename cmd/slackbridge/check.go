package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/slackbridge/slackbridge/correlate"
	"github.com/slackbridge/slackbridge/elicit"
)

const checkAbout = `Checks everything that serve needs: the environment, the servers file, the
policy file, Redis and its seal keys, Slack and its tokens, and every server.
Says what is wrong and how to mend it. Exits 1 if anything is.`

// checkTimeout bounds the whole check; one server that hangs is found earlier.
const checkTimeout = time.Minute

// checker prints one line for each thing it has looked at.
type checker struct {
	s      stdio
	mu     sync.Mutex
	faults int
}

func (c *checker) report(what string, err error, ok string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		fmt.Fprintf(c.s.out, "ok     %s: %s\n", what, ok)
		return
	}
	for _, line := range flatten(err) {
		c.faults++
		fmt.Fprintf(c.s.out, "WRONG  %s: %s\n", what, line)
	}
}

func checkCommand(ctx context.Context, args []string, s stdio) error {
	if err := flags(s, "check", checkAbout, true, args, nil); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, checkTimeout, errors.New("the check took longer than a minute"))
	defer cancel()
	c := &checker{s: s}
	cfg, err := loadConfig()
	c.report("environment", err, "complete")
	in, err := readInputs(cfg)
	c.report("files", err, fmt.Sprintf("%s is valid", cfg.ServersFile))
	team := c.slack(ctx, cfg)
	c.redis(ctx, cfg, in, team)
	c.servers(ctx, cfg, in)
	if c.faults > 0 {
		return fmt.Errorf("found %d to mend", c.faults)
	}
	return nil
}

// slack returns the team when the bot token is good.
func (c *checker) slack(ctx context.Context, cfg config) string {
	if cfg.BotToken == "" {
		return "" // reported with the environment
	}
	client, err := newSlack(cfg, newLogger(c.s.err, cfg), nil)
	if err != nil {
		c.report("Slack", err, "")
		return ""
	}
	defer client.Close()
	who, err := client.Identify(ctx)
	c.report("Slack", err, fmt.Sprintf("bot %s of team %s", who.BotUser, who.Team))
	if cfg.socketMode() {
		c.report("Socket Mode", client.CheckSocket(ctx), "a connection can be opened")
	}
	return who.Team
}

func (c *checker) redis(ctx context.Context, cfg config, in inputs, team string) {
	if cfg.RedisURL == "" {
		c.report("Redis", nil, "not set; an embedded one will be used, which forgets everything at a restart")
		return
	}
	client, stop, err := connectRedis(ctx, cfg)
	if err != nil {
		c.report("Redis", err, "")
		return
	}
	defer func() { _ = stop() }() // the check is over; nothing hangs on it
	c.report("Redis", nil, "reachable")
	if team == "" || len(in.keys) == 0 {
		return // which keys should open depends on the team
	}
	c.report("seal keys", correlate.CheckKeys(ctx, client, team, in.keys), "they open what Redis holds")
}

func (c *checker) servers(ctx context.Context, cfg config, in inputs) {
	if in.servers == nil || in.policy == nil {
		return // reported with the files
	}
	refuse := func(ctx context.Context, _ elicit.Question, reply func(context.Context, elicit.Answer) error) {
		_ = reply(ctx, elicit.Answer{Action: elicit.Cancel}) // a check has nobody to ask
	}
	host, err := newHost(in, newLogger(c.s.err, cfg), refuse, nil, nil)
	if err != nil {
		c.report("servers", err, "")
		return
	}
	var wg sync.WaitGroup
	for _, name := range in.names() {
		wg.Go(func() { c.report("server "+name, host.Check(ctx, name), "answers and lists its tools") })
	}
	wg.Wait()
	if err := bounded(host.Close); err != nil {
		c.report("servers", err, "")
	}
}
