package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Reconnecting a stream: how long to wait when the server does not say, at
// least, and at most; and how often in a row it may fail.
const (
	defaultRetry   = time.Second
	minRetry       = 100 * time.Millisecond
	maxRetry       = 30 * time.Second
	resumeAttempts = 6
)

// errStreamEnded: the stream ended before the response.
var errStreamEnded = errors.New("the stream ended before the response")

// follow reads the stream that answers a request until the response. Up to
// 2025-11-25 a stream that ends or breaks is resumed after its own last event
// id, and what was asked on it stays open meanwhile; without an id, and in
// 2026-07-28, it cannot be.
func (w *httpWire) follow(ctx context.Context, body io.ReadCloser, key string) (message, error) {
	at := &cursor{}
	for {
		m, err := w.events(body, at, key)
		_ = body.Close()
		var protocol *ProtocolError
		switch {
		case err == nil:
			return m, nil
		case ctx.Err() != nil:
			return message{}, context.Cause(ctx)
		case errors.As(err, &protocol), errors.Is(err, errTooLong):
			return message{}, err
		case w.modern() || at.id == "":
			return message{}, &ServerDownError{Server: w.server, Problem: brokeMeanwhile, Err: err}
		}
		w.log.Info("the stream of a call ended early and is resumed", "err", err)
		if body, err = w.resume(ctx, at); err != nil {
			return message{}, err
		}
	}
}

// events hands on what comes on a stream until the response with that key.
// An empty key waits for none.
func (w *httpWire) events(body io.Reader, at *cursor, key string) (message, error) {
	stream := newEventReader(body, maxMessage, at)
	for {
		data, err := stream.next()
		if errors.Is(err, io.EOF) {
			return message{}, errStreamEnded
		}
		if err != nil {
			return message{}, err
		}
		m, err := decodeMessage(data)
		switch {
		case err != nil:
			w.log.Debug("an event of the server is no message", "err", err)
		case m.method != "":
			if err := w.receive(m); err != nil {
				return message{}, err
			}
		case idKey(m.id) == key:
			return m, nil
		default:
			w.log.Debug("a response that nobody waits for", "response_id", printable(string(m.id), 80))
		}
	}
}

// resume opens the stream again after the cursor.
func (w *httpWire) resume(ctx context.Context, at *cursor) (io.ReadCloser, error) {
	var last error
	for attempt := range resumeAttempts {
		select {
		case <-w.after(w.pause(at, attempt)):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		resp, err := w.open(ctx, at)
		if err == nil {
			return resp.Body, nil
		}
		var status *httpStatusError
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		last = err
		if errors.As(err, &status) && status.final() {
			break
		}
	}
	return nil, &ServerDownError{Server: w.server, Problem: brokeMeanwhile, Err: last}
}

// pause is how long to wait before the next attempt to open a stream.
func (w *httpWire) pause(at *cursor, failures int) time.Duration {
	d := defaultRetry
	if at.retry > 0 {
		d = max(at.retry, minRetry)
	}
	if failures == 0 {
		return d
	}
	return w.jitter(min(d<<min(failures, 10), max(maxRetry, d)))
}

// open GETs a stream, after the cursor when it has been read before.
func (w *httpWire) open(ctx context.Context, at *cursor) (*http.Response, error) {
	header := http.Header{}
	if at.id != "" {
		header.Set("Last-Event-Id", at.id)
	}
	resp, err := w.do(ctx, http.MethodGet, nil, header)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK || mediaType(resp) != "text/event-stream" {
		defer func() { _ = resp.Body.Close() }()
		return nil, statusError(w.server, resp)
	}
	return resp, nil
}

// listen holds the standing stream open. It is optional: a server that does
// not offer it, or loses it, is still good for calls, so nothing but this
// stream ends with it, and the log says so once.
func (w *httpWire) listen() {
	at := &cursor{}
	failures := 0
	heard := false
	for {
		err := w.listenOnce(at, func() {
			failures = 0
			if !heard {
				heard = true
				close(w.heard)
			}
		})
		if w.life.Err() != nil {
			return
		}
		if !heard {
			heard = true
			close(w.heard)
		}
		var protocol *ProtocolError
		var status *httpStatusError
		if errors.As(err, &status) && status.final() || errors.As(err, &protocol) || errors.Is(err, errTooLong) {
			w.log.Info("no standing stream with the server", "err", err)
			return
		}
		if !errors.Is(err, errStreamEnded) {
			failures++
		}
		if failures == 1 {
			w.log.Info("the standing stream broke and is opened again", "err", err)
		}
		select {
		case <-w.after(w.pause(at, failures)):
		case <-w.life.Done():
			return
		}
	}
}

func (w *httpWire) listenOnce(at *cursor, opened func()) error {
	resp, err := w.open(w.life, at)
	if err != nil {
		return fmt.Errorf("opening the standing stream: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	opened()
	_, err = w.events(resp.Body, at, "")
	return err
}
