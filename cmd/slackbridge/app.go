package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/slackbridge/slackbridge/bridge"
	"github.com/slackbridge/slackbridge/correlate"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/metrics"
	"github.com/slackbridge/slackbridge/internal/tracing"
	"github.com/slackbridge/slackbridge/mcpclient"
	"github.com/slackbridge/slackbridge/slackapp"
)

// autoOpen is how fresh a person's command must be for the form to open by
// itself. Slack lets a trigger live for 3 s.
const autoOpen = 2500 * time.Millisecond

// stopTimeout bounds what follows the drain: connections, streams, Redis.
const stopTimeout = 10 * time.Second

// app is one replica, built and ready to run.
type app struct {
	cfg    config
	log    *slog.Logger
	in     inputs
	slack  *slackapp.Client
	who    slackapp.Identity
	store  *correlate.Store
	host   *mcpclient.Host
	bridge *bridge.Bridge
	socket *slackapp.Socket // nil in HTTP mode
	server *http.Server
	listen net.Listener
	meter  *metrics.Metrics

	draining atomic.Bool
	closers  []func() error // in the order of their making
}

// newApp builds a replica from the environment. On an error nothing is left
// running; all that can be found wrong at once is reported at once.
func newApp(ctx context.Context, cfg config, log *slog.Logger) (_ *app, err error) {
	a := &app{cfg: cfg, log: log}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	if a.in, err = readInputs(cfg); err != nil {
		return nil, err
	}
	a.meter = metrics.New(metrics.Options{Version: version, Mode: a.mode(), Servers: a.in.names(), Log: log})
	if a.slack, err = newSlack(cfg, log, a.meter.SlackCall); err != nil {
		return nil, err
	}
	a.closers = append(a.closers, func() error { a.slack.Close(); return nil })
	client, err := a.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.open(ctx, client); err != nil {
		return nil, err
	}
	return a, nil
}

// connect reaches Redis and Slack and reports the faults of both.
func (a *app) connect(ctx context.Context) (redis.UniversalClient, error) {
	client, stopRedis, redisErr := connectRedis(ctx, a.cfg)
	if redisErr == nil {
		a.closers = append(a.closers, stopRedis)
		client.AddHook(a.meter.RedisHook())
	}
	var slackErr error
	a.who, slackErr = a.slack.Identify(ctx)
	return client, errors.Join(redisErr, slackErr)
}

// open builds the parts in the order in which they need each other.
func (a *app) open(ctx context.Context, client redis.UniversalClient) error {
	replica, err := newReplicaID()
	if err != nil {
		return err
	}
	sink, err := openAudit(a.cfg)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, sink.Close)
	tracer, err := a.openTracing(ctx, replica)
	if err != nil {
		return err
	}
	a.store, err = correlate.Open(ctx, correlate.Options{
		Client: client, Team: a.who.Team, Replica: replica, Keys: a.in.keys, Log: a.log, Rand: rand.Reader,
		OnDecided:  func(ctx context.Context, p elicit.Pending) error { return a.bridge.Decided(ctx, p) },
		OnStop:     func(ctx context.Context, id elicit.CallID) { a.bridge.Stopped(ctx, id) },
		OnOrphan:   func(ctx context.Context, id elicit.CallID) { a.bridge.Orphaned(ctx, id) },
		OnSettled:  func(ctx context.Context, p elicit.Pending) { a.bridge.Settled(ctx, p) },
		OnUndrawn:  func(ctx context.Context, p elicit.Pending) { a.bridge.Undrawn(ctx, p) },
		OnNudge:    func(ctx context.Context, p elicit.Pending, kind elicit.Nudge) { a.bridge.Nudge(ctx, p, kind) },
		OnUnplaced: func(ctx context.Context, p elicit.Pending) { a.bridge.Unplaced(ctx, p) },
		OnCall:     func(ctx context.Context, id elicit.CallID, record []byte) { a.bridge.CallLost(ctx, id, record) },
	})
	if err != nil {
		return err
	}
	a.closers = append(a.closers, func() error {
		if err := bounded(a.store.Close); err != nil { // it runs out by itself
			a.log.Warn("the lease was not given back", "err", err)
		}
		return nil
	})
	a.host, err = newHost(a.in, a.log, func(ctx context.Context, q elicit.Question, reply func(context.Context, elicit.Answer) error) {
		a.bridge.Ask(ctx, q, reply)
	}, func(call elicit.CallID, id string) { a.bridge.Completed(context.WithoutCancel(ctx), call, id) }, a.meter.Called)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, func() error { return bounded(a.host.Close) })
	a.bridge, err = bridge.New(bridge.Options{
		Replica: replica, Team: a.who.Team, Ledger: a.store, Slack: a.slack, Host: a.host, Audit: sink,
		Policy: a.in.policy, Now: time.Now, Rand: rand.Reader, Log: a.log, AutoOpen: autoOpen,
		Meter: a.meter, Tracer: tracer,
	})
	if err != nil {
		return err
	}
	return a.openIntake()
}

