package elicit

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Era tells how a server asks.
type Era string

// The eras.
const (
	EraBlocking Era = "blocking" // 2025-06-18, 2025-11-25: a request of the server waits, open
	EraDurable  Era = "durable"  // 2026-07-28: the call ended with input_required and is repeated with answers
)

// Mode is the mode of an elicitation.
type Mode string

// Modes of an elicitation.
const (
	ModeForm Mode = "form"
	ModeURL  Mode = "url"
)

// Question is one elicitation of a server, as it stood on the wire.
type Question struct {
	Call      CallID
	Server    string
	Tool      string
	Origin    Origin
	Era       Era
	Protocol  string          // negotiated revision, e.g. "2025-11-25"
	RequestID string          // raw JSON-RPC id (blocking), key in inputRequests (durable)
	Params    json.RawMessage // params of elicitation/create, byte for byte
}

// Answer goes back to the server.
type Answer struct {
	Action  Action
	Content json.RawMessage     // only with Accept in form mode; members in schema order
	Invalid *InvalidParamsError // when set, the answer is JSON-RPC error -32602 instead
}

// PagesRequiredError is what a server of the blocking era answers to a call that
// cannot run before a person has opened these pages (error -32042). Nothing
// waits for the answers: the call is made again.
type PagesRequiredError struct {
	Server    string
	Questions []Question // in URL mode, in the server's order
}

func (e *PagesRequiredError) Error() string {
	return "server " + e.Server + " needs a person to open a page first"
}

// InvalidParamsError says what is wrong with a server's request and where.
// It becomes JSON-RPC error -32602.
type InvalidParamsError struct {
	Path    string // JSON path, e.g. "requestedSchema.properties.limit"
	Problem string // what is wrong, in words for the server's author
}

func (e *InvalidParamsError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.Problem) }

// Causes with which the context of an open question ends (context.Cause).
var (
	// ErrWithdrawn: the server sent notifications/cancelled for the question.
	ErrWithdrawn = errors.New("withdrawn by the server")
	// ErrConnectionLost: the connection that carried the question is gone.
	ErrConnectionLost = errors.New("connection to the server lost")
	// ErrCallEnded: the call ended while its question was still open.
	ErrCallEnded = errors.New("the call ended")
	// ErrStopped: a person stopped the call.
	ErrStopped = errors.New("stopped")
	// ErrShutdown: this replica is stopping.
	ErrShutdown = errors.New("shutting down")
)
