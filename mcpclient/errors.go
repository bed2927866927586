package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// UnknownServerError says that the servers file has no such server.
type UnknownServerError struct {
	Server string
	Known  []string // names in the file's order
}

func (e *UnknownServerError) Error() string {
	return fmt.Sprintf("there is no server %q; known: %s", printable(e.Server, 80), strings.Join(e.Known, ", "))
}

// UnknownToolError says that the server lists no such tool.
type UnknownToolError struct {
	Server string
	Tool   string
	Known  []string // names of its tools, the most similar first
}

// shownTools bounds how many tools an error text lists.
const shownTools = 10

func (e *UnknownToolError) Error() string {
	known := e.Known
	more := ""
	if len(known) > shownTools {
		more = fmt.Sprintf(" and %d more", len(known)-shownTools)
		known = known[:shownTools]
	}
	if len(known) == 0 {
		return fmt.Sprintf("server %s has no tools", e.Server)
	}
	return fmt.Sprintf("server %s has no tool %q; it has: %s%s", e.Server, printable(e.Tool, 80), printable(strings.Join(known, ", "), 1000), more)
}

// ServerDownError says that a server cannot be used, or that its connection
// broke while it was used.
type ServerDownError struct {
	Server  string
	Problem string // what is wrong, and the mend where one is known
	Err     error  // the cause, when there is one; may be nil
}

func (e *ServerDownError) Error() string { return fmt.Sprintf("server %s %s", e.Server, e.Problem) }

func (e *ServerDownError) Unwrap() error { return e.Err }

// RPCError is a JSON-RPC error that the server answered.
type RPCError struct {
	Code    int
	Message string
	Data    json.RawMessage // nil when absent
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("the server answered with error %d: %s", e.Code, printable(e.Message, 500))
}

// ProtocolError says that a server broke the protocol: what it sent cannot be
// taken for anything, least of all for success.
type ProtocolError struct {
	Server  string
	Path    string // where, e.g. "result.inputRequests.x.method"
	Problem string
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("server %s broke the protocol: %s: %s", e.Server, printable(e.Path, 200), e.Problem)
}

// TimeoutError says that a call used up its working time. Time in which a
// question of the call was open is not counted.
type TimeoutError struct {
	Server string
	Limit  time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("server %s did not finish within %s of working time; `timeout` in the servers file sets the limit", e.Server, e.Limit)
}

var (
	// ErrAnswered is what reply returns when the question had its answer
	// already: a request gets exactly one response.
	ErrAnswered = errors.New("the question was answered already")

	// errSessionGone: the server answered 404 for the session; it did not look
	// at the message.
	errSessionGone = errors.New("does not know our session any more")
)
