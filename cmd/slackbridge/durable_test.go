package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/internal/demo"
	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// durableWorlds runs a test with the demo server in the durable era, over both
// of MCP's transports.
func durableWorlds(t *testing.T, o worldOptions, body func(t *testing.T, w *world)) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("stdio", func(t *testing.T) {
		o := o
		o.servers = serversFile(t, map[string]any{"deploy": map[string]any{"command": self, "args": []string{demoServerCommandName}}})
		body(t, newWorld(t, o))
	})
	t.Run("http", func(t *testing.T) {
		srv := httptest.NewServer(demo.Handler(demo.ServerOptions{}))
		t.Cleanup(srv.Close)
		o := o
		o.servers = serversFile(t, map[string]any{"deploy": map[string]any{"type": "http", "url": srv.URL}})
		body(t, newWorld(t, o))
	})
}

// answers fills the form of a deployment that is open and hands it in.
func (h human) answers(q slacksim.Message) {
	h.w.t.Helper()
	h.presses(q, "Respond…")
	h.form()
	h.fills("Cluster", "prod-us")
	h.fills("Maintenance window", "tonight")
	h.fills("Confirm", "Yes")
	h.submits()
}

func TestDurable_QuestionSurvivesARestartOfAllReplicas(t *testing.T) {
	persistent := worldOptions{redisArgs: []string{"--appendonly", "yes", "--appendfsync", "always"}}
	durableWorlds(t, persistent, func(t *testing.T, w *world) {
		_, stop := w.replica()
		ann := w.human("U_ANN")
		ann.types(deployCommand)
		q := ann.seesQuestion("deploy")
		ann.killsApp()
		stop()
		if now := ann.message(q); len(now.Buttons) == 0 {
			t.Fatalf("the stop ended the question: %s", now.Text)
		}
		w.redis.Restart()
		w.replica()
		ann.answers(q)
		ann.sees("Deployed payments 2.3.1 to prod-us (window: tonight)")
		ann.becomes(q, "Accepted by", "Ann")
		ann.becomes(slacksim.Message{Channel: q.Channel, TS: q.ThreadTS}, "deploy.deploy_service")
	})
}

func TestDurable_AnyReplicaGoesOn(t *testing.T) {
	durableWorlds(t, worldOptions{}, func(t *testing.T, w *world) {
		w.replica()
		w.replica()
		ann := w.human("U_ANN")
		for i := range 4 {
			ann.types(fmt.Sprintf("/mcp deploy.deploy_service service=s%d version=1", i))
			q := ann.seesQuestion(fmt.Sprintf("Deploy s%d", i))
			ann.killsApp()
			ann.answers(q)
			ann.sees(fmt.Sprintf("Deployed s%d 1 to prod-us", i))
			ann.becomes(q, "Accepted by")
		}
		n := 0
		for _, m := range ann.all() {
			if strings.Contains(m.Text, "Deployed s") {
				n++
			}
		}
		if n != 4 {
			t.Errorf("%d results were posted for 4 calls", n)
		}
	})
}

func TestDurable_ExpiryWhileEverythingIsDownIsSettledAtTheStart(t *testing.T) {
	durableWorlds(t, worldOptions{policy: "defaults: {deadlines: {durable: 3s}}\n"}, func(t *testing.T, w *world) {
		_, stop := w.replica()
		ann := w.human("U_ANN")
		ann.types(deployCommand)
		q := ann.seesQuestion("deploy")
		stop()
		<-time.After(4 * time.Second) // Redis's own clock decides
		w.replica()
		ann.becomes(q, "Expired")
		ann.sees("Not deployed: nobody confirmed")
	})
}

func TestDurable_StopEndsACallThatNobodyRuns(t *testing.T) {
	durableWorlds(t, worldOptions{}, func(t *testing.T, w *world) {
		w.replica()
		w.replica()
		ann, bob := w.human("U_ANN"), w.human("U_BOB")
		ann.types(deployCommand)
		q := ann.seesQuestion("deploy")
		ann.killsApp()
		heading := ann.message(slacksim.Message{Channel: q.Channel, TS: q.ThreadTS})
		bob.presses(heading, "Stop")
		bob.sees("can stop this call")
		ann.presses(heading, "Stop")
		ann.becomes(q, "Cancelled", "stopped")
		ann.becomes(heading, "deploy.deploy_service")
		for _, m := range ann.all() {
			if strings.Contains(m.Text, "Not deployed") {
				t.Errorf("the stopped call was repeated: %s", m.Text)
			}
		}
	})
}

func TestDurable_NoTraceOfACallStaysInRedis(t *testing.T) {
	durableWorlds(t, worldOptions{}, func(t *testing.T, w *world) {
		w.replica()
		ann := w.human("U_ANN")
		ann.types("/mcp deploy.deploy_service service=canary-svc version=2.3.1")
		q := ann.seesQuestion("deploy")
		ann.killsApp()
		if dump := w.redis.Dump(t); strings.Contains(dump, "canary-svc") {
			t.Error("Redis holds the arguments of a parked call in plain text")
		}
		ann.answers(q)
		ann.sees("Deployed canary-svc")
		w.wait("the parked call is forgotten", func() bool { return !strings.Contains(w.redis.Dump(t), "parked:") })
	})
}
