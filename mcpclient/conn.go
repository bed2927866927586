package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/slackbridge/slackbridge/elicit"
)

const (
	// sideTimeout bounds what is sent beside a call: refusals, progress.
	sideTimeout = 5 * time.Second
	// cancelTimeout bounds telling a server that a request is given up; whoever
	// gave it up waits for that.
	cancelTimeout = 2 * time.Second
	// stopGrace is how long a call that is given up waits for the responses of
	// its open questions before the server is told.
	stopGrace = 3 * time.Second
	// maxOpen bounds the questions of one call that are open at a time.
	maxOpen = 100
)

// conn is a connection to a server for one user. It carries one call at a
// time, so that what the server asks can be meant for that call only.
type conn struct {
	host         *Host
	cfg          serverConfig
	user         elicit.User
	log          *slog.Logger
	wire         wire
	offers       bool            // the capability to ask was declared
	protocol     string          // negotiated revision
	instructions string          // how the server wants to be used, in its words
	announces    bool            // the server says that it tells when its tools change
	meta         json.RawMessage // _meta of every request; nil before 2026-07-28
	prefix       string          // of our request ids: no clash with those of mcp-go, and new on every connection
	count        atomic.Int64
	idle         time.Time // since when it is unused; guarded by Host.mu

	mu    sync.Mutex
	call  *openCall // nil between calls
	asked sync.WaitGroup
}

// openCall is the call that a connection carries.
type openCall struct {
	call  elicit.Call
	ctx   context.Context //nolint:containedctx // the questions of the call live in it
	time  *workTime
	token json.RawMessage // of the progress of its request

	mu        sync.Mutex
	questions map[string]*question // by id, those that have ended included: a repeated request is not asked again
	over      bool                 // no more questions are taken
	open      int
	quiet     chan struct{} // closed when no question is open; made with the first
}

func (c *conn) modern() bool { return mcp.IsModernProtocol(c.protocol) }

func (c *conn) overHTTP() bool { return c.cfg.url != nil }

func (c *conn) isLost() bool {
	select {
	case <-c.wire.lost():
		return true
	default:
		return false
	}
}

func (c *conn) nextID() json.RawMessage {
	return quote(c.prefix + strconv.FormatInt(c.count.Add(1), 10))
}

// begin opens a call on the connection.
func (c *conn) begin(ctx context.Context, call elicit.Call, t *workTime) *openCall {
	oc := &openCall{call: call, ctx: ctx, time: t, token: c.nextID(), questions: map[string]*question{}}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.call = oc
	return oc
}

// finish closes the call; questions that are still open end with cause.
func (c *conn) finish(oc *openCall, cause error) {
	c.mu.Lock()
	c.call = nil
	c.mu.Unlock()
	oc.mu.Lock()
	oc.over = true
	all := make([]*question, 0, len(oc.questions))
	for _, q := range oc.questions {
		all = append(all, q)
	}
	oc.mu.Unlock()
	for _, q := range all {
		q.end(cause)
	}
}

func (c *conn) current() *openCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.call
}

// add registers a question. It is not fresh when its id was seen before, and
// does not fit when there are too many or the call is over.
func (oc *openCall) add(q *question) (fresh, fits bool) {
	key := idKey(q.id)
	oc.mu.Lock()
	defer oc.mu.Unlock()
	if _, seen := oc.questions[key]; seen {
		return false, true
	}
	if oc.over || oc.open >= maxOpen {
		return true, false
	}
	oc.questions[key] = q
	if oc.open == 0 {
		oc.quiet = make(chan struct{})
	}
	oc.open++
	oc.time.pause()
	return true, true
}

// closed counts a question out, once.
func (oc *openCall) closed(q *question) {
	oc.mu.Lock()
	defer oc.mu.Unlock()
	select {
	case <-q.over:
		return
	default:
	}
	close(q.over)
	oc.open--
	if oc.open == 0 {
		close(oc.quiet)
	}
	oc.time.resume()
}

func (oc *openCall) find(id json.RawMessage) *question {
	oc.mu.Lock()
	defer oc.mu.Unlock()
	return oc.questions[idKey(id)]
}

