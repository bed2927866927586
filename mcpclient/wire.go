package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// wire is one connection to a server. It moves JSON-RPC messages as they are
// and knows nothing of their meaning. mcp-go negotiates over it through
// transport.Interface; everything else goes through exchange and send.
type wire interface {
	transport.Interface

	// exchange sends a request and waits for its response.
	exchange(ctx context.Context, id json.RawMessage, body []byte, header http.Header) (message, error)
	// send sends a notification or a response. nil means that the server has
	// it: written to its input, or accepted by status.
	send(ctx context.Context, body []byte) error
	// lost is closed when the connection can carry nothing any more.
	lost() <-chan struct{}
	// problem says why it is lost; nil before.
	problem() error
	// shut ends the connection in order; when ctx ends, at once. It returns
	// when nothing of the connection is left.
	shut(ctx context.Context)
	// probed tells how server/discover went.
	probed() probeResult
}

// receive takes what a server sends by itself: requests and notifications. It
// is called in the reading goroutine and must not block. An error means that
// the message is against the protocol so badly that what carried it must end.
type receive func(message) error

// probeResult is how the server took server/discover, which servers before
// 2026-07-28 do not know.
type probeResult int

const (
	probeNotSent    probeResult = iota
	probeAnswered               // with a result, an error, or by a refusal of the transport
	probeUnanswered             // no answer in time
	probeLate                   // with a result, but after we had stopped waiting
)

// negotiation is the part of a wire through which mcp-go does its handshake.
type negotiation struct {
	mu     sync.Mutex
	state  probeResult
	probes map[string]bool // keys of the ids of server/discover
}

func (n *negotiation) probed() probeResult {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.state
}

func (n *negotiation) began(id json.RawMessage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.probes == nil {
		n.probes = map[string]bool{}
	}
	n.probes[idKey(id)] = true
	n.state = probeUnanswered
}

func (n *negotiation) answered() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.state = probeAnswered
}

// unclaimed looks at a response that nobody waits for any more.
func (n *negotiation) unclaimed(m message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.probes[idKey(m.id)] && m.err == nil && checkDiscovered(m.result) == nil {
		n.state = probeLate
	}
}

// sendRequest is SendRequest of transport.Interface over a wire.
func (n *negotiation) sendRequest(ctx context.Context, w wire, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	id, err := json.Marshal(r.ID)
	if err != nil {
		return nil, fmt.Errorf("encoding the id of %s: %w", r.Method, err)
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", r.Method, err)
	}
	probe := r.Method == string(mcp.MethodServerDiscover)
	if probe {
		n.began(id)
	}
	m, err := w.exchange(ctx, id, body, r.Header)
	if err == nil && probe && refusedItsOwnVersion(m.err) {
		// A server may say once that it does not support the very version that
		// it lists as supported, while it starts.
		m, err = w.exchange(ctx, id, body, r.Header)
	}
	if probe && ctx.Err() == nil {
		n.answered()
	}
	if err != nil {
		return nil, err
	}
	if probe && m.err == nil {
		if err := checkDiscovered(m.result); err != nil {
			return nil, err
		}
	}
	if m.err != nil {
		return transport.NewJSONRPCErrorResponse(r.ID, m.err.Code, m.err.Message, decoded(m.err.Data)), nil
	}
	return transport.NewJSONRPCResultResponse(r.ID, m.result), nil
}

func decoded(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return raw
}

// checkDiscovered refuses the result of server/discover when the server does
// not speak the revision after all: mcp-go does not look, and every later
// request would fail. Some servers of 2025 answer it with their own versions.
func checkDiscovered(result json.RawMessage) error {
	var r struct {
		Supported []string `json:"supportedVersions"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return fmt.Errorf("reading the result of server/discover: %w", err)
	}
	if !slices.ContainsFunc(r.Supported, mcp.IsModernProtocol) {
		return errors.New("server/discover lists no revision without a handshake")
	}
	return nil
}

// refusedItsOwnVersion reports whether the error is "unsupported version"
// although the version that we speak is among the supported ones.
func refusedItsOwnVersion(e *RPCError) bool {
	if e == nil || e.Code != codeUnsupportedVersion {
		return false
	}
	var d struct {
		Supported []string `json:"supported"`
	}
	return json.Unmarshal(e.Data, &d) == nil && slices.ContainsFunc(d.Supported, mcp.IsModernProtocol)
}

// encodeForMCP is a notification of mcp-go as it goes out.
func encodeForMCP(n mcp.JSONRPCNotification) ([]byte, error) {
	body, err := json.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", n.Method, err)
	}
	return body, nil
}
