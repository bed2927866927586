package slackapp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/slackbridge/slackbridge/elicit"
)

const (
	// maxAck is the size from which Slack drops an acknowledgement in silence.
	maxAck = 20 << 10
	// socketSilence is how long a socket may be quiet, pings included.
	socketSilence = 45 * time.Second
	socketWrite   = 3 * time.Second
	maxEnvelope   = 4 << 20
	// drainTime is how long a socket that was told to go still acknowledges
	// what is under way on it.
	drainTime = 12 * time.Second
)

// Socket receives through Socket Mode.
type Socket struct {
	c    *Client
	d    *dispatcher
	live atomic.Int32 // sockets that have said hello and were not told to go
}

// NewSocket returns a Socket for the app token of c.
func NewSocket(c *Client, h Handler) *Socket { return &Socket{c: c, d: newDispatcher(c, h)} }

// Ready reports whether a socket stands.
func (s *Socket) Ready() bool { return s.live.Load() > 0 }

// Run keeps a socket open until ctx ends, and then waits for the handlers that
// still run. It returns an error only when trying again would not help. A
// socket that is told to go is replaced first and closed afterwards.
func (s *Socket) Run(ctx context.Context) error {
	defer s.d.jobs.Wait()
	var conns sync.WaitGroup
	defer conns.Wait()
	backoff := firstBackoff
	for ctx.Err() == nil {
		conn, err := s.open(ctx)
		if err == nil {
			leaving := make(chan bool, 1) // true: it was asked to go
			conns.Go(func() { s.serve(ctx, conn, leaving) })
			if <-leaving {
				backoff = firstBackoff
				continue
			}
			err = errors.New("the socket broke")
		}
		if ctx.Err() != nil {
			return nil
		}
		if fatal := fatalSocket(err); fatal != nil {
			return fatal
		}
		s.c.o.Log.Warn("no Socket Mode connection; trying again", "err", err)
		if s.c.o.Sleep(ctx, backoff+rand.N(backoff)) != nil {
			return nil
		}
		backoff = min(2*backoff, maxBackoff)
	}
	return nil
}

// fatalSocket is the error of a token that will not get better.
func fatalSocket(err error) error {
	switch codeOf(err) {
	case "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "not_allowed_token_type", "missing_scope", "forbidden_team":
		return fmt.Errorf("SLACK_APP_TOKEN: opening a Socket Mode connection: %w%s", err, tokenMend(err))
	}
	return nil
}

func (s *Socket) open(ctx context.Context) (*websocket.Conn, error) {
	octx, cancel := context.WithTimeoutCause(ctx, 15*time.Second, errors.New("Slack did not answer within 15 s"))
	defer cancel()
	var address string
	err := s.c.do(octx, "apps.connections.open", "", never, func(ctx context.Context) (err error) {
		_, address, err = s.c.api.StartSocketModeContext(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(octx, address, nil)
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close() // the connection is conn's from here on
	}
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // the address holds a ticket
		}
		return nil, fmt.Errorf("opening a Socket Mode connection: %w: %w", elicit.ErrSlackUnreachable, err)
	}
	conn.SetReadLimit(maxEnvelope)
	return conn, nil
}

// envelope is one message on a socket.
type envelope struct {
	Type                   string          `json:"type"`
	EnvelopeID             string          `json:"envelope_id"`
	Payload                json.RawMessage `json:"payload"`
	AcceptsResponsePayload bool            `json:"accepts_response_payload"`
	Reason                 string          `json:"reason"`
}

// serve reads one socket until it ends. leaving hears once: true when Slack
// asked it to go, so that the next one is opened while this one drains.
func (s *Socket) serve(ctx context.Context, conn *websocket.Conn, leaving chan<- bool) {
	w := &socketWriter{conn: conn}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // wakes the reader
	defer stop()
	defer conn.Close()
	hello, told := false, false
	defer func() {
		if hello && !told {
			s.live.Add(-1)
		}
		if !told {
			leaving <- false
		}
	}()
	alive := func() error { return conn.SetReadDeadline(time.Now().Add(socketSilence)) }
	conn.SetPingHandler(func(data string) error {
		if err := alive(); err != nil {
			return err
		}
		return w.control(websocket.PongMessage, []byte(data))
	})
	for {
		if !told && alive() != nil {
			return
		}
		_, raw, err := conn.ReadMessage()
		if err != nil {
			return
		}
		var e envelope
		if json.Unmarshal(raw, &e) != nil {
			s.c.o.Log.Warn("an envelope could not be read")
			continue
		}
		switch e.Type {
		case "hello":
			if !hello {
				hello = true
				s.live.Add(1)
				s.c.o.Log.Info("connected to Slack over Socket Mode")
			}
		case "disconnect":
			if !told {
				told = true
				if hello {
					s.live.Add(-1)
				}
				s.c.o.Log.Info("Slack asks for a new socket", "reason", e.Reason)
				leaving <- true
				if conn.SetReadDeadline(time.Now().Add(drainTime)) != nil {
					return
				}
			}
		default:
			s.d.jobs.Go(func() { s.handle(ctx, w, e) })
		}
	}
}

// handle acknowledges an envelope on the socket on which it came.
func (s *Socket) handle(ctx context.Context, w *socketWriter, e envelope) {
	var answer ack
	switch e.Type {
	case "interactive":
		var err error
		if answer, err = s.d.interaction(ctx, e.Payload); err != nil {
			s.c.o.Log.Warn("an interaction could not be read", "err", err)
		}
	case "slash_commands":
		var fields map[string]any
		if err := json.Unmarshal(e.Payload, &fields); err != nil {
			s.c.o.Log.Warn("a command could not be read")
			break
		}
		form := url.Values{}
		for k, v := range fields {
			if text, ok := v.(string); ok {
				form.Set(k, text)
			}
		}
		s.d.command(ctx, form)
	}
	if err := s.ack(w, e.EnvelopeID, answer.body); err != nil {
		s.c.o.Log.Warn("an acknowledgement did not leave", "err", err)
		return
	}
	s.d.sent(ctx, answer)
}

// ack sends the acknowledgement. One that Slack would drop in silence is not
// sent: an empty one closes the form, which is better than an error for
// something that was done.
func (s *Socket) ack(w *socketWriter, id string, body any) error {
	type ack struct {
		EnvelopeID string `json:"envelope_id"`
		Payload    any    `json:"payload,omitempty"`
	}
	raw, err := json.Marshal(ack{EnvelopeID: id, Payload: body})
	if err != nil {
		return fmt.Errorf("writing an acknowledgement: %w", err)
	}
	if len(raw) >= maxAck {
		s.c.o.Log.Error("an acknowledgement is too big for a socket and is sent empty", "bytes", len(raw))
		if raw, err = json.Marshal(ack{EnvelopeID: id}); err != nil {
			return fmt.Errorf("writing an acknowledgement: %w", err)
		}
	}
	return w.text(raw)
}

// socketWriter lets several goroutines write to one socket.
type socketWriter struct {
	mu   sync.Mutex
	conn *websocket.Conn
}

func (w *socketWriter) text(raw []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.conn.SetWriteDeadline(time.Now().Add(socketWrite)); err != nil {
		return err
	}
	return w.conn.WriteMessage(websocket.TextMessage, raw)
}

func (w *socketWriter) control(kind int, data []byte) error {
	return w.conn.WriteControl(kind, data, time.Now().Add(socketWrite))
}
