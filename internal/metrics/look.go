package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slackbridge/slackbridge/correlate"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/mcpclient"
)

// lookTimeout bounds one look at Redis for a scrape. Prometheus gives a scrape
// ten seconds unless it is told otherwise.
const lookTimeout = 2 * time.Second

// Watched is what is looked at whenever somebody asks. Slack is nil in HTTP
// mode, where nothing has to stand.
type Watched struct {
	Ledger      func(context.Context) (correlate.Stats, error)
	Servers     func() []elicit.ServerState
	Connections func() []mcpclient.Connections
	Slack       func() bool
}

// Watch adds what is looked at. It must be called once.
func (m *Metrics) Watch(w Watched) { m.registry.MustRegister(&look{m: m, w: w}) }

// look collects what has to be looked up.
type look struct {
	m *Metrics
	w Watched
}

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+name, help, labels, nil)
}

var looks = struct {
	redisUp, pending, overdue, undrawn, replicas, followers, leaseAge, entries, claimed, lag *prometheus.Desc
	slack, connections, usable, known                                                        *prometheus.Desc
}{
	redisUp:     gauge("redis_up", "Whether Redis could be looked at for this scrape. If not, what is read from it is missing."),
	pending:     gauge("pending", "Questions by state, in the whole workspace: pending ones wait for a person, decided ones for a replica to take the decision to the server.", "state"),
	overdue:     gauge("overdue_seconds", "How long the oldest deadline is over that no replica has settled, in the whole workspace."),
	undrawn:     gauge("cards_undrawn", "Ended questions whose card in Slack may not show the end yet, in the whole workspace."),
	replicas:    gauge("replicas", "Replicas of slackbridge that hold a lease, in the whole workspace."),
	followers:   gauge("redis_replicas", "Replicas of Redis that follow its master."),
	leaseAge:    gauge("lease_age_seconds", "Since this replica renewed its lease. At 8 the others take it for dead."),
	entries:     gauge("stream_entries", "Decisions that nobody has taken: of stream owner for this replica, of stream resume for any.", "stream"),
	claimed:     gauge("stream_claimed_entries", "Entries of stream resume that a replica has read and not acknowledged."),
	lag:         gauge("stream_lag_seconds", "Age of the oldest entry of a stream.", "stream"),
	slack:       gauge("slack_connected", "Whether a Socket Mode connection stands. Missing in HTTP mode."),
	connections: gauge("mcp_connections", "Connections of this replica to an MCP server: busy or idle.", "server", "state"),
	usable:      gauge("mcp_server_up", "Whether the last attempt to connect to an MCP server worked. Missing before the first.", "server"),
	known:       gauge("mcp_server_info", "1, with how an MCP server is reached and its era; the era is unknown before the first connection.", "server", "transport", "era"),
}

// Describe implements prometheus.Collector.
func (l *look) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		looks.redisUp, looks.pending, looks.overdue, looks.undrawn, looks.replicas, looks.followers, looks.leaseAge,
		looks.entries, looks.claimed, looks.lag, looks.slack, looks.connections, looks.usable, looks.known,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (l *look) Collect(ch chan<- prometheus.Metric) {
	set := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	l.ledger(set)
	if l.w.Slack != nil {
		set(looks.slack, number(l.w.Slack()))
	}
	for _, c := range l.w.Connections() {
		set(looks.connections, float64(c.Busy), c.Server, "busy")
		set(looks.connections, float64(c.Idle), c.Server, "idle")
	}
	for _, s := range l.w.Servers() {
		set(looks.known, 1, s.Name, s.Transport, orUnknown(s.Era))
		if s.Protocol != "" || s.Err != nil {
			set(looks.usable, number(s.Err == nil), s.Name)
		}
	}
}

func (l *look) ledger(set func(d *prometheus.Desc, v float64, labels ...string)) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), lookTimeout, errors.New("Redis did not answer in time for a scrape"))
	defer cancel()
	s, err := l.w.Ledger(ctx)
	set(looks.redisUp, number(err == nil))
	if err != nil {
		l.m.log.Debug("Redis could not be looked at for a scrape", "err", err)
		return
	}
	set(looks.pending, float64(s.Pending), string(elicit.StatePending))
	set(looks.pending, float64(s.Decided), string(elicit.StateDecided))
	set(looks.overdue, s.Overdue.Seconds())
	set(looks.undrawn, float64(s.Undrawn))
	set(looks.replicas, float64(s.Replicas))
	set(looks.followers, float64(s.Followers))
	set(looks.leaseAge, s.LeaseAge.Seconds())
	set(looks.entries, float64(s.Owner.Length), "owner")
	set(looks.entries, float64(s.Resume.Length), "resume")
	set(looks.claimed, float64(s.Resume.Claimed))
	set(looks.lag, s.Owner.Lag.Seconds(), "owner")
	set(looks.lag, s.Resume.Lag.Seconds(), "resume")
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
