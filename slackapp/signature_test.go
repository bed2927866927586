package slackapp

import (
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

const testSecret = Secret("shhh-canary")

func signedHeader(secret Secret, at time.Time, body string) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	h := http.Header{}
	h.Set("X-Slack-Request-Timestamp", stamp)
	h.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac(secret, stamp, []byte(body))))
	return h
}

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func TestVerify_NamesEachWayToFail(t *testing.T) {
	const body = "payload=%7B%7D"
	with := func(name, value string) http.Header {
		h := signedHeader(testSecret, noon, body)
		h.Set(name, value)
		return h
	}
	for name, tt := range map[string]struct {
		h    http.Header
		want error
	}{
		"right":                  {signedHeader(testSecret, noon, body), nil},
		"right, 4:59 old":        {signedHeader(testSecret, noon.Add(-299*time.Second), body), nil},
		"no signature":           {http.Header{}, ErrNoSignature},
		"no timestamp":           {with("X-Slack-Request-Timestamp", ""), ErrNoSignature},
		"timestamp abc":          {with("X-Slack-Request-Timestamp", "abc"), ErrBadTimestamp},
		"six minutes old":        {signedHeader(testSecret, noon.Add(-6*time.Minute), body), ErrStale},
		"six minutes ahead":      {signedHeader(testSecret, noon.Add(6*time.Minute), body), ErrStale},
		"of another body":        {signedHeader(testSecret, noon, body+"x"), ErrBadSignature},
		"by another secret":      {signedHeader("other", noon, body), ErrBadSignature},
		"another version":        {with("X-Slack-Signature", "v1=00"), ErrBadSignature},
		"not hexadecimal":        {with("X-Slack-Signature", "v0=zz"), ErrBadSignature},
		"empty mac":              {with("X-Slack-Signature", "v0="), ErrBadSignature},
		"other timestamp inside": {with("X-Slack-Request-Timestamp", strconv.FormatInt(noon.Unix()+1, 10)), ErrBadSignature},
	} {
		if err := verify(testSecret, tt.h, []byte(body), noon); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

func FuzzVerify(f *testing.F) {
	good := signedHeader(testSecret, noon, "x")
	f.Add(good.Get("X-Slack-Signature"), good.Get("X-Slack-Request-Timestamp"), "x")
	f.Add("v0=", "0", "")
	f.Fuzz(func(t *testing.T, signature, stamp, body string) {
		h := http.Header{}
		h.Set("X-Slack-Signature", signature)
		h.Set("X-Slack-Request-Timestamp", stamp)
		if verify(testSecret, h, []byte(body), noon) == nil && (body != "x" || stamp != good.Get("X-Slack-Request-Timestamp")) {
			t.Errorf("%q at %q passes for %q", signature, stamp, body)
		}
	})
}

func TestHTTP_UnsignedRequestsReachNobody(t *testing.T) {
	h := &recorder{}
	c := newClient(t, "http://127.0.0.1:1/", nil)
	srv := httptest.NewServer(NewHTTP(c, h))
	defer srv.Close()
	body := "payload=" + strings.Repeat("x", 10)
	for name, tt := range map[string]struct {
		method, body string
		h            http.Header
		want         int
	}{
		"no signature": {http.MethodPost, body, http.Header{}, http.StatusUnauthorized},
		"stale":        {http.MethodPost, body, signedHeader(testSecret, noon.Add(-time.Hour), body), http.StatusUnauthorized},
		"other body":   {http.MethodPost, body, signedHeader(testSecret, noon, "payload=y"), http.StatusUnauthorized},
		"too big":      {http.MethodPost, strings.Repeat("x", maxBody+1), http.Header{}, http.StatusRequestEntityTooLarge},
		"a GET":        {http.MethodGet, "", http.Header{}, http.StatusMethodNotAllowed},
		"signed junk":  {http.MethodPost, body, signedHeader(testSecret, noon, body), http.StatusBadRequest},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, srv.URL+"/slack/interactions", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = tt.h
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s: status %d, want %d", name, resp.StatusCode, tt.want)
		}
	}
	if n := h.total(); n != 0 {
		t.Errorf("%d handlers ran", n)
	}
}

func TestHTTP_AnswersSlacksCheckOfTheAddress(t *testing.T) {
	c := newClient(t, "http://127.0.0.1:1/", nil)
	srv := httptest.NewServer(NewHTTP(c, &recorder{}))
	defer srv.Close()
	body := `{"type":"url_verification","challenge":"c-123"}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/slack/events", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = signedHeader(testSecret, noon, body)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, _ := io.ReadAll(resp.Body); string(got) != "c-123" {
		t.Errorf("the challenge is answered %q", got)
	}
}

// newClient is a client at a fixed time; naps, when set, hears of every wait.
func newClient(t *testing.T, apiURL string, naps *naps) *Client {
	t.Helper()
	o := Options{
		BotToken: "xoxb-canary", AppToken: "xapp-canary", SigningSecret: testSecret, APIURL: apiURL,
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon },
	}
	if naps != nil {
		o.Now, o.Sleep = naps.now, naps.sleep
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
