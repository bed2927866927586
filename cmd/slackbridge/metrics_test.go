package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// scrape is what a replica tells Prometheus: series, as written, and values.
func (w *world) scrape(a *app) map[string]float64 {
	w.t.Helper()
	out := map[string]float64{}
	for line := range strings.Lines(w.metrics(a)) {
		series, value, ok := strings.Cut(strings.TrimSpace(line), "} ")
		if ok {
			series += "}"
		} else if series, value, ok = strings.Cut(strings.TrimSpace(line), " "); !ok {
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			w.t.Fatalf("the scrape has a line %q", line)
		}
		out[series] = v
	}
	return out
}

func (w *world) metrics(a *app) string {
	w.t.Helper()
	resp, err := http.Get("http://" + a.listen.Addr().String() + "/metrics")
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("GET /metrics: %s, %v\n%s", resp.Status, err, body)
	}
	return string(body)
}

// counts waits until the scrape shows these values.
func (w *world) counts(a *app, want map[string]float64) {
	w.t.Helper()
	var got map[string]float64
	w.wait(fmt.Sprintf("the metrics show %v", want), func() bool {
		got = w.scrape(a)
		for series, v := range want {
			if now, ok := got[series]; !ok || now != v {
				return false
			}
		}
		return true
	})
}

func decisionsTotal(action, reason string) string {
	return fmt.Sprintf(`slackbridge_decisions_total{action=%q,reason=%q,server="deploy"}`, action, reason)
}

func TestMetrics_CountEachEndOfAQuestion(t *testing.T) {
	bothTransports(t, worldOptions{policy: "rules: [{server: deploy, tool: report_incident, deadlines: {form: 4s}}]\n"}, func(t *testing.T, w *world) {
		a, _ := w.replica()
		ann := w.human("U_ANN")
		w.counts(a, map[string]float64{`slackbridge_pending{state="pending"}`: 0, `slackbridge_redis_up`: 1, `slackbridge_replicas`: 1})

		ann.types("/mcp deploy.restart_service service=a")
		q := ann.seesQuestion("Restart a?")
		w.counts(a, map[string]float64{
			`slackbridge_pending{state="pending"}`:                                          1,
			`slackbridge_questions_total{era="blocking",mode="form",server="deploy"}`:       1,
			`slackbridge_mcp_connections{server="deploy",state="busy"}`:                     1,
			`slackbridge_mcp_server_up{server="deploy"}`:                                    1,
			`slackbridge_mcp_server_info{era="blocking",server="deploy",transport="stdio"}`: 1,
		})
		bob := w.human("U_BOB")
		bob.presses(q, "Accept")
		bob.sees("can answer this question")
		ann.presses(q, "Accept")
		ann.becomes(q, "Accepted by")

		ann.types("/mcp deploy.restart_service service=b")
		q = ann.seesQuestion("Restart b?")
		ann.presses(q, "Decline")
		ann.becomes(q, "Declined by")

		ann.types("/mcp deploy.report_incident")
		q = ann.seesQuestion("deploy")
		ann.becomes(q, "Expired")

		ann.types("/mcp deploy.broken_form")
		ann.sees("Not shown", "not valid")

		w.counts(a, map[string]float64{
			decisionsTotal("accept", "submitted"):                                       1,
			decisionsTotal("decline", "declined"):                                       1,
			decisionsTotal("cancel", "expired"):                                         1,
			`slackbridge_refusals_total{reason="malformed",server="deploy"}`:            1,
			`slackbridge_refusals_total{reason="not_entitled",server="deploy"}`:         1,
			`slackbridge_questions_ended_total{state="delivered"}`:                      3,
			`slackbridge_questions_ended_total{state="lost"}`:                           0,
			`slackbridge_time_to_decision_seconds_count{action="accept"}`:               1,
			`slackbridge_time_to_decision_seconds_bucket{action="cancel",le="1"}`:       0,
			`slackbridge_time_to_decision_seconds_bucket{action="cancel",le="10"}`:      1,
			`slackbridge_delivery_seconds_count{era="blocking"}`:                        3,
			`slackbridge_pending{state="pending"}`:                                      0,
			`slackbridge_pending{state="decided"}`:                                      0,
			`slackbridge_cards_undrawn`:                                                 0,
			`slackbridge_stream_entries{stream="owner"}`:                                0,
			`slackbridge_mcp_connections{server="deploy",state="busy"}`:                 0,
			`slackbridge_slack_requests_total{code="ok",method="auth.test"}`:            1,
			`slackbridge_overdue_seconds`:                                               0,
			`slackbridge_build_info{mode="` + a.mode() + `",version="` + version + `"}`: 1,
		})
		got := w.scrape(a)
		for _, some := range []string{
			`slackbridge_redis_command_duration_seconds_count{command="evalsha"}`, `slackbridge_redis_command_duration_seconds_count{command="pipeline"}`,
			`slackbridge_slack_request_duration_seconds_count{method="chat.postMessage"}`,
			`slackbridge_mcp_calls_total{outcome="result",server="deploy"}`, `go_goroutines`,
		} {
			if got[some] == 0 {
				t.Errorf("%s is 0 or missing", some)
			}
		}
		if age := got["slackbridge_lease_age_seconds"]; age < 0 || age > 8 {
			t.Errorf("the lease is %v s old", age)
		}
		if connected, ok := got["slackbridge_slack_connected"]; ok != w.cfg.socketMode() || ok && connected != 1 {
			t.Errorf("slack_connected is %v, there: %v, in mode %s", connected, ok, a.mode())
		}
	})
}

