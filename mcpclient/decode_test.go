package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeMessage_KeepsEverythingRaw(t *testing.T) {
	m, err := decodeMessage([]byte(`{"params":{"b":1.0,"a":9007199254740993},"jsonrpc":"2.0","id":9007199254740993,"method":"x","ID":1,"Method":"y"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := message{id: json.RawMessage(`9007199254740993`), method: "x", params: json.RawMessage(`{"b":1.0,"a":9007199254740993}`)}
	if d := cmp.Diff(want, m, cmp.AllowUnexported(message{})); d != "" {
		t.Errorf("message (-want +got):\n%s", d)
	}
}

func TestDecodeMessage_TellsTheKindsApart(t *testing.T) {
	tests := map[string]string{
		`{"id":1,"method":"x"}`:                         "request",
		`{"method":"x","params":{}}`:                    "notification",
		`{"id":null,"method":"x"}`:                      "notification",
		`{"id":1,"result":null}`:                        "response",
		`{"id":"a","result":{}}`:                        "response",
		`{"id":1,"error":{"code":1,"message":"m"}}`:     "error",
		`{"id":null,"error":{"code":"x"}}`:              "error",
		`{"id":1,"result":{},"error":null}`:             "response",
		`{"id":true,"method":"x"}`:                      "none",
		`{"id":{},"result":{}}`:                         "none",
		`{"id":1}`:                                      "none",
		`{"id":1,"method":7}`:                           "none",
		`{"id":1,"method":""}`:                          "none",
		`[{"id":1,"method":"x"}]`:                       "none",
		`{"id":1,"method":"x"} {}`:                      "none",
		`{"id":1,"method":"x"`:                          "none",
		``:                                              "none",
		`null`:                                          "none",
		`{"id":1,"method":"x","params":` + "\x00" + `}`: "none",
	}
	for text, want := range tests {
		m, err := decodeMessage([]byte(text))
		got := "response"
		switch {
		case err != nil:
			got = "none"
		case m.isRequest():
			got = "request"
		case m.isNotification():
			got = "notification"
		case m.err != nil:
			got = "error"
		}
		if got != want {
			t.Errorf("decodeMessage(%s) is a %s (%v), want %s", text, got, err, want)
		}
	}
}

func TestIDKey_TextAndNumberDiffer(t *testing.T) {
	if idKey(json.RawMessage(`1`)) == idKey(json.RawMessage(`"1"`)) {
		t.Error(`1 and "1" are the same id`)
	}
	if idKey(json.RawMessage(`9007199254740993`)) == idKey(json.RawMessage(`9007199254740992`)) {
		t.Error("two big numbers are the same id")
	}
	if idKey(json.RawMessage(`"\u0061"`)) != idKey(json.RawMessage(`"a"`)) {
		t.Error("the same text written in two ways is two ids")
	}
}

func TestQuote_KeepsWhatHTMLWouldEscape(t *testing.T) {
	if got := string(quote("<&>\"\n")); got != `"<&>\"\n"` {
		t.Errorf("quote gives %s", got)
	}
}

func TestPrintable_LeavesNothingThatATerminalObeys(t *testing.T) {
	tests := map[string]string{
		"plain é 部":            "plain é 部",
		"\x1b[31mred\x07":      `\u001b[31mred\u0007`,
		"a\u202eb\u200bc":      `a\u202eb\u200bc`,
		"bad \xff byte":        `bad \xff byte`,
		"line\nbreak":          `line\u000abreak`,
		"a real \ufffd":        "a real \ufffd",
		strings.Repeat("é", 9): "éééééééé…",
	}
	for in, want := range tests {
		limit := 100
		if strings.HasSuffix(want, "…") {
			limit = 8
		}
		if got := printable(in, limit); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func events(r io.Reader, limit int) (got []string, at cursor, err error) {
	e := newEventReader(r, limit, &at)
	for {
		data, err := e.next()
		if err != nil {
			return got, at, err
		}
		got = append(got, string(data))
	}
}

func TestEventReader_ReadsAsTheStandardSays(t *testing.T) {
	tests := map[string]struct {
		stream string
		want   []string
		at     cursor
	}{
		"several data lines":           {"data: a\ndata:b\ndata:  c\n\n", []string{"a\nb\n c"}, cursor{}},
		"every kind of line end":       {"data: a\r\n\r\ndata: b\r\rdata: c\n\n", []string{"a", "b", "c"}, cursor{}},
		"comments and unknown fields":  {": hi\nfoo: bar\nevent: message\ndata: a\n\n", []string{"a"}, cursor{}},
		"a byte order mark":            {"\ufeffdata: a\n\n", []string{"a"}, cursor{}},
		"ids and retry":                {"id: 1\nretry: 250\ndata: a\n\nid: 2\ndata: b\n\n", []string{"a", "b"}, cursor{id: "2", retry: 250 * time.Millisecond}},
		"an id without data counts":    {"id: prime\ndata\n\nid: 9\n\n", []string{""}, cursor{id: "9"}},
		"an id with NUL does not":      {"id: a\x00b\ndata: a\n\n", []string{"a"}, cursor{}},
		"an odd retry does not":        {"retry: 1s\nretry: -1\ndata: a\n\n", []string{"a"}, cursor{}},
		"a last event without its end": {"id: 1\ndata: a\n\nid: 2\ndata: b", []string{"a", "b"}, cursor{id: "1"}},
		"blank lines only":             {"\n\n\r\n", nil, cursor{}},
		"an event without data":        {"event: ping\n\ndata: a\n\n", []string{"a"}, cursor{}},
	}
	for name, tc := range tests {
		for _, split := range []bool{false, true} {
			var r io.Reader = strings.NewReader(tc.stream)
			if split {
				r = iotest.OneByteReader(r)
			}
			got, at, err := events(r, 100)
			if !errors.Is(err, io.EOF) {
				t.Errorf("%s: ended with %v", name, err)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
			if at != tc.at {
				t.Errorf("%s: the cursor is %+v, want %+v", name, at, tc.at)
			}
		}
	}
}

func TestEventReader_BreaksOffAndLimits(t *testing.T) {
	broken := errors.New("reset")
	got, _, err := events(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)), 100)
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("a broken stream gave %q and %v, want the first event and the reason", got, err)
	}
	for name, stream := range map[string]string{"one line": "data: " + strings.Repeat("x", 200), "many lines": strings.Repeat("data: xxxxxxxxxx\n", 20)} {
		if _, _, err := events(strings.NewReader(stream), 100); !errors.Is(err, errTooLong) {
			t.Errorf("%s over the limit ended with %v, want errTooLong", name, err)
		}
	}
}

func lines(r io.Reader, limit int) (got []string, err error) {
	l := newLineReader(r, limit)
	for {
		line, err := l.next()
		if err != nil {
			return got, err
		}
		got = append(got, string(line))
	}
}

func TestLineReader_OneMessageALine(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	got, err := lines(strings.NewReader("a\r\n\n  \n "+long+"\nlast"), 20_000)
	if d := cmp.Diff([]string{"a", long, "last"}, got); d != "" || !errors.Is(err, io.EOF) {
		t.Errorf("lines (-want +got), ended with %v:\n%s", err, d)
	}
	got, err = lines(strings.NewReader("a\n"+long+"\nb\n"), 5_000)
	if len(got) != 1 || !errors.Is(err, errTooLong) {
		t.Errorf("a line over the limit gave %d lines and %v, want one and errTooLong", len(got), err)
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte("id: 1\nretry: 5\ndata: {\"id\":1,\ndata: \"method\":\"x\"}\n\n"))
	f.Add([]byte("\ufeff: c\r\rdata: {}\r\n\r\n"))
	f.Add([]byte(`{"id":1,"result":{}}` + "\n" + `{"method":"x","params":{"b":1.0}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 256
		got, _, err := events(bytes.NewReader(data), limit)
		again, _, err2 := events(iotest.OneByteReader(bytes.NewReader(data)), limit)
		if fmt.Sprint(got, err) != fmt.Sprint(again, err2) {
			t.Errorf("events depend on how the stream is cut:\n%q %v\n%q %v", got, err, again, err2)
		}
		said, _ := lines(bytes.NewReader(data), limit)
		for _, text := range append(said, got...) {
			if len(text) > limit {
				t.Errorf("%d bytes got past the limit", len(text))
			}
			m, err := decodeMessage([]byte(text))
			if err != nil {
				continue
			}
			if m.isRequest() {
				back, err := decodeMessage(encodeRequest(m.id, m.method, m.params))
				if err != nil || idKey(back.id) != idKey(m.id) || back.method != m.method || !bytes.Equal(back.params, m.params) {
					t.Errorf("request %q came back as %+v, %v", text, back, err)
				}
			}
		}
	})
}
