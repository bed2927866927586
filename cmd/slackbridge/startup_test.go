package main

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/internal/redistest"
	"github.com/slackbridge/slackbridge/internal/slacksim"
)

// clearEnvironment unsets every variable of ours, and their _FILE forms.
func clearEnvironment(t *testing.T) {
	t.Helper()
	for _, v := range variables() {
		for _, name := range []string{v.name, v.name + "_FILE"} {
			t.Setenv(name, "") // restores it afterwards
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Chdir(t.TempDir())
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestServe_ReportsEveryFaultAtOnceWithItsMend(t *testing.T) {
	clearEnvironment(t)
	t.Setenv("REDIS_URL", "redis://127.0.0.1:6379")
	t.Setenv("LOG_LEVEL", "loud")
	t.Setenv("SLACKBRIDGE_POLICY", write(t, "policy.yaml", "gates: [{server: a}]\n"))
	code, _, errs := runCommand(t, "serve")
	if code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	for _, want := range []string{
		"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACKBRIDGE_SEAL_KEYS", "LOG_LEVEL", "mcp.json", "gates", "things are wrong",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("the report does not name %s:\n%s", want, errs)
		}
	}
}

func TestServe_FaultsOfTheServersFileNameTheirPlace(t *testing.T) {
	for name, tt := range map[string]struct {
		file string
		want []string
	}{
		"malformed":         {"{\n \"mcpServers\": {,}\n}", []string{"line 2"}},
		"unknown transport": {`{"mcpServers":{"a":{"type":"carrier-pigeon","url":"https://x.test"}}}`, []string{"a", "carrier-pigeon"}},
		"unset variable":    {`{"mcpServers":{"a":{"type":"http","url":"https://x.test/${NO_SUCH_VAR}"}}}`, []string{"a", "NO_SUCH_VAR"}},
		"bad name":          {`{"mcpServers":{"a b":{"command":"x"}}}`, []string{"a b", "letters"}},
		"no servers":        {`{"mcpServers":{}}`, []string{"no server"}},
	} {
		t.Run(name, func(t *testing.T) {
			clearEnvironment(t)
			t.Setenv("SLACK_BOT_TOKEN", "xoxb-x")
			t.Setenv("SLACK_APP_TOKEN", "xapp-x")
			t.Setenv("SLACKBRIDGE_SERVERS", write(t, "mcp.json", tt.file))
			code, _, errs := runCommand(t, "serve")
			if code != 1 {
				t.Errorf("exit %d, want 1", code)
			}
			for _, want := range tt.want {
				if !strings.Contains(errs, want) {
					t.Errorf("the report does not say %q:\n%s", want, errs)
				}
			}
		})
	}
}

func TestServe_SecretsComeFromFilesToo(t *testing.T) {
	clearEnvironment(t)
	t.Setenv("SLACK_BOT_TOKEN_FILE", write(t, "token", "xoxb-from-file\n"))
	t.Setenv("SLACK_APP_TOKEN", "xapp-x")
	t.Setenv("SLACK_APP_TOKEN_FILE", write(t, "app", "xapp-y"))
	t.Setenv("REDIS_URL_FILE", "/nowhere/redis")
	cfg, err := loadConfig()
	if cfg.BotToken.reveal() != "xoxb-from-file" {
		t.Errorf("the bot token was not read from its file")
	}
	for _, want := range []string{"SLACK_APP_TOKEN and SLACK_APP_TOKEN_FILE are both set", "REDIS_URL_FILE cannot be read"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("loadConfig: %v does not say %q", err, want)
		}
	}
}

func TestConfig_PrintsNoSecret(t *testing.T) {
	c := config{BotToken: "xoxb-canary", SealKeys: "canary-key"}
	text := strings.Join([]string{c.BotToken.String(), c.SealKeys.GoString(), c.BotToken.LogValue().String()}, " ")
	if strings.Contains(text, "canary") {
		t.Errorf("a secret is printed: %s", text)
	}
}

func checkEnvironment(t *testing.T, sim *slacksim.Sim, servers string) {
	t.Helper()
	clearEnvironment(t)
	t.Setenv("SLACK_BOT_TOKEN", sim.BotToken())
	t.Setenv("SLACK_APP_TOKEN", sim.AppToken())
	t.Setenv("SLACK_API_URL", strings.TrimSuffix(sim.APIURL(), "/"))
	t.Setenv("SLACKBRIDGE_SERVERS", write(t, "mcp.json", servers))
}

func startSim(t *testing.T) *slacksim.Sim {
	t.Helper()
	sim, err := slacksim.Start(slacksim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	return sim
}

func TestCheck_PassesWhenEverythingIsThere(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sim := startSim(t)
	checkEnvironment(t, sim, serversFile(t, map[string]any{"deploy": map[string]any{"command": self, "args": []string{demoServerCommandName}}}))
	t.Setenv("REDIS_URL", redistest.Start(t).URL)
	t.Setenv("SLACKBRIDGE_SEAL_KEYS", base64.StdEncoding.EncodeToString(make([]byte, 32)))
	code, out, errs := runCommand(t, "check")
	if code != 0 {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	for _, want := range []string{"ok     Slack", "ok     Redis", "ok     server deploy", "ok     Socket Mode", "ok     seal keys"} {
		if !strings.Contains(out, want) {
			t.Errorf("the check does not say %q:\n%s", want, out)
		}
	}
}

func TestCheck_NamesEachThingThatIsWrong(t *testing.T) {
	sim := startSim(t)
	checkEnvironment(t, sim, serversFile(t, map[string]any{
		"missing": map[string]any{"command": "/nowhere/no-such-program"},
		"crash":   map[string]any{"command": "sh", "args": []string{"-c", "echo 'license expired' >&2; exit 3"}},
		"closed":  map[string]any{"type": "http", "url": "http://127.0.0.1:1/mcp"},
	}))
	t.Setenv("SLACK_BOT_TOKEN", "xoxb-wrong")
	t.Setenv("REDIS_URL", "redis://:canary-password@127.0.0.1:1")
	t.Setenv("SLACKBRIDGE_SEAL_KEYS", "dG9vIHNob3J0")
	code, out, errs := runCommand(t, "check")
	if code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	for _, want := range []string{
		"WRONG  Slack", "invalid_auth", "WRONG  Redis", "WRONG  server missing", "WRONG  server crash", "license expired", "WRONG  server closed", "32",
	} {
		if !strings.Contains(out+errs, want) {
			t.Errorf("the check does not say %q:\n%s%s", want, out, errs)
		}
	}
	if strings.Contains(out+errs, "canary") {
		t.Errorf("the password is printed:\n%s%s", out, errs)
	}
}

func TestHelp_EveryCommandExplainsItself(t *testing.T) {
	code, out, _ := runCommand(t, "--help")
	if code != 0 {
		t.Errorf("--help exits %d", code)
	}
	for _, c := range commands() {
		if c.hidden {
			continue
		}
		if !strings.Contains(out, c.name) {
			t.Errorf("--help does not list %s", c.name)
		}
		if c.name == "version" {
			continue
		}
		code, help, _ := runCommand(t, c.name, "--help")
		if code != 0 || !strings.Contains(help, "Usage: slackbridge "+c.name) {
			t.Errorf("%s --help: exit %d, %q", c.name, code, help)
		}
		if code, _, errs := runCommand(t, c.name, "--no-such-flag"); code != 2 || !strings.Contains(errs, "no-such-flag") {
			t.Errorf("%s --no-such-flag: exit %d, %q; want 2 and the flag", c.name, code, errs)
		}
	}
	if code, _, errs := runCommand(t, "srve"); code != 2 || !strings.Contains(errs, `"srve"`) {
		t.Errorf("an unknown command: exit %d, %q", code, errs)
	}
}

func TestServe_RunsFromTheEnvironmentAndStopsInOrder(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sim := startSim(t)
	checkEnvironment(t, sim, serversFile(t, map[string]any{"deploy": map[string]any{"command": self, "args": []string{demoServerCommandName}}}))
	t.Setenv("SLACKBRIDGE_LISTEN", "127.0.0.1:0")
	t.Setenv("LOG_FORMAT", "json")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs syncBuffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"serve"}, stdio{in: strings.NewReader(""), out: &out, err: &errs})
	}()
	address := regexp.MustCompile(`"listen":"(127\.0\.0\.1:\d+)"`)
	get := func(path string) (int, string) {
		m := address.FindStringSubmatch(errs.String())
		if m == nil {
			return 0, ""
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+m[1]+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for code := 0; code != http.StatusOK; code, _ = get("/readyz") {
		select {
		case <-tick.C:
		case code := <-done:
			t.Fatalf("serve ended with %d: %s", code, errs.String())
		case <-deadline:
			t.Fatalf("serve did not become ready: %s", errs.String())
		}
	}
	if code, body := get("/healthz"); code != http.StatusOK {
		t.Errorf("/healthz: %d %s", code, body)
	}
	if !strings.Contains(errs.String(), "REDIS_URL is not set") {
		t.Error("nothing warns that the embedded Redis forgets")
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("serve ended with %d: %s", code, errs.String())
	}
	for _, secret := range []string{sim.BotToken(), sim.AppToken()} {
		if strings.Contains(errs.String(), secret) {
			t.Error("a token stands in the log")
		}
	}
}