func TestMetrics_DurableCallsCountOnceOverReplicas(t *testing.T) {
	durableWorlds(t, worldOptions{}, func(t *testing.T, w *world) {
		a, _ := w.replica()
		b, _ := w.replica()
		ann := w.human("U_ANN")
		const calls = 3
		for i := range calls {
			ann.types(fmt.Sprintf("/mcp deploy.deploy_service service=s%d version=1", i))
			q := ann.seesQuestion(fmt.Sprintf("Deploy s%d", i))
			ann.killsApp()
			ann.answers(q)
			ann.sees(fmt.Sprintf("Deployed s%d 1 to prod-us", i))
		}
		for _, series := range []string{
			decisionsTotal("accept", "submitted"), `slackbridge_questions_ended_total{state="delivered"}`, `slackbridge_delivery_seconds_count{era="durable"}`,
			`slackbridge_mcp_calls_total{outcome="asked",server="deploy"}`, `slackbridge_mcp_calls_total{outcome="result",server="deploy"}`,
		} {
			w.wait(series+" of both replicas", func() bool { return w.scrape(a)[series]+w.scrape(b)[series] == calls })
		}
		w.counts(a, map[string]float64{`slackbridge_replicas`: 2, `slackbridge_pending{state="decided"}`: 0})
	})
}

func TestMetrics_RedisOutOfReachIsSaidInTime(t *testing.T) {
	w := newWorld(t, worldOptions{})
	a, _ := w.replica()
	w.redis.Pause()
	w.counts(a, map[string]float64{`slackbridge_redis_up`: 0})
	got := w.scrape(a)
	if _, ok := got[`slackbridge_pending{state="pending"}`]; ok {
		t.Error("what could not be looked at is in the scrape")
	}
	w.wait("errors of Redis are counted", func() bool {
		for series, n := range w.scrape(a) {
			if strings.HasPrefix(series, "slackbridge_redis_errors_total{") && strings.Contains(series, `kind="timeout"`) && n > 0 {
				return true
			}
		}
		return false
	})
	w.redis.Resume()
	w.counts(a, map[string]float64{`slackbridge_redis_up`: 1})
}

func TestMetrics_EmbeddedRedisCanBeLookedAt(t *testing.T) {
	w := newWorld(t, worldOptions{embedded: true})
	a, _ := w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=a")
	ann.seesQuestion("Restart a?")
	w.counts(a, map[string]float64{`slackbridge_redis_up`: 1, `slackbridge_pending{state="pending"}`: 1, `slackbridge_replicas`: 1})
}

