package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"

	// listenGrace is how long the handshake waits for the standing stream: a
	// question that is asked before it stands would be lost. Some servers send
	// nothing on it until they have something to say.
	listenGrace = 2 * time.Second
	// deleteTimeout bounds telling the server that a session is over.
	deleteTimeout = 5 * time.Second
)

// newHTTPClient has limits on connecting only: an answer may take as long as
// a person thinks. Redirects are not followed, since that would carry the
// configured headers to another host.
func newHTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second, MaxIdleConnsPerHost: 16,
			// A connection is held for as long as a person thinks: most of its
			// memory would be buffers of messages that are small.
			ReadBufferSize: 1 << 10, WriteBufferSize: 1 << 10,
		},
	}
}

// httpWire is a streamable HTTP connection: each message of ours is a POST,
// answered by JSON or by a stream of events. Before 2026-07-28 it has a
// session and a standing GET stream as well.
type httpWire struct {
	negotiation

	server  string
	address string
	headers http.Header
	client  *http.Client
	receive receive
	// authorize returns the Authorization header of the user; empty for none.
	authorize func(context.Context) (string, error)
	log       *slog.Logger
	after     func(time.Duration) <-chan time.Time
	jitter    func(time.Duration) time.Duration

	session  atomic.Value // string
	version  atomic.Value // string
	doubtful atomic.Bool  // a status told that the server may not go on with this session

	life  context.Context //nolint:containedctx // governs the streams, which work counts
	stop  context.CancelCauseFunc
	work  sync.WaitGroup
	heard chan struct{} // closed when the standing stream was answered
	once  sync.Once     // of shut
	gone  chan struct{} // closed when the connection is lost; see lost
	end   sync.Once     // of gone
}

var (
	_ wire                     = (*httpWire)(nil)
	_ transport.HTTPConnection = (*httpWire)(nil)
)

func openHTTP(c serverConfig, client *http.Client, authorize func(context.Context) (string, error), r receive, log *slog.Logger, after func(time.Duration) <-chan time.Time, jitter func(time.Duration) time.Duration) *httpWire {
	life, stop := context.WithCancelCause(context.Background())
	w := &httpWire{
		server: c.name, address: c.url.String(), headers: c.headers, client: client, authorize: authorize, receive: r, log: log,
		after: after, jitter: jitter, life: life, stop: stop, heard: make(chan struct{}), gone: make(chan struct{}),
	}
	w.session.Store("")
	w.version.Store("")
	return w
}

func (w *httpWire) lost() <-chan struct{} { return w.gone }

func (w *httpWire) problem() error { return context.Cause(w.life) }

func (w *httpWire) modern() bool { return mcp.IsModernProtocol(w.version.Load().(string)) }

// fail ends the connection because of err, with all that runs on it.
func (w *httpWire) fail(err error) {
	w.stop(err)
	w.end.Do(func() { close(w.gone) })
}

// bound is ctx, ended by the end of the connection as well.
func (w *httpWire) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	release := context.AfterFunc(w.life, func() { cancel(context.Cause(w.life)) })
	return ctx, func() { release(); cancel(nil) }
}

// do sends one HTTP request. The caller closes the body.
func (w *httpWire) do(ctx context.Context, method string, body []byte, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, from := range []http.Header{w.headers, header} {
		for name, values := range from {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	own, err := w.authorize(ctx)
	if err != nil {
		return nil, fmt.Errorf("finding the login for server %s: %w", w.server, err)
	}
	if own != "" {
		req.Header.Set("Authorization", own)
	}
	accept := "text/event-stream"
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		accept = "application/json, text/event-stream"
	}
	req.Header.Set("Accept", accept)
	if v := w.version.Load().(string); v != "" {
		req.Header.Set(versionHeader, v)
	}
	session := w.session.Load().(string)
	if session != "" && !w.modern() {
		req.Header.Set(sessionHeader, session)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, brokenError(w.server, err)
	}
	if id := resp.Header.Get(sessionHeader); session == "" && id != "" && resp.StatusCode == http.StatusOK {
		w.session.Store(id)
	}
	if resp.StatusCode == http.StatusNotFound && method == http.MethodPost && req.Header.Get(sessionHeader) != "" {
		_ = resp.Body.Close()
		w.fail(errSessionGone)
		return nil, errSessionGone
	}
	return resp, nil
}

func (w *httpWire) exchange(ctx context.Context, id json.RawMessage, body []byte, header http.Header) (message, error) {
	ctx, cancel := w.bound(ctx)
	defer cancel()
	resp, err := w.do(ctx, http.MethodPost, body, header)
	if err != nil {
		return message{}, err
	}
	key := idKey(id)
	if resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream" {
		return w.follow(ctx, resp.Body, key)
	}
	defer func() { _ = resp.Body.Close() }()
	m, err := w.single(resp, key)
	if err != nil && ctx.Err() != nil {
		return message{}, context.Cause(ctx)
	}
	return m, err
}

