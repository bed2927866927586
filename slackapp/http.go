package slackapp

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// maxBody bounds a request of Slack. A submission with 100 filled fields is far
// smaller.
const maxBody = 1 << 20

// NewHTTP serves what Slack posts: /slack/interactions, /slack/options,
// /slack/commands and /slack/events. Every request must be signed; nothing of
// an unsigned one is read but its bytes.
func NewHTTP(c *Client, h Handler) http.Handler {
	s := &httpIntake{c: c, d: newDispatcher(c, h)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /slack/interactions", s.signed(s.interaction))
	mux.HandleFunc("POST /slack/options", s.signed(s.interaction))
	mux.HandleFunc("POST /slack/commands", s.signed(s.command))
	mux.HandleFunc("POST /slack/events", s.signed(s.event))
	return mux
}

type httpIntake struct {
	c *Client
	d *dispatcher
}

func (s *httpIntake) signed(next func(http.ResponseWriter, *http.Request, []byte)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			var tooBig *http.MaxBytesError
			if errors.As(err, &tooBig) {
				http.Error(w, "too big", http.StatusRequestEntityTooLarge)
				return
			}
			http.Error(w, "unreadable", http.StatusBadRequest)
			return
		}
		if err := verify(s.c.o.SigningSecret, r.Header, body, s.c.o.Now()); err != nil {
			s.c.o.Log.Warn("a request with a bad signature was refused", "path", r.URL.Path, "err", err)
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		next(w, r, body)
	}
}

func (s *httpIntake) command(w http.ResponseWriter, r *http.Request, body []byte) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		http.Error(w, "not a form", http.StatusBadRequest)
		return
	}
	s.d.command(r.Context(), form)
	w.WriteHeader(http.StatusOK)
}

func (s *httpIntake) interaction(w http.ResponseWriter, r *http.Request, body []byte) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		http.Error(w, "not a form", http.StatusBadRequest)
		return
	}
	answer, err := s.d.interaction(r.Context(), []byte(form.Get("payload")))
	if err != nil {
		s.c.o.Log.Warn("an interaction could not be read", "err", err)
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	raw, err := encodeBody(answer.body)
	if err != nil {
		s.c.o.Log.Error("an acknowledgement could not be written", "err", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	if raw != nil {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	_, err = w.Write(raw)
	if err == nil {
		err = http.NewResponseController(w).Flush()
	}
	if err != nil {
		s.c.o.Log.Warn("an acknowledgement did not leave", "err", err)
		return
	}
	s.d.sent(r.Context(), answer)
}

// event answers Slack's check of the address; other events are acknowledged.
func (s *httpIntake) event(w http.ResponseWriter, _ *http.Request, body []byte) {
	var e struct {
		Type      string `json:"type"`
		Challenge string `json:"challenge"`
	}
	if json.Unmarshal(body, &e) == nil && e.Type == "url_verification" {
		w.Header().Set("Content-Type", "text/plain")
		if _, err := io.WriteString(w, e.Challenge); err != nil {
			s.c.o.Log.Warn("an acknowledgement did not leave", "err", err)
		}
		return
	}
	w.WriteHeader(http.StatusOK)
}