// TestMetrics_LabelsAreBounded: whatever people and servers say, the number of
// series stays.
func TestMetrics_LabelsAreBounded(t *testing.T) {
	w := newWorld(t, worldOptions{})
	a, _ := w.replica()
	ann, bob := w.human("U_ANN"), w.human("U_BOB")
	round := func(h human, service string) {
		h.types("/mcp deploy.restart_service service=" + service)
		q := h.seesQuestion("Restart " + service + "?")
		h.presses(q, "Accept")
		h.becomes(q, "Accepted by")
		h.sees("Restarted " + service)
		h.types("/mcp deploy.no_such_" + service)
		h.types("/mcp nosuch" + service + ".tool")
		h.sees("nosuch" + service)
	}
	round(ann, "warm")
	w.counts(a, map[string]float64{`slackbridge_cards_undrawn`: 0})
	before := w.scrape(a)
	for i := range 2 {
		round(ann, fmt.Sprintf("ann%d", i))
		round(bob, fmt.Sprintf("bob%d", i))
	}
	w.counts(a, map[string]float64{`slackbridge_cards_undrawn`: 0})
	text := w.metrics(a)
	for series := range w.scrape(a) {
		if _, old := before[series]; !old && strings.HasPrefix(series, "slackbridge_") && !strings.Contains(series, "_redis_") && !strings.Contains(series, "_slack_") {
			t.Errorf("a new series: %s", series)
		}
	}
	for _, name := range []string{"U_ANN", "U_BOB", "ann1", "bob1", "restart_service", "nosuch", "C_"} {
		if strings.Contains(text, name) {
			t.Errorf("%q is in the metrics", name)
		}
	}
	for series := range w.scrape(a) {
		for _, m := range regexp.MustCompile(`([a-z_]+)="([^"]*)"`).FindAllStringSubmatch(series, -1) {
			if strings.HasPrefix(series, "slackbridge_") && !slices.Contains([]string{
				"action", "code", "command", "era", "kind", "le", "method", "mode", "outcome", "reason", "server", "state", "stream", "transport", "version",
			}, m[1]) {
				t.Errorf("%s has the label %s: is it bounded?", series, m[1])
			}
		}
	}
}

func TestMetrics_AreAsPrometheusWantsThem(t *testing.T) {
	w := newWorld(t, worldOptions{})
	a, _ := w.replica()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=a")
	q := ann.seesQuestion("Restart a?")
	ann.presses(q, "Accept")
	ann.becomes(q, "Accepted by")
	problems, err := testutil.GatherAndLint(a.meter.Registry())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// names lists the metrics of a replica, those without a series included.
func names(a *app) map[string]bool {
	ch := make(chan *prometheus.Desc)
	go func() {
		a.meter.Registry().Describe(ch)
		close(ch)
	}()
	out := map[string]bool{}
	name := regexp.MustCompile(`fqName: "([^"]+)"`)
	for d := range ch {
		if m := name.FindStringSubmatch(d.String()); m != nil {
			out[m[1]] = true
		}
	}
	return out
}

// TestMetrics_DocumentsNameOnlyWhatExists, and the table names all of it.
func TestMetrics_DocumentsNameOnlyWhatExists(t *testing.T) {
	w := newWorld(t, worldOptions{embedded: true})
	a, _ := w.replica()
	exist := names(a)
	named := regexp.MustCompile(`\bslackbridge_[a-z_]+`)
	for _, path := range []string{"docs/operations.md", "deploy/grafana/slackbridge.json", "deploy/prometheus/alerts.yaml"} {
		data, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, name := range named.FindAllString(string(data), -1) {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				name = strings.TrimSuffix(name, suffix)
			}
			found[name] = true
			if !exist[name] {
				t.Errorf("%s names %s, which does not exist", path, name)
			}
		}
		if len(found) == 0 {
			t.Errorf("%s names no metric", path)
		}
		if path != "docs/operations.md" {
			continue
		}
		for name := range exist {
			if strings.HasPrefix(name, "slackbridge_") && !strings.Contains(string(data), "| `"+name+"` |") {
				t.Errorf("%s has no line for %s", path, name)
			}
		}
	}
}
