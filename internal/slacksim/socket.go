package slacksim

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	maxSockets = 10
	// maxAck is the size from which an acknowledgement over a socket is
	// dropped in silence (slack-go#1196).
	maxAck = 20_480
	// debugSocketLife is the life of a socket with debug_reconnects=true.
	debugSocketLife = 360 * time.Second
	// refreshWarning is how long before its end a socket is warned.
	refreshWarning = 10 * time.Second
	// writeTimeout ends a socket whose app does not read.
	writeTimeout = 5 * time.Second
)

// socket is one Socket Mode connection.
type socket struct {
	sim  *Sim
	conn *websocket.Conn
	gone chan struct{} // closed when the connection has ended

	writeMu sync.Mutex // a websocket bears one writer

	mu      sync.Mutex
	waiting map[string][]chan receipt // by envelope id; several when copies were sent
	ended   bool
}

func (s *Sim) connectionsOpen(args) answer {
	if s.httpBase != "" {
		return bad("access_denied") // Socket Mode is off
	}
	ticket := s.token(16)
	s.tickets[ticket] = true
	u := url.URL{Scheme: "ws", Host: strings.TrimPrefix(s.base, "http://"), Path: "/link", RawQuery: url.Values{"ticket": {ticket}, "app_id": {s.space.AppID}}.Encode()}
	return good(object{"url": u.String()})
}

// serveSocket upgrades a connection whose ticket was not used yet.
func (s *Sim) serveSocket(w http.ResponseWriter, r *http.Request) {
	ticket := r.URL.Query().Get("ticket")
	s.mu.Lock()
	valid := s.tickets[ticket]
	delete(s.tickets, ticket)
	s.mu.Unlock()
	if !valid {
		http.Error(w, "invalid ticket", http.StatusForbidden)
		return
	}
	if !s.begin() {
		return
	}
	defer s.end()
	up := websocket.Upgrader{ReadBufferSize: 64 << 10, WriteBufferSize: 1 << 20}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		s.opt.Log.Warn("opening a socket", "err", err)
		return
	}
	k := &socket{sim: s, conn: conn, gone: make(chan struct{}), waiting: map[string][]chan receipt{}}
	life := s.opt.SocketLife
	if r.URL.Query().Get("debug_reconnects") == "true" {
		life = min(life, debugSocketLife)
	}
	k.serve(life)
}

// serve says hello, takes deliveries, and reads acknowledgements until the end.
func (k *socket) serve(life time.Duration) {
	defer k.close()
	defer k.sim.leave(k)
	if !k.greet(life) {
		return
	}
	var helpers sync.WaitGroup
	helpers.Go(func() { k.age(life) })
	k.read()
	k.close()
	helpers.Wait()
}

// greet says hello and makes k a target of deliveries. Nothing can be
// delivered before the hello, since k is locked for writing.
func (k *socket) greet(life time.Duration) bool {
	k.writeMu.Lock()
	defer k.writeMu.Unlock()
	n, reason := k.sim.join(k)
	if reason != "" {
		k.writeLocked(disconnectNotice(reason))
		return false
	}
	return k.writeLocked(object{
		"type": "hello", "num_connections": n, "connection_info": object{"app_id": k.sim.opt.Workspace.AppID},
		"debug_info": object{"host": "applink-simulated", "build_number": 1, "approximate_connection_time": int(life.Seconds())},
	})
}

// join adds k and returns the number of sockets, or why it cannot be added.
func (s *Sim) join(k *socket) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed || s.httpBase != "":
		return 0, "link_disabled"
	case len(s.sockets) >= maxSockets:
		return 0, "too_many_websockets"
	}
	s.sockets = append(s.sockets, k)
	s.change()
	return len(s.sockets), ""
}

func (s *Sim) leave(k *socket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sockets = slices.DeleteFunc(s.sockets, func(o *socket) bool { return o == k })
	s.change()
}

// read takes acknowledgements.
func (k *socket) read() {
	for {
		_, raw, err := k.conn.ReadMessage()
		if err != nil {
			return
		}
		if len(raw) >= maxAck {
			k.sim.trouble("an acknowledgement of %d bytes over a socket was dropped: the limit is %d", len(raw), maxAck)
			continue
		}
		var ack struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		if err := json.Unmarshal(raw, &ack); err != nil {
			k.sim.trouble("a message over a socket was no JSON: %v", err)
			continue
		}
		waiter := k.waiter(ack.EnvelopeID)
		if waiter == nil {
			k.sim.trouble("acknowledgement of envelope %s, which does not wait on this socket: late, repeated or sent elsewhere", ack.EnvelopeID)
			continue
		}
		waiter <- receipt{body: ack.Payload}
	}
}

