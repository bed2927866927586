package mcpclient

import (
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func env(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func TestParseServers_ReadsWhatOtherHostsWrite(t *testing.T) {
	const file = "\ufeff" + `{
	  "inputs": [{"type": "promptString", "id": "x"}],
	  "mcpServers": {
	    "zeta": {"command": "${BIN:-/usr/bin}/deploy", "args": ["--team", "${TEAM}", "$HOME", "${EMPTY:-x}"], "env": {"TOKEN": "${TOKEN}", "A": ""}, "cwd": "/srv/${TEAM}",
	             "autoApprove": ["x"], "disabled": false, "timeout": "90s"},
	    "alpha": {"type": "streamable-http", "url": "https://${HOST}/mcp?a=b#top", "headers": {"authorization": "Bearer ${TOKEN}"}, "timeout": 2.5, "protocol": "2025-06-18"},
	    "off": {"disabled": true, "command": "${UNSET}", "url": 7},
	    "plain": {"url": "http://127.0.0.1:1/mcp"},
	    "typed": {"type": "stdio", "command": "x"},
	    "Cline_1": {"type": "streamableHttp", "url": "http://h/"}
	  }
	}`
	got, err := ParseServers([]byte(file), env(map[string]string{"TEAM": "ops team", "TOKEN": "${not} $again", "HOST": "example.com", "EMPTY": ""}))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"zeta", "alpha", "plain", "typed", "Cline_1"}, got.Names()); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
	address := func(s string) *url.URL {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	want := []serverConfig{
		{
			name: "zeta", timeout: 90 * time.Second, command: "/usr/bin/deploy", args: []string{"--team", "ops team", "$HOME", "x"},
			env: []string{"TOKEN=${not} $again", "A="}, cwd: "/srv/ops team",
		},
		{
			name: "alpha", timeout: 2500 * time.Millisecond, protocol: "2025-06-18", url: address("https://example.com/mcp?a=b"),
			headers: http.Header{"Authorization": {"Bearer ${not} $again"}},
		},
		{name: "plain", timeout: DefaultTimeout, url: address("http://127.0.0.1:1/mcp"), headers: http.Header{}},
		{name: "typed", timeout: DefaultTimeout, command: "x"},
		{name: "Cline_1", timeout: DefaultTimeout, url: address("http://h/"), headers: http.Header{}},
	}
	if d := cmp.Diff(want, got.list, cmp.AllowUnexported(serverConfig{})); d != "" {
		t.Errorf("servers (-want +got):\n%s", d)
	}
}

func TestParseServers_TakesTheKeyOfVSCode(t *testing.T) {
	got, err := ParseServers([]byte(`{"servers":{"a":{"type":"http","url":"http://h/mcp"}}}`), env(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got.list[0].transport() != "http" {
		t.Errorf("transport is %s", got.list[0].transport())
	}
}

func TestParseServers_SaysWhatIsWrongWhereAndHowToMendIt(t *testing.T) {
	entry := func(e string) string { return `{"mcpServers":{"a":` + e + `}}` }
	tests := map[string]struct {
		file  string
		words []string
	}{
		"malformed JSON":     {"{\n  \"mcpServers\": {\n    \"é\" x\n", []string{"line 3, column 9", "JSON"}},
		"cut JSON":           {"{\"mcpServers\": {", []string{"line 1", "JSON"}},
		"empty file":         {" \n", []string{"empty", "mcpServers"}},
		"not an object":      {`[]`, []string{"object", "mcpServers"}},
		"other keys only":    {`{"mcp":{}}`, []string{"mcpServers"}},
		"both keys":          {`{"mcpServers":{},"servers":{}}`, []string{"mcpServers", "servers", "keep one"}},
		"no servers":         {`{"mcpServers":{}}`, []string{"no server", "add one"}},
		"all disabled":       {entry(`{"disabled":true}`), []string{"no server", "disabled"}},
		"servers no object":  {`{"mcpServers":[1]}`, []string{"mcpServers", "object"}},
		"entry no object":    {entry(`"x"`), []string{`server "a"`, "object"}},
		"bad name":           {`{"mcpServers":{"a.b \u001b":{"command":"x"}}}`, []string{`a.b \\u001b`, "letters, digits, - and _"}},
		"empty name":         {`{"mcpServers":{"":{"command":"x"}}}`, []string{"letters"}},
		"same name twice":    {`{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}`, []string{`server "a"`, "twice"}},
		"sse":                {entry(`{"type":"sse","url":"http://h/sse"}`), []string{`server "a": type`, "not supported", "http"}},
		"unknown transport":  {entry(`{"type":"pigeon","command":"x"}`), []string{"type", "pigeon", "stdio or http"}},
		"http without url":   {entry(`{"type":"http","command":"x"}`), []string{"type", "url"}},
		"stdio without":      {entry(`{"type":"stdio","url":"http://h/"}`), []string{"type", "command"}},
		"both ways":          {entry(`{"command":"x","url":"http://h/"}`), []string{"both a command and a url"}},
		"no way":             {entry(`{}`), []string{"neither a command", "nor a url"}},
		"empty command":      {entry(`{"command":" "}`), []string{"command is empty"}},
		"command no text":    {entry(`{"command":["x"]}`), []string{"command must be text"}},
		"args no list":       {entry(`{"command":"x","args":"-y"}`), []string{"args must be a list"}},
		"env no object":      {entry(`{"command":"x","env":["A=1"]}`), []string{"env must be an object"}},
		"env value a number": {entry(`{"command":"x","env":{"PORT":80}}`), []string{"env.PORT must be text"}},
		"env name with =":    {entry(`{"command":"x","env":{"A=B":"1"}}`), []string{"env", "A=B"}},
		"header name":        {entry(`{"url":"http://h/","headers":{"a b":"x"}}`), []string{"headers", "a b"}},
		"header value":       {entry(`{"url":"http://h/","headers":{"a":"x\r\ny"}}`), []string{"headers", `"a"`}},
		"relative url":       {entry(`{"url":"/mcp"}`), []string{"url", "absolute"}},
		"other scheme":       {entry(`{"url":"file:///etc/passwd"}`), []string{"url", "http"}},
		"unset variable":     {entry(`{"command":"x","args":["ok","${NOPE}"]}`), []string{"args[1]", "NOPE", "${NOPE:-default}"}},
		"set but other form": {entry(`{"command":"${input:token}"}`), []string{"command", "${input:token}", "${VAR:-default}"}},
		"zero timeout":       {entry(`{"command":"x","timeout":0}`), []string{"timeout", "seconds"}},
		"endless timeout":    {entry(`{"command":"x","timeout":1e300}`), []string{"timeout"}},
		"odd timeout":        {entry(`{"command":"x","timeout":"soon"}`), []string{"timeout", "90s"}},
		"odd protocol":       {entry(`{"command":"x","protocol":"2027"}`), []string{"protocol", "2027", "2026-07-28"}},
		"odd disabled":       {entry(`{"command":"x","disabled":"no"}`), []string{"disabled must be true or false"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ParseServers([]byte(tc.file), env(map[string]string{}))
			wantMention(t, err, tc.words...)
		})
	}
}

func TestParseServers_ReportsAllProblemsAtOnce(t *testing.T) {
	_, err := ParseServers([]byte(`{"mcpServers":{"a":{"type":"sse","url":"${U}","headers":{"k":"${K}"}},"b":{},"c":{"command":"x"}}}`), env(nil))
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) || len(joined.Unwrap()) != 5 {
		t.Fatalf("got %v, want 5 problems", err)
	}
	wantMention(t, err, `"a": type`, `"a": url needs the environment variable U`, `"a": url is not`, `"a": headers.k needs the environment variable K`, `"b" has neither`)
	for line := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(line, "server ") {
			t.Errorf("a problem does not name its server: %s", line)
		}
	}
}

func TestParseServers_NeverRepeatsAValue(t *testing.T) {
	_, err := ParseServers([]byte(`{"mcpServers":{"a":{"url":"${U}","headers":{"k":"${K}"},"timeout":"${T}"}}}`),
		env(map[string]string{"U": "canary", "K": "canary\n", "T": "canary"}))
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v, want an error without the values", err)
	}
}

