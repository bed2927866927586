package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// How long a child has to end by itself: after its input was closed, and after
// it was asked to. Then it is killed.
const (
	closeGrace = 2 * time.Second
	termGrace  = 3 * time.Second
	drainGrace = time.Second // for its pipes to end after its death
)

// stdioWire is a connection to a child process: one JSON-RPC message a line on
// its standard input and output.
type stdioWire struct {
	negotiation

	server  string
	child   *child
	receive receive
	log     *slog.Logger
	after   func(time.Duration) <-chan time.Time

	writes  chan outgoing
	last    lastLine      // what it said last on stderr
	strange lastLine      // what it said last on stdout that was no message
	closing chan struct{} // closed when we end the connection
	closed  sync.Once
	broken  chan error    // why we give it up although the process lives; takes one
	eof     chan struct{} // closed when its output ended
	exited  chan struct{} // closed when the process has ended
	dead    chan struct{} // closed when everything has; see lost
	err     error         // written before dead is closed

	mu      sync.Mutex
	waiting map[string]chan<- message
}

var _ wire = (*stdioWire)(nil)

// outgoing is one line on its way to the child.
type outgoing struct {
	line []byte
	done chan<- error
}

// openStdio starts the child. The connection lives until shut, whatever
// becomes of the contexts of its callers.
func openStdio(c serverConfig, environ []string, r receive, log *slog.Logger, after func(time.Duration) <-chan time.Time) (*stdioWire, error) {
	ch, err := startChild(c, environ)
	if err != nil {
		return nil, &ServerDownError{Server: c.name, Problem: "cannot be started: " + err.Error(), Err: err}
	}
	w := &stdioWire{
		server: c.name, child: ch, receive: r, log: log, after: after,
		writes: make(chan outgoing), closing: make(chan struct{}), broken: make(chan error, 1), eof: make(chan struct{}),
		exited: make(chan struct{}), dead: make(chan struct{}), waiting: map[string]chan<- message{},
	}
	stderrEnd := make(chan struct{})
	go w.read()
	go func() {
		defer close(stderrEnd)
		w.readStderr(ch.stderr)
	}()
	go w.write()
	go func() {
		_ = ch.cmd.Wait() // its state says how it ended
		close(w.exited)
	}()
	go w.watch(stderrEnd)
	return w, nil
}

func (w *stdioWire) lost() <-chan struct{} { return w.dead }

func (w *stdioWire) problem() error {
	select {
	case <-w.dead:
		return w.err
	default:
		return nil
	}
}

func (w *stdioWire) exchange(ctx context.Context, id json.RawMessage, body []byte, _ http.Header) (message, error) {
	answer := make(chan message, 1)
	key := idKey(id)
	w.mu.Lock()
	w.waiting[key] = answer
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.waiting, key)
		w.mu.Unlock()
	}()
	if err := w.send(ctx, body); err != nil {
		return message{}, err
	}
	select {
	case m := <-answer:
		return m, nil
	case <-ctx.Done():
		return message{}, context.Cause(ctx)
	case <-w.dead:
		select {
		case m := <-answer: // its last words
			return m, nil
		default:
			return message{}, w.err
		}
	}
}

// send waits for its turn and for the write, but not longer than ctx: a child
// that does not read must hold up nobody.
func (w *stdioWire) send(ctx context.Context, body []byte) error {
	line, err := oneLine(body)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	select {
	case w.writes <- outgoing{line: line, done: done}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-w.dead:
		return w.err
	}
	select {
	case err = <-done:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-w.dead:
		select {
		case err = <-done: // written before the end: the server may have read it
		default:
			return w.err
		}
	}
	if err == nil {
		return nil
	}
	select { // its end, which is near, says more than a broken pipe
	case <-w.dead:
		return w.err
	case <-w.after(drainGrace):
		return err
	}
}

// write is the one goroutine that writes to the child.
func (w *stdioWire) write() {
	for {
		select {
		case o := <-w.writes:
			_, err := w.child.stdin.Write(append(o.line[:len(o.line):len(o.line)], '\n'))
			if err != nil {
				err = fmt.Errorf("writing to server %s: %w", w.server, err)
			}
			o.done <- err
		case <-w.dead:
			return
		}
	}
}

