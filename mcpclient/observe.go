package mcpclient

import (
	"context"
	"errors"

	"github.com/slackbridge/slackbridge/elicit"
)

// Ending says, for whoever counts, how a request of a call ended.
type Ending string

// Endings.
const (
	EndedResult    Ending = "result"
	EndedToolError Ending = "tool_error"     // a result in which the tool says that it failed
	EndedAsked     Ending = "asked"          // in the durable era: the call waits for a person
	EndedPages     Ending = "pages_required" // error -32042: a person has to open a page first
	EndedRPCError  Ending = "rpc_error"
	EndedProtocol  Ending = "protocol_error"
	EndedDown      Ending = "server_down"
	EndedTimeout   Ending = "timeout"
	EndedUnknown   Ending = "unknown_tool"
	EndedStopped   Ending = "stopped" // given up by us: a person pressed Stop, or this replica stops
	EndedFailed    Ending = "failed"  // anything else
)

// Endings lists them all.
func Endings() []Ending {
	return []Ending{
		EndedResult, EndedToolError, EndedAsked, EndedPages, EndedRPCError, EndedProtocol,
		EndedDown, EndedTimeout, EndedUnknown, EndedStopped, EndedFailed,
	}
}

func endingOf(ctx context.Context, out elicit.Outcome, err error) Ending {
	var (
		pages    *elicit.PagesRequiredError
		answered *RPCError
		broken   *ProtocolError
		down     *ServerDownError
		slow     *TimeoutError
		unknown  *UnknownToolError
	)
	switch {
	case err == nil && out.Parked != nil:
		return EndedAsked
	case err == nil && out.Result != nil && out.Result.IsError:
		return EndedToolError
	case err == nil:
		return EndedResult
	case errors.As(err, &pages):
		return EndedPages
	case errors.As(err, &slow):
		return EndedTimeout
	case ctx.Err() != nil:
		return EndedStopped
	case errors.As(err, &unknown):
		return EndedUnknown
	case errors.As(err, &answered):
		return EndedRPCError
	case errors.As(err, &broken):
		return EndedProtocol
	case errors.As(err, &down):
		return EndedDown
	}
	return EndedFailed
}

// Connections are those that this host holds to one server, over all users.
type Connections struct {
	Server string
	Busy   int // in use, or being made
	Idle   int
}

// Connections counts the connections to each server, in the file's order.
func (h *Host) Connections() []Connections {
	out := make([]Connections, len(h.servers))
	at := map[string]int{}
	for i, s := range h.servers {
		out[i].Server = s.cfg.name
		at[s.cfg.name] = i
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, p := range h.pools {
		c := &out[at[key.server]]
		c.Idle += len(p.idle)
		c.Busy += p.total - len(p.idle)
	}
	return out
}
