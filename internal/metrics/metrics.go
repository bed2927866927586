// Package metrics is what slackbridge tells Prometheus: what became of
// questions, how long it took, and how Redis, Slack and the MCP servers do.
//
// It has a registry of its own. No label holds a value, a name of a tool, a
// user or anything else that a server, a person or Slack could choose freely:
// servers are those of the servers file, and every other label has a fixed or
// bounded set of values.
package metrics

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/mcpclient"
)

// Options configure Metrics. Servers and Version are needed.
type Options struct {
	Version string
	Mode    string   // "socket" or "http": how Slack delivers
	Servers []string // of the servers file
	Log     *slog.Logger
}

// Metrics is the registry of one replica. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	log      *slog.Logger
	servers  map[string]bool
	codes    bounded

	questions *prometheus.CounterVec
	refusals  *prometheus.CounterVec
	decisions *prometheus.CounterVec
	ended     *prometheus.CounterVec
	deciding  *prometheus.HistogramVec
	delivery  *prometheus.HistogramVec

	redis       *prometheus.HistogramVec
	redisErrors *prometheus.CounterVec
	slack       *prometheus.HistogramVec
	slackCalls  *prometheus.CounterVec
	mcpCalls    *prometheus.CounterVec
}

// Buckets in seconds. People take from a moment to the seven days that policy
// allows at most; machines from a millisecond to the ten seconds after which
// they are given up.
var (
	peopleBuckets = []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600}
	ioBuckets     = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
)

// New makes the registry. What is looked at when it is asked is added by Watch.
func New(o Options) *Metrics {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	m := &Metrics{registry: prometheus.NewRegistry(), log: o.Log, servers: map[string]bool{}, codes: bounded{most: maxCodes}}
	for _, name := range o.Servers {
		m.servers[name] = true
	}
	m.questions = m.counter("questions_total", "Questions of servers that were recorded to be shown to a person.", "server", "era", "mode")
	m.refusals = m.counter("refusals_total", "Questions that were answered without being shown, and answers of people who may not answer (reason not_entitled).", "server", "reason")
	m.decisions = m.counter("decisions_total", "Ends of questions, by what the server is told and why.", "server", "action", "reason")
	m.ended = m.counter("questions_ended_total", "Questions by their last state: delivered, withdrawn or lost.", "state")
	m.deciding = m.histogram("time_to_decision_seconds", "From a question to its decision.", peopleBuckets, "action")
	m.delivery = m.histogram("delivery_seconds", "From a decision to its way to the server; of several questions that are answered together, from the last decision.", ioBuckets, "era")
	m.redis = m.histogram("redis_command_duration_seconds", "Commands to Redis, without reads that wait for something to come.", ioBuckets, "command")
	m.redisErrors = m.counter("redis_errors_total", "Commands to Redis that failed.", "command", "kind")
	m.slack = m.histogram("slack_request_duration_seconds", "Requests to Slack's Web API.", ioBuckets, "method")
	m.slackCalls = m.counter("slack_requests_total", "Requests to Slack's Web API by what came of them: ok, Slack's word for the error, or what went wrong on the way.", "method", "code")
	m.mcpCalls = m.counter("mcp_calls_total", "Requests of calls to MCP servers by how they ended. A call that asks in the 2026-07-28 revision makes several.", "server", "outcome")
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: namespace + "build_info", Help: "1, with the version and how Slack delivers."}, []string{"version", "mode"})
	m.registry.MustRegister(info, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	info.WithLabelValues(o.Version, o.Mode).Set(1)
	m.start(o.Servers)
	return m
}

const namespace = "slackbridge_"

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: namespace + name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: namespace + name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(h)
	return h
}

// start makes what alerts look at stand at 0 before it first happens: a
// counter that appears with its first event has no rate.
func (m *Metrics) start(servers []string) {
	for _, s := range []elicit.State{elicit.StateDelivered, elicit.StateWithdrawn, elicit.StateLost} {
		m.ended.WithLabelValues(string(s))
	}
	for _, server := range servers {
		for _, end := range mcpclient.Endings() {
			m.mcpCalls.WithLabelValues(server, string(end))
		}
		m.decisions.WithLabelValues(server, string(elicit.Cancel), string(elicit.ReasonExpired))
		m.decisions.WithLabelValues(server, string(elicit.Cancel), string(elicit.ReasonOwnerLost))
	}
	for _, e := range []elicit.Era{elicit.EraBlocking, elicit.EraDurable} {
		m.delivery.WithLabelValues(string(e))
	}
}

// scrapes bounds how many scrapers are served at a time.
const scrapes = 3

// Handler serves the registry.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		Registry: m.registry, MaxRequestsInFlight: scrapes, Timeout: 2 * lookTimeout,
		ErrorHandling: promhttp.ContinueOnError, ErrorLog: complaints{m.log},
	})
}

// complaints are those of promhttp.
type complaints struct{ log *slog.Logger }

func (c complaints) Println(v ...any) {
	c.log.Warn("some metrics could not be collected", "err", v)
}

// Registry is for tests, and for who wants to add to it.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

const (
	unknown = "unknown"
	other   = "other"
)

// server is the label of a server. Only those of the servers file have one.
func (m *Metrics) server(name string) string {
	switch {
	case m.servers[name]:
		return name
	case name == "":
		return unknown
	}
	return other
}

func orUnknown[S ~string](s S) string {
	if s == "" {
		return unknown
	}
	return string(s)
}

// Asked implements bridge.Meter.
func (m *Metrics) Asked(p elicit.Pending) {
	m.questions.WithLabelValues(m.server(p.Server), orUnknown(p.Era), orUnknown(p.Mode)).Inc()
}

// Refused implements bridge.Meter.
func (m *Metrics) Refused(server string, why elicit.Reason) {
	m.refusals.WithLabelValues(m.server(server), orUnknown(why)).Inc()
}

// Decided implements bridge.Meter.
func (m *Metrics) Decided(p elicit.Pending) {
	d := p.Decision
	if d == nil {
		return
	}
	m.decisions.WithLabelValues(m.server(p.Server), orUnknown(d.Action), orUnknown(d.Reason)).Inc()
	if p.State == elicit.StateWithdrawn || p.State == elicit.StateLost {
		m.ended.WithLabelValues(string(p.State)).Inc()
	}
	if !p.Created.IsZero() && !d.At.IsZero() { // else the record was gone
		m.deciding.WithLabelValues(orUnknown(d.Action)).Observe(max(d.At.Sub(p.Created), 0).Seconds())
	}
}

// Delivered implements bridge.Meter.
func (m *Metrics) Delivered(p elicit.Pending, took time.Duration, ok bool) {
	if !ok {
		m.ended.WithLabelValues(string(elicit.StateLost)).Inc()
		return
	}
	m.ended.WithLabelValues(string(elicit.StateDelivered)).Inc()
	m.delivery.WithLabelValues(orUnknown(p.Era)).Observe(took.Seconds())
}

// Called takes the end of a call's request; see mcpclient.Options.Called.
func (m *Metrics) Called(server string, end mcpclient.Ending) {
	m.mcpCalls.WithLabelValues(m.server(server), orUnknown(end)).Inc()
}