// waiter takes who waits longest for the acknowledgement of an envelope.
func (k *socket) waiter(envelope string) chan<- receipt {
	k.mu.Lock()
	defer k.mu.Unlock()
	queue := k.waiting[envelope]
	if len(queue) == 0 {
		return nil
	}
	k.waiting[envelope] = queue[1:]
	return queue[0]
}

// forget ends the wait of got.
func (k *socket) forget(envelope string, got chan receipt) {
	k.mu.Lock()
	defer k.mu.Unlock()
	rest := slices.DeleteFunc(k.waiting[envelope], func(c chan receipt) bool { return c == got })
	if len(rest) == 0 {
		delete(k.waiting, envelope)
		return
	}
	k.waiting[envelope] = rest
}

// age pings the socket and refreshes it at the end of its life.
func (k *socket) age(life time.Duration) {
	ping := time.NewTicker(k.sim.opt.PingInterval)
	defer ping.Stop()
	warn, end := time.NewTimer(max(life-refreshWarning, 0)), time.NewTimer(life)
	defer warn.Stop()
	defer end.Stop()
	for {
		select {
		case <-ping.C:
			err := k.conn.WriteControl(websocket.PingMessage, []byte("ping"), time.Now().Add(writeTimeout))
			if err != nil {
				k.close()
			}
		case <-warn.C:
			k.write(disconnectNotice("warning"))
		case <-end.C:
			k.disconnect("refresh_requested")
		case <-k.gone:
			return
		}
	}
}

// send delivers p and waits until it is acknowledged on this very socket.
func (k *socket) send(ctx context.Context, envelope string, p parcel) (receipt, error) {
	got := make(chan receipt, 1)
	k.mu.Lock()
	k.waiting[envelope] = append(k.waiting[envelope], got)
	k.mu.Unlock()
	defer k.forget(envelope, got)
	o := object{
		"envelope_id": envelope, "type": p.envelope, "payload": p.payload,
		"accepts_response_payload": p.envelope != "events_api",
	}
	if p.envelope == "events_api" {
		o["retry_attempt"], o["retry_reason"] = p.attempt, p.reason
	}
	if !k.write(o) {
		return receipt{}, errNoEndpoint
	}
	select {
	case r := <-got:
		return r, nil
	case <-k.gone:
		return receipt{}, errNoAck
	case <-ctx.Done():
		return receipt{}, k.sim.lost(ctx)
	}
}

// pickSockets chooses n sockets at random, all different as far as there are
// enough.
func (s *Sim) pickSockets(n int) ([]*socket, error) {
	s.mu.Lock()
	live := append([]*socket(nil), s.sockets...)
	s.mu.Unlock()
	if len(live) == 0 {
		return nil, errNoEndpoint
	}
	for i := range live {
		j := i + s.random(len(live)-i)
		live[i], live[j] = live[j], live[i]
	}
	out := make([]*socket, n)
	for i := range out {
		out[i] = live[i%len(live)]
	}
	return out, nil
}

func (k *socket) write(o object) bool {
	k.writeMu.Lock()
	defer k.writeMu.Unlock()
	return k.writeLocked(o)
}

func (k *socket) writeLocked(o object) bool {
	if err := k.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return false
	}
	return k.conn.WriteMessage(websocket.TextMessage, encode(o)) == nil
}

func disconnectNotice(reason string) object {
	return object{"type": "disconnect", "reason": reason, "debug_info": object{"host": "applink-simulated"}}
}

// disconnect tells the app why, and ends the connection unless it is only a warning.
func (k *socket) disconnect(reason string) {
	k.write(disconnectNotice(reason))
	if reason != "warning" {
		k.close()
	}
}

func (k *socket) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return
	}
	k.ended = true
	close(k.gone)
	if err := k.conn.Close(); err != nil {
		k.sim.opt.Log.Debug("closing a socket", "err", err)
	}
}

// Disconnect sends a disconnect to the oldest socket: "warning" announces it
// only, "refresh_requested" and "link_disabled" also close the connection.
func (s *Sim) Disconnect(reason string) {
	s.mu.Lock()
	var oldest *socket
	if len(s.sockets) > 0 {
		oldest = s.sockets[0]
	}
	s.mu.Unlock()
	if oldest != nil {
		oldest.disconnect(reason)
	}
}

// Sockets is the number of sockets that deliveries may go to.
func (s *Sim) Sockets() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sockets)
}
