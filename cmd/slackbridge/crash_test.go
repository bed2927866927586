package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// process is a replica in a process of its own, which can die.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
}

// process starts a replica as serve does, and waits until Slack can reach it.
func (w *world) process() *process {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(self, serveCommandName)
	cmd.Env = append(os.Environ(),
		"SLACK_BOT_TOKEN="+w.cfg.BotToken.reveal(), "SLACK_APP_TOKEN="+w.cfg.AppToken.reveal(), "SLACK_API_URL="+w.cfg.SlackAPIURL,
		"REDIS_URL="+w.cfg.RedisURL.reveal(), "SLACKBRIDGE_SEAL_KEYS="+w.cfg.SealKeys.reveal(), "SLACKBRIDGE_SERVERS="+w.cfg.ServersFile,
		"SLACKBRIDGE_POLICY="+w.cfg.PolicyFile, "SLACKBRIDGE_LISTEN=127.0.0.1:0", "SLACKBRIDGE_AUDIT_FILE="+w.cfg.AuditFile,
		"LOG_LEVEL=debug", "LOG_FORMAT=json",
	)
	cmd.Stderr = w.logs
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	p := &process{t: w.t, cmd: cmd}
	w.t.Cleanup(p.kill)
	before := w.sim.Sockets()
	w.wait("the process is connected to Slack", func() bool { return w.sim.Sockets() > before })
	return p
}

// kill ends the process as a power failure does.
func (p *process) kill() {
	if p.cmd.ProcessState != nil {
		return
	}
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		p.t.Errorf("killing a replica: %v", err)
	}
	_ = p.cmd.Wait() // it was killed
}

func (h human) heading(q slacksim.Message) slacksim.Message {
	return h.message(slacksim.Message{Channel: q.Channel, TS: q.ThreadTS})
}

func TestCrash_BlockingQuestionIsLostAndItsCallCanBeRunAgain(t *testing.T) {
	w := newWorld(t, worldOptions{})
	p := w.process()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=payments")
	q := ann.seesQuestion("Restart payments?")
	w.replica()
	p.kill()
	ann.becomes(q, "Lost")
	offer := ann.sees("Whether it has done anything is not known")
	ann.becomes(ann.heading(q), "failed")
	if h := ann.heading(q); len(h.Buttons) != 0 {
		t.Errorf("the heading still has %v", h.Buttons)
	}
	ann.presses(offer, "Run again")
	again := ann.seesQuestion("Restart payments?")
	ann.becomes(offer, "again")
	ann.presses(again, "Accept")
	ann.sees("Restarted payments")
}

func TestCrash_DurableQuestionWaitsForTheNextReplica(t *testing.T) {
	durableWorlds(t, worldOptions{}, func(t *testing.T, w *world) {
		p := w.process()
		ann := w.human("U_ANN")
		ann.types(deployCommand)
		q := ann.seesQuestion("deploy")
		ann.killsApp()
		p.kill()
		w.replica()
		ann.answers(q)
		ann.sees("Deployed payments 2.3.1 to prod-us")
		ann.becomes(q, "Accepted by")
		ann.becomes(ann.heading(q), "finished")
	})
}

func TestCrash_CardsAreRightOnceSlackWorksAgain(t *testing.T) {
	w := newWorld(t, worldOptions{})
	p := w.process()
	ann := w.human("U_ANN")
	ann.types("/mcp deploy.restart_service service=payments")
	q := ann.seesQuestion("Restart payments?")
	w.sim.Fault("chat.update", slacksim.Fault{Times: -1, Status: 503})
	ann.presses(q, "Decline")
	ann.sees("declined")
	w.wantReceived(`{"action":"decline"}`)
	if now := ann.message(q); len(now.Buttons) == 0 {
		t.Fatalf("the card was redrawn although Slack refused it: %q", now.Text)
	}
	w.wait("the heading is tried in vain", func() bool {
		for _, c := range w.sim.CallsOf("chat.update") {
			if c.Args["ts"] == q.ThreadTS {
				return true
			}
		}
		return false
	})
	p.kill()
	w.sim.ClearFaults()
	w.replica()
	ann.becomes(q, "Declined by", "Ann")
	ann.becomes(ann.heading(q), "deploy.restart_service")
	w.wait("Stop is gone", func() bool { return len(ann.heading(q).Buttons) == 0 })
	for _, m := range ann.all() {
		if strings.Contains(m.Text, "is not known") {
			t.Errorf("a call that had ended was called unknown: %s", m.Text)
		}
	}
}