// read hands on what the child writes, until its output ends.
func (w *stdioWire) read() {
	defer close(w.eof)
	lines := newLineReader(w.child.stdout, maxMessage)
	for {
		line, err := lines.next()
		if errors.Is(err, errTooLong) {
			w.giveUp(err)
		}
		if err != nil {
			return
		}
		m, err := decodeMessage(line)
		if err != nil {
			w.strange.set(string(line))
			w.log.Debug("a line of the server is no message", "err", err, "line", printable(string(line), 200))
			continue
		}
		w.dispatch(m)
	}
}

func (w *stdioWire) dispatch(m message) {
	if m.method != "" {
		if err := w.receive(m); err != nil {
			w.giveUp(err)
		}
		return
	}
	w.mu.Lock()
	answer := w.waiting[idKey(m.id)]
	delete(w.waiting, idKey(m.id))
	w.mu.Unlock()
	if answer != nil {
		answer <- m
		return
	}
	w.unclaimed(m)
	w.log.Debug("a response that nobody waits for", "response_id", printable(string(m.id), 80))
}

// giveUp ends the connection because of err. Only the first reason counts.
func (w *stdioWire) giveUp(err error) {
	select {
	case w.broken <- err:
	default:
	}
}

// watch ends what is left when the process has ended, has closed its output,
// or is not wanted any more, and then says why.
func (w *stdioWire) watch(stderrEnd <-chan struct{}) {
	why := w.reason()
	if why != nil {
		w.end()
		<-w.exited
	}
	// Whatever it started must not outlive it, nor keep its pipes open.
	w.child.kill()
	grace := w.after(drainGrace)
drain:
	for _, end := range []<-chan struct{}{w.eof, stderrEnd} {
		select {
		case <-end:
		case <-grace:
			break drain
		}
	}
	_ = w.child.stdout.Close() // nothing is read any more
	_ = w.child.stderr.Close()
	_ = w.child.stdin.Close()
	<-w.eof
	<-stderrEnd
	w.err = w.downError(why)
	close(w.dead)
}

// reason waits until the connection must end and says why; nil when the
// process has ended by itself.
func (w *stdioWire) reason() error {
	select {
	case <-w.exited:
		return nil
	case why := <-w.broken:
		return why
	case <-w.closing:
		return errors.New("is closed")
	case <-w.eof:
	}
	select {
	case why := <-w.broken: // the reader gave up
		return why
	case <-w.exited: // the usual order: its output ends because it does
		return nil
	case <-w.after(drainGrace):
		return errors.New("closed its output")
	}
}

// end makes the process end: it closes its input, then asks, then kills.
func (w *stdioWire) end() {
	_ = w.child.stdin.Close() // a second close says so, which does not matter
	select {
	case <-w.exited:
		return
	case <-w.after(closeGrace):
	}
	w.child.terminate()
	select {
	case <-w.exited:
	case <-w.after(termGrace):
		w.child.kill()
	}
}

func (w *stdioWire) downError(why error) error {
	problem := "ended by itself (" + w.child.cmd.ProcessState.String() + ")"
	var protocol *ProtocolError
	switch {
	case errors.As(why, &protocol):
		return why
	case why != nil:
		problem = why.Error()
	}
	if last := w.last.get(); last != "" {
		problem += "; its last words: " + last
	}
	return &ServerDownError{Server: w.server, Problem: problem, Err: why}
}

func (w *stdioWire) shut(ctx context.Context) {
	w.closed.Do(func() { close(w.closing) })
	select {
	case <-w.dead:
	case <-ctx.Done():
		w.child.kill()
		<-w.dead
	}
}

// transport.Interface, for the handshake of mcp-go.

// Start does nothing: the child runs already.
func (w *stdioWire) Start(context.Context) error { return nil }

// SendRequest sends a request of the handshake.
func (w *stdioWire) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return w.sendRequest(ctx, w, r)
}

// SendNotification sends a notification of the handshake.
func (w *stdioWire) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	body, err := encodeForMCP(n)
	if err != nil {
		return err
	}
	return w.send(ctx, body)
}

// SetNotificationHandler does nothing: notifications go to receive, undecoded.
func (w *stdioWire) SetNotificationHandler(func(mcp.JSONRPCNotification)) {}

// Close ends the connection in order.
func (w *stdioWire) Close() error {
	w.shut(context.Background())
	return nil
}

// GetSessionId is empty: a child has no sessions.
func (w *stdioWire) GetSessionId() string { return "" }