// whenQuiet returns a channel that is closed when no question is open.
func (oc *openCall) whenQuiet() <-chan struct{} {
	oc.mu.Lock()
	defer oc.mu.Unlock()
	if oc.open == 0 {
		quiet := make(chan struct{})
		close(quiet)
		return quiet
	}
	return oc.quiet
}

// request sends one request and waits for its result. oc is nil for what is
// no call of a user. When ctx ends, open questions get a moment for their
// responses; then the server is told and the request is given up.
func (c *conn) request(ctx context.Context, oc *openCall, method string, params json.RawMessage, header http.Header) (json.RawMessage, error) {
	m, err := c.requestOnce(ctx, oc, method, params, header)
	if err == nil && c.modern() && refusedItsOwnVersion(m.err) {
		m, err = c.requestOnce(ctx, oc, method, params, header)
	}
	if err != nil {
		return nil, err
	}
	if m.err != nil {
		return nil, m.err
	}
	return m.result, nil
}

func (c *conn) requestOnce(ctx context.Context, oc *openCall, method string, params json.RawMessage, header http.Header) (message, error) {
	if err := context.Cause(ctx); err != nil {
		return message{}, err
	}
	id := c.nextID()
	// The request outlives ctx by what it takes to end it in order.
	wctx, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	gaveUp := make(chan struct{})
	keep := context.AfterFunc(ctx, func() {
		defer close(gaveUp)
		c.abandon(oc, id, context.Cause(ctx))
		stop(context.Cause(ctx))
	})
	m, err := c.wire.exchange(wctx, id, encodeRequest(id, method, params), header)
	if !keep() {
		<-gaveUp
		return message{}, context.Cause(ctx)
	}
	if err != nil && oc != nil {
		err = unfinished(err)
	}
	return m, err
}

// abandon lets open questions be answered and tells the server that nobody
// waits for the request any more. Over HTTP in 2026-07-28 the end of the
// stream says that.
func (c *conn) abandon(oc *openCall, id json.RawMessage, cause error) {
	if oc != nil {
		select {
		case <-oc.whenQuiet():
		case <-c.wire.lost():
		case <-c.host.o.After(stopGrace):
		}
	}
	if c.modern() && c.overHTTP() || c.isLost() {
		return
	}
	params := object(member{name: "requestId", value: id}, member{name: "reason", value: quote(cause.Error())})
	c.tell("cancelling a request", cancelTimeout, encodeNotification(string(mcp.MethodNotificationCancelled), params))
}

// tell sends a message beside the call. It is best effort: what goes wrong is
// logged.
func (c *conn) tell(what string, limit time.Duration, body []byte) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, errors.New("the server does not read"))
	defer cancel()
	if err := c.wire.send(ctx, body); err != nil {
		c.log.Debug("a message was not sent", "what", what, "err", err)
	}
}

// withMeta adds to params what every request of 2026-07-28 carries.
func (c *conn) withMeta(params ...member) json.RawMessage {
	return object(append(params, member{name: "_meta", value: c.meta})...)
}

// withProgress adds to params the token with which the server may report its
// progress, and the trace of the call, besides what withMeta adds.
func (c *conn) withProgress(oc *openCall, params ...member) json.RawMessage {
	return object(append(params, c.metaFor(oc.call, member{name: "progressToken", value: oc.token}))...)
}

// metaFor is the _meta of a request that is made for a call: its own members,
// and the trace of the call, beside what every request carries.
func (c *conn) metaFor(call elicit.Call, own ...member) member {
	if call.Trace != "" {
		own = append(own, member{name: "traceparent", value: quote(call.Trace)})
	}
	if all, err := members(c.meta); err == nil { // made by us; nil before 2026-07-28
		own = append(all, own...)
	}
	return member{name: "_meta", value: object(own...)}
}

// reusable reports whether another call may follow on this connection. After
// a refusal by HTTP status it may not: the server may have come back without
// our session, or in another revision, which only a new handshake shows.
func (c *conn) reusable() bool {
	if h, ok := c.wire.(*httpWire); ok && h.doubtful.Load() {
		return false
	}
	return !c.isLost()
}

// close ends the connection and waits for the questions that came on it.
func (c *conn) close(ctx context.Context) {
	c.wire.shut(ctx)
	done := make(chan struct{})
	go func() {
		c.asked.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
