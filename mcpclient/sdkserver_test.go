package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// sdkServer is a server made with mcp-go. Its tools serve both eras: "deploy"
// asks twice, "two" asks two questions at once, "plain" asks nothing.
func sdkServer() *mcpserver.MCPServer {
	s := mcpserver.NewMCPServer("sdk", "1", mcpserver.WithToolCapabilities(true), mcpserver.WithElicitation())
	object := json.RawMessage(`{"type":"object","properties":{"service":{"type":"string"}}}`)
	s.AddTool(mcp.NewToolWithRawSchema("plain", "asks nothing", object), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("hello " + r.GetString("service", "")), nil
	})
	s.AddTool(mcp.NewToolWithRawSchema("deploy", "asks twice", object), deployTool)
	s.AddTool(mcp.NewToolWithRawSchema("two", "asks two questions", object), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(r.Params.InputResponses) == 0 {
			return mcpserver.NewInputRequestBuilder("").Elicit("b", form("b?")).Elicit("a", form("a?")).ToolResult(), nil
		}
		return mcp.NewToolResultText(said(r, "a") + " " + said(r, "b")), nil
	})
	return s
}

func deployTool(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	switch {
	case len(r.Params.InputResponses) == 0:
		return mcpserver.NewInputRequestBuilder("one").Elicit("cluster", form("Which cluster?")).ToolResult(), nil
	case r.Params.RequestState == "one":
		return mcpserver.NewInputRequestBuilder("two:"+said(r, "cluster")).Elicit("sure", form("Sure?")).ToolResult(), nil
	}
	return mcp.NewToolResultText(r.Params.RequestState + " then " + said(r, "sure")), nil
}

func form(message string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}},
	}}
}

// said is what the answer under key holds.
func said(r mcp.CallToolRequest, key string) string {
	a := mcpserver.ElicitationResponse(r.Params.InputResponses, key)
	if a == nil {
		return "nothing"
	}
	if a.Action != mcp.ElicitationResponseActionAccept {
		return string(a.Action)
	}
	content, _ := a.Content.(map[string]any)
	return fmt.Sprint(content["name"])
}
