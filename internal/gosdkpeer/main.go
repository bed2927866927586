// Command gosdkpeer is a server on the official Go SDK, for the tests: one tool
// that asks for a form, one that asks for a page. It is a module of its own, so
// that slackbridge does not depend on a second SDK.
//
// It serves stdio, or HTTP on the address that it is given.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const form = `{"type":"object","properties":{"zone":{"type":"string","title":"Zone","enum":["eu","us"]},"count":{"type":"integer","minimum":1},` +
	`"areas":{"type":"array","items":{"type":"string","enum":["a","b","c"]}}},"required":["zone","count"]}`

func server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "go-peer", Version: "1.0.0"}, nil)
	asking(s, "form", &mcp.ElicitParams{Mode: "form", Message: "Which zone?", RequestedSchema: json.RawMessage(form)})
	asking(s, "page", &mcp.ElicitParams{Mode: "url", Message: "Sign in", URL: "https://example.com/login", ElicitationID: "page-1"})
	return s
}

// asking adds a tool that asks once and returns what it was answered. The SDK
// turns it into a request for clients of the revisions before.
func asking(s *mcp.Server, name string, question *mcp.ElicitParams) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: "asks"}, func(_ context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		answer, ok := r.Params.InputResponses["answer"]
		if !ok {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"answer": question}, RequestState: "state <&> 1"}, nil, nil
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return nil, nil, fmt.Errorf("writing the answer: %w", err)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil, nil
	})
}

func main() {
	if len(os.Args) < 2 {
		if err := server().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Fatal(err)
		}
		return
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server() }, nil)
	log.Print("listening")
	log.Fatal(http.ListenAndServe(os.Args[1], handler))
}
