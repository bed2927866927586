package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// demoPage is the demo as its page sees it.
type demoPage struct {
	t   *testing.T
	url string
}

func startDemo(t *testing.T, args ...string) demoPage {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var out, errs syncBuffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append([]string{"demo", "--no-browser"}, args...), stdio{in: strings.NewReader(""), out: &out, err: &errs})
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-done; code != 0 {
			t.Errorf("the demo ended with %d: %s", code, errs.String())
		}
	})
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)
	deadline := time.After(patience)
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		if found := address.FindString(out.String()); found != "" {
			tick.Stop()
			return demoPage{t: t, url: found}
		}
		select {
		case code := <-done:
			done <- code
			t.Fatalf("the demo ended with %d: %s", code, errs.String())
		case <-deadline:
			t.Fatalf("the demo printed no address: %s %s", out.String(), errs.String())
		case <-tick.C:
		}
	}
}

func (d demoPage) do(name string, body map[string]any) {
	d.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.url+"api/"+name, bytes.NewReader(raw))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out struct{ Error string }
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || out.Error != "" {
		d.t.Fatalf("%s %v: %v %s", name, body, err, out.Error)
	}
}

type pageState struct {
	Messages []struct{ TS, Text string }
	Thread   []struct{ TS, Text string }
	Modal    *struct {
		Title  string
		Fields []struct{ Label string }
	}
}

func (d demoPage) state(thread string) pageState {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.url+"api/state?user=U_ANN&channel=C_DEPLOYS&thread="+thread, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	var s pageState
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
		d.t.Fatal(err)
	}
	return s
}

func (d demoPage) wait(what, thread string, cond func(pageState) bool) pageState {
	d.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		s := d.state(thread)
		if cond(s) {
			return s
		}
		select {
		case <-tick.C:
		case <-deadline:
			d.t.Fatalf("waited in vain for: %s; the page shows %+v", what, s)
		}
	}
}

func TestDemo_AQuestionIsAnsweredOnThePage(t *testing.T) {
	d := startDemo(t)
	d.do("type", map[string]any{"user": "U_ANN", "channel": "C_DEPLOYS", "text": deployCommand})
	s := d.wait("the form", "", func(s pageState) bool { return s.Modal != nil && len(s.Modal.Fields) == 3 })
	if s.Modal.Title != "deploy" {
		t.Errorf("the form is titled %q, want the server's name", s.Modal.Title)
	}
	for label, value := range map[string]string{"Cluster": "staging", "Maintenance window": "now", "Confirm": "Yes"} {
		d.do("fill", map[string]any{"user": "U_ANN", "label": label, "values": []string{value}})
	}
	d.do("submit", map[string]any{"user": "U_ANN"})
	s = d.wait("the call in the channel", "", func(s pageState) bool { return len(s.Messages) > 0 && s.Modal == nil })
	d.wait("the result", s.Messages[0].TS, func(s pageState) bool {
		return len(s.Thread) > 0 && strings.Contains(s.Thread[len(s.Thread)-1].Text, "Deployed payments 2.3.1 to staging")
	})
}

func TestDemo_IsServedOnLoopbackOnly(t *testing.T) {
	for _, bad := range []string{"0.0.0.0:0", ":8080", "192.0.2.1:80", "nonsense"} {
		code, _, errs := runCommand(t, "demo", "--no-browser", "--listen", bad)
		if code != 1 || !strings.Contains(errs, "127.0.0.1") {
			t.Errorf("--listen %s: exit %d, %q; want 1 and the mend", bad, code, errs)
		}
	}
}