// openTracing returns nil when nothing is traced.
func (a *app) openTracing(ctx context.Context, replica elicit.ReplicaID) (bridge.Tracer, error) {
	endpoint := a.cfg.tracesEndpoint()
	if endpoint == "" {
		return nil, nil
	}
	t, err := tracing.New(ctx, tracing.Options{Endpoint: endpoint, Version: version, Replica: replica, Log: a.log})
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, func() error { return bounded(t.Close) })
	return t, nil
}

// openIntake makes the two ways in: Slack's payloads and the HTTP address.
func (a *app) openIntake() error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", a.healthz)
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.Handle("GET /metrics", a.meter.Handler())
	watched := metrics.Watched{Ledger: a.store.Stats, Servers: a.host.Servers, Connections: a.host.Connections}
	if a.cfg.socketMode() {
		a.socket = slackapp.NewSocket(a.slack, a.bridge)
		watched.Slack = a.socket.Ready
	} else {
		mux.Handle("/slack/", slackapp.NewHTTP(a.slack, a.bridge))
	}
	a.meter.Watch(watched)
	l, err := net.Listen("tcp", a.cfg.Listen)
	if err != nil {
		return fmt.Errorf("SLACKBRIDGE_LISTEN: %w; choose another address, such as 127.0.0.1:8081", err)
	}
	a.listen = l
	a.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	return nil
}

// run serves until ctx ends, then drains and stops. It returns nil after an
// orderly stop.
func (a *app) run(ctx context.Context) error {
	// The parts outlive ctx: they are needed while the drain goes on.
	base, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	g, gctx := errgroup.WithContext(base)
	g.Go(func() error { return a.store.Run(gctx) })
	g.Go(func() error { returnMemory(gctx); return nil })
	if a.socket != nil {
		g.Go(func() error { return a.socket.Run(gctx) })
	}
	g.Go(func() error {
		if err := a.server.Serve(a.listen); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serving %s: %w", a.listen.Addr(), err)
		}
		return nil
	})
	g.Go(func() error {
		select {
		case <-ctx.Done():
		case <-gctx.Done(): // a part failed: end in order all the same
		}
		return a.drain(base, stop)
	})
	a.log.Info("slackbridge is up", "version", version, "team", a.who.Team, "bot", a.who.BotUser,
		"mode", a.mode(), "servers", a.in.names(), "listen", a.listen.Addr().String())
	err := ignoreCancel(g.Wait())
	return errors.Join(err, a.close())
}

// drain stops the intake of new calls, gives open questions their time, and
// then ends the parts.
func (a *app) drain(ctx context.Context, stop context.CancelCauseFunc) error {
	a.draining.Store(true)
	a.store.Quiesce()
	a.log.Info("stopping: no new calls; open questions may still be answered", "drain", a.cfg.Drain.String())
	dctx, cancel := context.WithTimeoutCause(ctx, a.cfg.Drain+stopTimeout, errors.New("the drain took too long"))
	defer cancel()
	err := a.bridge.Drain(dctx, a.cfg.Drain)
	stop(elicit.ErrShutdown)
	sctx, cancelServer := context.WithTimeoutCause(context.WithoutCancel(ctx), stopTimeout, errors.New("closing HTTP connections took too long"))
	defer cancelServer()
	return errors.Join(err, a.server.Shutdown(sctx))
}

// close ends what was built, last first.
func (a *app) close() error {
	var errs []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		errs = append(errs, a.closers[i]())
	}
	a.closers = nil
	return errors.Join(errs...)
}

// connected waits until Slack can reach this replica; false when ctx ended
// first.
func (a *app) connected(ctx context.Context) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for a.socket != nil && !a.socket.Ready() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (a *app) mode() string {
	if a.cfg.socketMode() {
		return "socket"
	}
	return "http"
}

func (a *app) healthz(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }

// readyz reports whether this replica takes interactions: it is not stopping,
// Redis answers and Slack's socket stands.
func (a *app) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeoutCause(r.Context(), 2*time.Second, errors.New("Redis did not answer in 2 s"))
	defer cancel()
	problem := ""
	switch {
	case a.draining.Load():
		problem = "stopping"
	case a.socket != nil && !a.socket.Ready():
		problem = "not connected to Slack"
	case a.store.Ping(ctx) != nil:
		problem = "Redis does not answer"
	}
	if problem != "" {
		http.Error(w, problem, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

func newReplicaID() (elicit.ReplicaID, error) {
	var raw [8]byte
	if _, err := io.ReadFull(rand.Reader, raw[:]); err != nil {
		return "", fmt.Errorf("making a replica id: %w", err)
	}
	return elicit.ReplicaID(hex.EncodeToString(raw[:])), nil
}

// bounded runs one step of the stop with its own deadline.
func bounded(step func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), stopTimeout, errors.New("stopping took too long"))
	defer cancel()
	return step(ctx)
}

func ignoreCancel(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, elicit.ErrShutdown) {
		return nil
	}
	return err
}
