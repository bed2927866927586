package slackapp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

var (
	place = elicit.Place{Channel: "C1"}
	ref   = elicit.MessageRef{Channel: "C1", TS: "1.1"}
	note  = blockkit.Note(blockkit.Text("hello"))
	aView = blockkit.NoticeModal(blockkit.Text("hello"))
)

func TestErrors_HaveTheMeaningOnWhichCallersAct(t *testing.T) {
	for code, want := range map[string]error{
		"not_in_channel": elicit.ErrCannotPost, "channel_not_found": elicit.ErrCannotPost, "is_archived": elicit.ErrCannotPost,
		"restricted_action": elicit.ErrCannotPost, "restricted_action_read_only_channel": elicit.ErrCannotPost,
		"restricted_action_thread_locked": elicit.ErrCannotPost, "messages_tab_disabled": elicit.ErrCannotPost, "cannot_reply_to_message": elicit.ErrCannotPost,
		"internal_error": elicit.ErrSlackUnreachable, "fatal_error": elicit.ErrSlackUnreachable,
		"invalid_blocks": elicit.ErrRefused, "msg_too_long": elicit.ErrRefused, "no_text": elicit.ErrRefused, "msg_blocks_too_long": elicit.ErrRefused,
	} {
		_, url := newAPI(t, map[string]func(int, http.ResponseWriter, *http.Request){"chat.postMessage": says(`{"ok":false,"error":"` + code + `"}`)})
		if _, err := newClient(t, url, &naps{}).Post(t.Context(), place, note); !errors.Is(err, want) || !strings.Contains(err.Error(), code) {
			t.Errorf("chat.postMessage, %s: %v, want %v and the code", code, err, want)
		}
	}
	for code, want := range map[string]error{
		"expired_trigger_id": elicit.ErrTriggerExpired, "exchanged_trigger_id": elicit.ErrTriggerExpired, "invalid_trigger_id": elicit.ErrTriggerExpired,
		"trigger_expired": elicit.ErrTriggerExpired, "invalid_arguments": elicit.ErrRefused, "view_too_large": elicit.ErrRefused,
		"duplicate_external_id": elicit.ErrAlreadyOpen,
	} {
		a, url := newAPI(t, map[string]func(int, http.ResponseWriter, *http.Request){"views.open": says(`{"ok":false,"error":"` + code + `"}`)})
		if _, err := newClient(t, url, &naps{}).OpenView(t.Context(), "t", aView); !errors.Is(err, want) {
			t.Errorf("views.open, %s: %v, want %v", code, err, want)
		}
		if n := a.count("views.open"); n != 1 {
			t.Errorf("views.open, %s: %d attempts with one trigger", code, n)
		}
	}
	for code, want := range map[string]error{"message_not_found": elicit.ErrGone, "cant_update_message": elicit.ErrGone, "is_inactive": elicit.ErrGone} {
		_, url := newAPI(t, map[string]func(int, http.ResponseWriter, *http.Request){"chat.update": says(`{"ok":false,"error":"` + code + `"}`)})
		if err := newClient(t, url, &naps{}).Update(t.Context(), ref, note); !errors.Is(err, want) {
			t.Errorf("chat.update, %s: %v, want %v", code, err, want)
		}
	}
}

func TestErrors_CarryThePointersOfSlack(t *testing.T) {
	_, url := newAPI(t, map[string]func(int, http.ResponseWriter, *http.Request){
		"views.open": says(`{"ok":false,"error":"invalid_arguments","response_metadata":{"messages":["[ERROR] must be less than 25 characters [json-pointer:/view/title/text]"]}}`),
	})
	if _, err := newClient(t, url, &naps{}).OpenView(t.Context(), "t", aView); err == nil || !strings.Contains(err.Error(), "/view/title/text") {
		t.Errorf("OpenView: %v, want the pointer", err)
	}
}

