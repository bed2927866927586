package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/slackbridge/slackbridge/bridge"
	"github.com/slackbridge/slackbridge/correlate"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/metrics"
	"github.com/slackbridge/slackbridge/mcpclient"
)

var _ bridge.Meter = (*metrics.Metrics)(nil)

func compare(t *testing.T, m *metrics.Metrics, name, want string) {
	t.Helper()
	if err := testutil.GatherAndCompare(m.Registry(), strings.NewReader(want), name); err != nil {
		t.Error(err)
	}
}

func TestLabels_WordsOfOthersAreBounded(t *testing.T) {
	m := metrics.New(metrics.Options{Version: "test", Servers: []string{"deploy"}})
	for i := range 1000 {
		m.SlackCall("chat.postMessage", fmt.Sprintf("error_%d", i), time.Millisecond)
		m.SlackCall("chat.postMessage", fmt.Sprintf("No word! %d", i), time.Millisecond)
		m.Refused(fmt.Sprintf("server%d", i), elicit.ReasonMalformed)
		m.Called(fmt.Sprintf("server%d", i), mcpclient.EndedResult)
	}
	if n, err := testutil.GatherAndCount(m.Registry(), "slackbridge_slack_requests_total"); err != nil || n != 61 {
		t.Errorf("%d codes became labels (%v), want 60 and other", n, err)
	}
	compare(t, m, "slackbridge_refusals_total", `
# HELP slackbridge_refusals_total Questions that were answered without being shown, and answers of people who may not answer (reason not_entitled).
# TYPE slackbridge_refusals_total counter
slackbridge_refusals_total{reason="malformed",server="other"} 1000
`)
}

func TestDecided_OfAForgottenRecordHasNoTime(t *testing.T) {
	m := metrics.New(metrics.Options{Version: "test"})
	m.Decided(elicit.Pending{Decision: &elicit.Decision{Action: elicit.Cancel, Reason: elicit.ReasonExpired}})
	compare(t, m, "slackbridge_decisions_total", `
# HELP slackbridge_decisions_total Ends of questions, by what the server is told and why.
# TYPE slackbridge_decisions_total counter
slackbridge_decisions_total{action="cancel",reason="expired",server="unknown"} 1
`)
	if n, err := testutil.GatherAndCount(m.Registry(), "slackbridge_time_to_decision_seconds"); err != nil || n != 0 {
		t.Errorf("%d times were observed (%v)", n, err)
	}
}

func TestWatch_LooksWithinItsTimeAndSaysWhenItCannot(t *testing.T) {
	m := metrics.New(metrics.Options{Version: "test"})
	m.Watch(metrics.Watched{
		Ledger: func(ctx context.Context) (correlate.Stats, error) {
			if _, bounded := ctx.Deadline(); !bounded {
				t.Error("a look at Redis has no end")
			}
			return correlate.Stats{}, errors.New("gone")
		},
		Servers: func() []elicit.ServerState {
			return []elicit.ServerState{
				{Name: "new", Transport: "stdio"},
				{Name: "broken", Transport: "http", Err: errors.New("refused")},
				{Name: "good", Transport: "http", Protocol: "2026-07-28", Era: elicit.EraDurable},
			}
		},
		Connections: func() []mcpclient.Connections { return nil },
	})
	compare(t, m, "slackbridge_redis_up", `
# HELP slackbridge_redis_up Whether Redis could be looked at for this scrape. If not, what is read from it is missing.
# TYPE slackbridge_redis_up gauge
slackbridge_redis_up 0
`)
	compare(t, m, "slackbridge_mcp_server_up", `
# HELP slackbridge_mcp_server_up Whether the last attempt to connect to an MCP server worked. Missing before the first.
# TYPE slackbridge_mcp_server_up gauge
slackbridge_mcp_server_up{server="broken"} 0
slackbridge_mcp_server_up{server="good"} 1
`)
	if n, err := testutil.GatherAndCount(m.Registry(), "slackbridge_pending", "slackbridge_slack_connected"); err != nil || n != 0 {
		t.Errorf("%d series are there of what was not seen (%v)", n, err)
	}
}