// single reads an answer that is not a stream. An error of JSON-RPC may come
// with any status, and without an id when the server could not read ours. What
// a login asks for stands in the header, whatever the body is.
func (w *httpWire) single(resp *http.Response, key string) (message, error) {
	ok := resp.StatusCode == http.StatusOK
	if !ok {
		w.doubtful.Store(true)
	}
	if e := statusError(w.server, resp); mediaType(resp) != "application/json" || e.wants != "" {
		return message{}, e
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
	if err != nil {
		return message{}, brokenError(w.server, err)
	}
	if len(body) > maxMessage {
		return message{}, errTooLong
	}
	m, err := decodeMessage(body)
	matches := err == nil && m.method == "" && (idKey(m.id) == key || m.id == nil && m.err != nil)
	switch {
	case matches && (ok || m.err != nil && !m.badError): // OAuth has an error too, which is a string
		return m, nil
	case !ok:
		return message{}, statusError(w.server, resp)
	case err != nil:
		return message{}, &ProtocolError{Server: w.server, Path: "response", Problem: err.Error()}
	default:
		return message{}, &ProtocolError{Server: w.server, Path: "response.id", Problem: "answers another request"}
	}
}

func mediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}

func (w *httpWire) send(ctx context.Context, body []byte) error {
	ctx, cancel := w.bound(ctx)
	defer cancel()
	resp, err := w.do(ctx, http.MethodPost, body, nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return statusError(w.server, resp)
	}
	return nil
}

func (w *httpWire) shut(ctx context.Context) {
	w.once.Do(func() {
		w.fail(errors.New("the connection is closed"))
		w.work.Wait()
		w.endSession(ctx)
	})
}

// endSession tells the server that the session is over. Servers may refuse
// that, and nothing hangs on it.
func (w *httpWire) endSession(ctx context.Context) {
	if w.session.Load().(string) == "" || w.modern() || errors.Is(context.Cause(w.life), errSessionGone) {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, deleteTimeout, errors.New("ending the session took too long"))
	defer cancel()
	resp, err := w.do(ctx, http.MethodDelete, nil, nil)
	if err != nil {
		w.log.Debug("a session was not ended", "err", err)
		return
	}
	_ = resp.Body.Close()
}

// transport.HTTPConnection, for the handshake of mcp-go.

// Start does nothing: a connection is opened with each request.
func (w *httpWire) Start(context.Context) error { return nil }

// SetProtocolVersion sets the revision that the headers name from now on.
func (w *httpWire) SetProtocolVersion(version string) { w.version.Store(version) }

// SendRequest sends a request of the handshake. A session begins with
// initialize; what the probe before it left behind does not count.
func (w *httpWire) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if r.Method == string(mcp.MethodInitialize) {
		w.session.Store("")
		w.doubtful.Store(false)
	}
	return w.sendRequest(ctx, w, r)
}

// SendNotification sends a notification of the handshake. After the last one
// the standing stream is opened.
func (w *httpWire) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	body, err := encodeForMCP(n)
	if err != nil {
		return err
	}
	if err := w.send(ctx, body); err != nil {
		return err
	}
	if n.Method != string(mcp.MethodNotificationInitialized) {
		return nil
	}
	w.work.Go(w.listen)
	select {
	case <-w.heard:
	case <-w.after(listenGrace):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// SetNotificationHandler does nothing: notifications go to receive, undecoded.
func (w *httpWire) SetNotificationHandler(func(mcp.JSONRPCNotification)) {}

// Close ends the connection in order.
func (w *httpWire) Close() error {
	w.shut(context.Background())
	return nil
}

// GetSessionId returns the session's id; empty when there is none.
func (w *httpWire) GetSessionId() string { return w.session.Load().(string) }
