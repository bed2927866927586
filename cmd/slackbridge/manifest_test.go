package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func runCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, stdio{in: strings.NewReader(""), out: &out, err: &errs})
	return code, out.String(), errs.String()
}

func TestManifest_SocketModeNeedsNoAddress(t *testing.T) {
	code, out, errs := runCommand(t, "manifest")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var m map[string]any
	if err := yaml.Unmarshal([]byte(out), &m); err != nil {
		t.Fatalf("not YAML: %v", err)
	}
	if strings.Contains(out, "url") || !strings.Contains(out, "socket_mode_enabled: true") {
		t.Errorf("a Socket Mode manifest names no URL:\n%s", out)
	}
}

func TestManifest_HTTPModeNamesEveryAddress(t *testing.T) {
	code, out, errs := runCommand(t, "manifest", "--json", "--http", "https://bridge.example.com/")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if !json.Valid([]byte(out)) {
		t.Fatalf("not JSON: %s", out)
	}
	for _, want := range []string{
		`"url": "https://bridge.example.com/slack/commands"`, `"request_url": "https://bridge.example.com/slack/interactions"`,
		`"message_menu_options_url": "https://bridge.example.com/slack/options"`, `"socket_mode_enabled": false`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the manifest lacks %s:\n%s", want, out)
		}
	}
}

func TestManifest_RefusesAnAddressThatSlackCannotUse(t *testing.T) {
	for _, bad := range []string{"http://bridge.example.com", "bridge.example.com", "https://"} {
		if code, _, errs := runCommand(t, "manifest", "--http", bad); code != 1 || !strings.Contains(errs, "https address") {
			t.Errorf("--http %s: exit %d, %q; want 1 and the mend", bad, code, errs)
		}
	}
}
