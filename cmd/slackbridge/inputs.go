package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/correlate"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/mcpclient"
	"github.com/slackbridge/slackbridge/policy"
	"github.com/slackbridge/slackbridge/slackapp"
)

// inputs are the files and keys that the environment names, read and valid.
type inputs struct {
	servers *mcpclient.Servers
	policy  *policy.Policy
	keys    []correlate.SealKey
}

func (in inputs) names() []string { return in.servers.Names() }

// readInputs reads them and reports all faults of all of them together.
func readInputs(cfg config) (inputs, error) {
	var in inputs
	var errs []error
	var err error
	if in.servers, err = mcpclient.LoadServers(cfg.ServersFile, os.LookupEnv); err != nil {
		errs = append(errs, err)
	}
	if in.policy, err = readPolicy(cfg.PolicyFile); err != nil {
		errs = append(errs, err)
	}
	if in.keys, err = readKeys(cfg); err != nil {
		errs = append(errs, err)
	}
	return in, errors.Join(errs...)
}

func readPolicy(path string) (*policy.Policy, error) {
	if path == "" {
		return policy.Default(), nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("SLACKBRIDGE_POLICY: %w", err)
	}
	p, err := policy.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("policy file %s: %w", path, err)
	}
	return p, nil
}

// readKeys reads the seal keys. An embedded Redis forgets at the end of the
// process, so a key for this process alone will do.
func readKeys(cfg config) ([]correlate.SealKey, error) {
	if cfg.SealKeys == "" {
		key, err := correlate.NewKey(rand.Reader)
		if err != nil {
			return nil, err
		}
		return []correlate.SealKey{key}, nil
	}
	keys, err := correlate.ParseKeys(cfg.SealKeys.reveal())
	if err != nil {
		return nil, fmt.Errorf("SLACKBRIDGE_SEAL_KEYS: %w", err)
	}
	return keys, nil
}

// newSlack makes the client of Slack. observe may be nil.
func newSlack(cfg config, log *slog.Logger, observe func(method, code string, took time.Duration)) (*slackapp.Client, error) {
	return slackapp.New(slackapp.Options{
		BotToken: slackapp.Secret(cfg.BotToken), AppToken: slackapp.Secret(cfg.AppToken),
		SigningSecret: slackapp.Secret(cfg.SigningSecret), APIURL: cfg.SlackAPIURL, Log: log, Now: time.Now, Observe: observe,
		MessageInterval: cfg.messageInterval,
	})
}

// connectRedis connects to REDIS_URL, or starts the embedded one.
func connectRedis(ctx context.Context, cfg config) (redis.UniversalClient, func() error, error) {
	if cfg.RedisURL == "" {
		client, stop, err := correlate.Embedded()
		if err != nil {
			return nil, nil, fmt.Errorf("starting the embedded Redis: %w", err)
		}
		return client, func() error { stop(); return nil }, nil
	}
	client, err := correlate.Connect(cfg.RedisURL.reveal())
	if err != nil {
		return nil, nil, fmt.Errorf("REDIS_URL: %w", err)
	}
	pctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("no answer within 5 s"))
	defer cancel()
	if err := client.Ping(pctx).Err(); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("REDIS_URL: Redis cannot be reached: %w; is it running, and is the address right?", err), client.Close())
	}
	return client, client.Close, nil
}

// asker takes the questions of servers; see mcpclient.Options.Ask.
type asker func(context.Context, elicit.Question, func(context.Context, elicit.Answer) error)

// newHost makes the host of the servers. called may be nil.
func newHost(in inputs, log *slog.Logger, ask asker, completed func(elicit.CallID, string), called func(string, mcpclient.Ending)) (*mcpclient.Host, error) {
	return mcpclient.New(mcpclient.Options{
		Servers: in.servers, Ask: ask, Completed: completed, Called: called, Elicitation: in.policy.OffersElicitation, Log: log, Version: version, Rand: rand.Reader,
	})
}
