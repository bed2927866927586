package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const renderParams = `{"message":"Deploy?","requestedSchema":{"type":"object","properties":{
	"cluster":{"type":"string","title":"Cluster","enum":["prod","stage"]},"count":{"type":"integer","minimum":1,"default":3},
	"when":{"type":"string","format":"date-time","default":"2026-12-01T10:00:00Z"}},"required":["cluster"]}}`

func runWith(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, stdio{in: strings.NewReader(stdin), out: &out, err: &errs})
	return code, out.String(), errs.String()
}

func tempFile(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRender_PrintsMessageFormAndUntouchedState(t *testing.T) {
	for name, input := range map[string]string{"params": renderParams, "request": `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":` + renderParams + `}`} {
		code, out, errs := runWith(t, input, "render", "-", "--server", "deploy")
		if code != 0 {
			t.Fatalf("%s: exit %d: %s", name, code, errs)
		}
		var got struct {
			Message struct {
				Text   string
				Blocks []any
			}
			Modals []struct{ Title struct{ Text string } }
			State  json.RawMessage
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got.Message.Text, "Deploy?") || len(got.Message.Blocks) == 0 || len(got.Modals) != 1 || got.Modals[0].Title.Text != "deploy" {
			t.Errorf("%s: %s", name, out)
		}
	}
}

func TestRender_AnswerShowsWhatIsSent(t *testing.T) {
	file := tempFile(t, renderParams)
	_, out, _ := runWith(t, "", "render", file)
	code, _, errs := runWith(t, out, "render", "--answer", "-", file)
	if code != 1 || !strings.Contains(errs, "Cluster: Please choose one of the options.") {
		t.Errorf("untouched: exit %d, %q; want the error at its field", code, errs)
	}
	code, _, errs = runWith(t, out, "render", "--answer", "-", "--lang", "zh-CN", file)
	if code != 1 || !strings.Contains(errs, "请选择一个选项。") {
		t.Errorf("in Chinese: exit %d, %q", code, errs)
	}
	chosen := strings.Replace(out, `"selected_option": null`, `"selected_option": {"value":"o1"}`, 1)
	code, sent, errs := runWith(t, chosen, "render", file, "--answer", "-", "--zone", "Europe/Berlin")
	want := `{"action":"accept","content":{"cluster":"stage","count":3,"when":"2026-12-01T11:00:00+01:00"}}` + "\n"
	if code != 0 || sent != want {
		t.Errorf("exit %d: %s %s, want %s", code, sent, errs, want)
	}
}

func TestRender_ArgumentsOfATool(t *testing.T) {
	tool := `{"name":"scale","description":"Scales","inputSchema":{"type":"object","properties":{"replicas":{"type":"integer"},"labels":{"type":"object"}},"required":["replicas"]}}`
	code, out, errs := runWith(t, tool, "render", "--arguments", "-")
	if code != 0 || !strings.Contains(out, `"text": "Run"`) || !strings.Contains(out, "server.scale") || strings.Contains(out, `"message"`) {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	code, sent, errs := runWith(t, `{"values":{"f0":{"v":{"value":"3"}},"f1":{"v":{"value":"{\"a\": 1}"}}}}`, "render", "--arguments", "--answer", "-", tempFile(t, tool))
	if want := `{"replicas":3,"labels":{"a":1}}` + "\n"; code != 0 || sent != want {
		t.Errorf("exit %d: %s%s, want %s", code, sent, errs, want)
	}
}

func TestRender_RefusalsSayWhereAndWhatTheServerGets(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		input string
		code  int
		want  string
	}{
		{[]string{"render", "-"}, `{"message":"x","requestedSchema":{"type":"object","properties":{"a":{"type":"object"}}}}`, 1, "requestedSchema.properties.a: a form is flat: an object cannot be asked for (the server is answered with the error -32602)"},
		{[]string{"render", "-"}, `{"message":"x","requestedSchema":{"type":"object","properties":{"a":{"type":"string","minLength":4000}}}}`, 1, "(the server is answered cancel)"},
		{[]string{"render", "-"}, `{"message"`, 1, "not valid JSON"},
		{[]string{"render", "/no/such/file"}, "", 1, "/no/such/file"},
		{[]string{"render"}, "", 2, "which file?"},
		{[]string{"render", "a", "b"}, "", 2, "one file too many"},
		{[]string{"render", "-", "--zone", "Nowhere"}, "{}", 1, "--zone Nowhere"},
		{[]string{"render", "--what"}, "", 2, "-what"},
	} {
		code, out, errs := runWith(t, tt.input, tt.args...)
		if code != tt.code || !strings.Contains(errs, tt.want) || out != "" {
			t.Errorf("%q: exit %d, %q %q; want %d and %q", tt.args, code, out, errs, tt.code, tt.want)
		}
	}
	if code, _, errs := runWith(t, `[]`, "render", tempFile(t, renderParams), "--answer", "-"); code != 1 || !strings.Contains(errs, "values") {
		t.Errorf("an answer without values: exit %d, %q", code, errs)
	}
}

func TestRender_PageToOpen(t *testing.T) {
	code, out, errs := runWith(t, `{"mode":"url","message":"Sign in","url":"https://example.com/x?y=z"}`, "render", "-")
	if code != 0 || !strings.Contains(out, "elicit_review_url") || !strings.Contains(out, `"url": "https://example.com/x?y=z"`) {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
