package elicit

import "encoding/json"

// CallKind is what a call asks of a server. The zero value is a tool.
type CallKind string

// What a call may ask for. Servers may ask a person during each of them.
const (
	CallTool     CallKind = ""
	CallPrompt   CallKind = "prompt"   // prompts/get
	CallResource CallKind = "resource" // resources/read
)

// Call is one tools/call, prompts/get or resources/read made for a requester.
type Call struct {
	ID        CallID
	Kind      CallKind
	Server    string
	Tool      string          // name of the tool or prompt, URI of the resource
	Arguments json.RawMessage // a JSON object; "{}" when there are none
	Origin    Origin
	Trace     string `json:",omitempty"` // W3C traceparent under which its requests and questions are traced; empty: they are not
}

// Tool is a tool of a server, as listed by tools/list.
type Tool struct {
	Server      string
	Name        string
	Title       string
	Description string
	InputSchema json.RawMessage // as on the wire, members in the server's order
	Idempotent  bool            // its server says that repeating a call, or any call, changes nothing more
	Annotations Annotations     // what its server says that calling it does
}

// Annotations are hints of a server about a tool (MCP, ToolAnnotations); nil
// where it says nothing. They are claims, not facts.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// Outcome is what a call came to: exactly one of Result and Parked is set.
type Outcome struct {
	Result *Result
	Parked *Parked
}

// Result is a finished call.
type Result struct {
	IsError    bool              // the tool says that it failed
	Content    []json.RawMessage // content items as on the wire
	Structured json.RawMessage   // structuredContent, nil when absent
}

// Parked is a call of the durable era that waits for answers. No connection,
// goroutine or lock is held for it.
type Parked struct {
	Call      Call
	Protocol  string
	Round     int        // 1 for the first input_required of the call
	Questions []Question // in the order of inputRequests on the wire; RequestID is the key
	Resume    []byte     // what the MCP host needs to repeat the call; opaque to all others
}

// ServerState is one line of the servers list.
type ServerState struct {
	Name         string
	Transport    string // "stdio" or "http"
	Protocol     string // negotiated revision; empty before the first connection
	Era          Era    // empty before the first connection
	Instructions string // how to use it, in the server's words; may be empty
	Err          error  // why it cannot be used; nil when it can, or was not tried yet
}