func TestRetry_OnlyWhatCannotHappenTwice(t *testing.T) {
	limited := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	status := func(code int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	broken := func(w http.ResponseWriter, _ *http.Request) { // after Slack has read it
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
	code := func(c string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"ok":false,"error":%q}`, c) }
	}
	for name, tt := range map[string]struct {
		first               func(http.ResponseWriter, *http.Request)
		post, update, views int // attempts
	}{
		"429":                 {limited, 2, 2, 1},
		"503":                 {status(503), 2, 2, 1},
		"500":                 {status(500), 1, 2, 1},
		"unknown outcome":     {broken, 1, 2, 1},
		"internal_error":      {code("internal_error"), 1, 2, 1},
		"service_unavailable": {code("service_unavailable"), 2, 2, 1},
		"invalid_auth":        {code("invalid_auth"), 1, 1, 1},
	} {
		a, url := newAPI(t, map[string]func(int, http.ResponseWriter, *http.Request){
			"chat.postMessage": firstly(tt.first), "chat.update": firstly(tt.first), "views.open": firstly(tt.first),
		})
		c := newClient(t, url, &naps{})
		_, postErr := c.Post(t.Context(), place, note)
		updateErr := c.Update(t.Context(), ref, note)
		_, viewErr := c.OpenView(t.Context(), "t", aView)
		for _, r := range []struct {
			method string
			err    error
			want   int
		}{{"chat.postMessage", postErr, tt.post}, {"chat.update", updateErr, tt.update}, {"views.open", viewErr, tt.views}} {
			if got := a.count(r.method); got != r.want {
				t.Errorf("%s after %s: %d attempts, want %d", r.method, name, got, r.want)
			}
			if (r.err == nil) != (r.want == 2) {
				t.Errorf("%s after %s: %v with %d attempts", r.method, name, r.err, r.want)
			}
		}
	}
}

func TestRetry_WaitsExactlyWhatSlackAsks(t *testing.T) {
	_, url := newAPI(t, map[string]func(int, http.ResponseWriter, *http.Request){"chat.update": firstly(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	})})
	clock := &naps{}
	c := newClient(t, url, clock)
	if err := c.Update(t.Context(), ref, note); err != nil {
		t.Fatal(err)
	}
	if w := clock.all(); len(w) != 1 || w[0] != 30*time.Second {
		t.Errorf("waited %v, want 30 s once", w)
	}
}

func TestRateLimit_OfOneMethodHoldsUpNoOther(t *testing.T) {
	release := make(chan struct{})
	_, url := newAPI(t, map[string]func(int, http.ResponseWriter, *http.Request){"chat.update": func(_ int, w http.ResponseWriter, _ *http.Request) {
		<-release
		fmt.Fprint(w, `{"ok":true}`)
	}})
	c := newClient(t, url, &naps{})
	done := make(chan error, 1)
	go func() { done <- c.Update(t.Context(), ref, note) }()
	if _, err := c.OpenView(t.Context(), "t", aView); err != nil {
		t.Errorf("views.open behind a stuck chat.update: %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestPost_MessagesOfOneChannelAreASecondApart(t *testing.T) {
	_, url := newAPI(t, nil)
	clock := &naps{}
	c := newClient(t, url, clock)
	for _, channel := range []string{"C1", "C2", "C1", "C1"} {
		if _, err := c.Post(t.Context(), elicit.Place{Channel: channel}, note); err != nil {
			t.Fatal(err)
		}
	}
	if w := clock.all(); len(w) != 2 || w[0] != time.Second || w[1] != time.Second {
		t.Errorf("waited %v, want a second before each further message of C1", w)
	}
}

func TestUpdate_NewestContentWins(t *testing.T) {
	var texts []string
	started, release := make(chan struct{}, 8), make(chan struct{})
	_, url := newAPI(t, map[string]func(int, http.ResponseWriter, *http.Request){"chat.update": func(n int, w http.ResponseWriter, r *http.Request) {
		texts = append(texts, r.FormValue("text"))
		started <- struct{}{}
		if n == 1 {
			<-release
		}
		fmt.Fprint(w, `{"ok":true}`)
	}})
	c := newClient(t, url, &naps{})
	results := make(chan error, 3)
	send := func(text string) {
		go func() { results <- c.Update(t.Context(), ref, blockkit.Note(blockkit.Text(text))) }()
	}
	send("one")
	<-started
	send("two")
	waitFor(t, "two waits", func() bool { return c.redraws.pending(ref) })
	send("three")
	if err := <-results; err != nil { // two: its content is history
		t.Error(err)
	}
	close(release)
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(texts, " "); got != "one three" {
		t.Errorf("drawn: %s, want one three", got)
	}
}

// pending reports whether content waits behind what is being drawn.
func (r *redraws) pending(ref elicit.MessageRef) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting[ref] != nil
}

func waitFor(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func TestSecrets_AreInNoError(t *testing.T) {
	c := newClient(t, "http://127.0.0.1:1/", &naps{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, identify := c.Identify(ctx)
	respond := c.Respond(t.Context(), "http://127.0.0.1:1/response/canary", note)
	for what, err := range map[string]error{"Identify": identify, "CheckSocket": c.CheckSocket(ctx), "Respond": respond} {
		if err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v; want an error without secrets", what, err)
		}
	}
	if text := fmt.Sprintf("%v %+v %#v", c.o.BotToken, c.o.AppToken, testSecret); strings.Contains(text, "canary") {
		t.Errorf("a secret prints as %s", text)
	}
}

func TestIdentify_WrongTokenNamesTheVariableAndTheMend(t *testing.T) {
	_, url := newAPI(t, map[string]func(int, http.ResponseWriter, *http.Request){
		"auth.test": says(`{"ok":false,"error":"invalid_auth"}`), "apps.connections.open": says(`{"ok":false,"error":"not_allowed_token_type"}`),
	})
	c := newClient(t, url, &naps{})
	if _, err := c.Identify(t.Context()); err == nil || !strings.Contains(err.Error(), "SLACK_BOT_TOKEN") || !strings.Contains(err.Error(), "copy the token again") {
		t.Errorf("Identify: %v", err)
	}
	if err := c.CheckSocket(t.Context()); err == nil || !strings.Contains(err.Error(), "SLACK_APP_TOKEN") || !strings.Contains(err.Error(), "xapp-") {
		t.Errorf("CheckSocket: %v", err)
	}
}