func TestLoadServers_MissingFileSaysHowToMakeOne(t *testing.T) {
	_, err := LoadServers(t.TempDir()+"/mcp.json", os.LookupEnv)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist in it", err)
	}
	wantMention(t, err, "mcp.json", `{"mcpServers"`, "SLACKBRIDGE_SERVERS")
}

func TestLoadServers_ProblemNamesTheFile(t *testing.T) {
	path := t.TempDir() + "/mcp.json"
	if err := os.WriteFile(path, []byte(`{`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := LoadServers(path, os.LookupEnv)
	wantMention(t, err, path, "line 1")
}

func FuzzParseServers(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"command":"${X:-y}","args":["b"],"env":{"C":"d"},"timeout":"1s"}}}`))
	f.Add([]byte(`{"servers":{"a":{"type":"http","url":"http://h/${X}","headers":{"a":"b"},"timeout":3}}}`))
	f.Add([]byte("\ufeff{\"mcpServers\":{\"a\":{\"disabled\":true}}} x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseServers(data, env(map[string]string{"X": "value"}))
		if (s == nil) == (err == nil) {
			t.Fatalf("got servers %v and error %v", s, err)
		}
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		for _, c := range s.list {
			if !serverName.MatchString(c.name) || (c.command == "") == (c.url == nil) || c.timeout <= 0 {
				t.Errorf("accepted %+v", c)
			}
		}
	})
}

func TestParse_SlipsOfTheHandAreNamed(t *testing.T) {
	for name, tt := range map[string]struct{ file, want string }{
		"mistyped key":    {`{"mcpServers":{"a":{"type":"http","url":"https://x.example","header":{"A":"b"}}}}`, `header is not a key: did you mean "headers"?`},
		"key in capitals": {`{"mcpServers":{"a":{"Command":"x"}}}`, `did you mean "command"?`},
		"curly quotes":    {"{“mcpServers”: {}}", "curly quote"},
		"comment":         {"{\n// mine\n\"mcpServers\": {}}", "no comments"},
		"trailing comma":  {`{"mcpServers":{"a":{"command":"x",}}}`, "one too many"},
		"other top key":   {`{"mcpServer":{}}`, `only ["mcpServer"]`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseServers([]byte(tt.file), func(string) (string, bool) { return "", false })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v; want %q in it", err, tt.want)
			}
		})
	}
	// What other hosts know is left alone.
	if _, err := ParseServers([]byte(`{"mcpServers":{"a":{"command":"x","autoApprove":[],"alwaysAllow":[],"gallery":true,"envFile":".env","description":"d"}}}`), nil); err != nil {
		t.Errorf("keys of other hosts: %v", err)
	}
}
