package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// demoTool is a tool with its handler.
type demoTool struct {
	tool   mcp.Tool
	handle server.ToolHandlerFunc
}

const (
	serviceArg = `{"type":"object","properties":{"service":{"type":"string","description":"name of the service"}},"required":["service"],"additionalProperties":false}`
	noArgs     = `{"type":"object","properties":{},"additionalProperties":false}`
)

func tools() []demoTool {
	return []demoTool{
		asking("deploy_service", "Deploys a version of a service, after asking where and when",
			`{"type":"object","properties":{"service":{"type":"string","description":"name of the service"},"version":{"type":"string","description":"version to deploy"}},"required":["service","version"],"additionalProperties":false}`,
			func(a args) string {
				return fmt.Sprintf("Deploy %s %s? It replaces 12 running instances, one after the other, and takes about 4 minutes. Running requests are finished first.", a.text("service"), a.text("version"))
			}, deploySchema, deployed),
		asking("restart_service", "Restarts a service, after a yes", serviceArg,
			func(a args) string {
				return fmt.Sprintf("Restart %s? Its 12 instances restart at once; requests fail for about 20 seconds.", a.text("service"))
			}, `{"type":"object","properties":{}}`,
			func(a, _ args) string { return "Restarted " + a.text("service") + "." }),
		asking("scale_service", "Changes the number of instances, after a yes or no",
			`{"type":"object","properties":{"service":{"type":"string"},"replicas":{"type":"integer","minimum":1,"maximum":100}},"required":["service","replicas"],"additionalProperties":false}`,
			func(a args) string {
				return fmt.Sprintf("Scale %s from 12 to %s instances?", a.text("service"), a.text("replicas"))
			}, `{"type":"object","properties":{"keep_warm":{"type":"boolean","title":"Keep the old instances warm"}},"required":["keep_warm"]}`,
			func(a, got args) string {
				return fmt.Sprintf("Scaled %s to %s instances (old ones kept warm: %s).", a.text("service"), a.text("replicas"), got.text("keep_warm"))
			}),
		asking("choose_region", "Asks for one of three regions", noArgs,
			func(args) string { return "Which region takes the traffic tonight?" },
			`{"type":"object","properties":{"region":{"type":"string","title":"Region","oneOf":[{"const":"eu-1","title":"Frankfurt"},{"const":"us-1","title":"Virginia"},{"const":"ap-1","title":"Singapore"}]}},"required":["region"]}`,
			func(_, got args) string { return "Traffic goes to " + got.text("region") + "." }),
		asking("report_incident", "Asks for an incident report: a form with a field of every type", noArgs,
			func(args) string {
				return "Please describe the incident. Only the title, the severity and the time are needed."
			},
			incidentSchema(), func(_, got args) string { return "Filed the incident “" + got.text("title") + "”." }),
		asking("review_hosts", "Asks about 120 hosts: a form of several pages", noArgs,
			func(args) string { return "Which hosts can be switched off? Leave open what you do not know." },
			hostsSchema(), func(_, got args) string { return fmt.Sprintf("Noted %d answers.", len(got)) }),
		{tool: mcp.NewToolWithRawSchema("connect_account", "Asks to open a page in the browser, as for a login", json.RawMessage(noArgs)), handle: connectAccount},
		asking("ask", "Asks whatever you give it: try the forms of your own server",
			`{"type":"object","properties":{"message":{"type":"string","description":"what the question says"},"schema":{"type":"string","title":"requestedSchema","description":"the form, as JSON"}},"required":["message","schema"],"additionalProperties":false}`,
			func(a args) string { return a.text("message") }, "",
			func(_, got args) string { return "Got " + got.json() + "." }),
		asking("broken_form", "Asks in a way that is not valid, to show how that is refused", noArgs,
			func(args) string { return "This question has a nested object, which forms cannot have." },
			`{"type":"object","properties":{"limits":{"type":"object","properties":{"cpu":{"type":"number"}}}},"required":["limits"]}`,
			func(_, _ args) string { return "This is never reached." }),
		{tool: mcp.NewToolWithRawSchema("status", "Tells the state of the services; asks nothing", json.RawMessage(noArgs)), handle: status},
		{tool: mcp.NewToolWithRawSchema("fails", "Fails, to show how that looks", json.RawMessage(noArgs)), handle: fails},
	}
}

const deploySchema = `{"type":"object","properties":{` +
	`"cluster":{"type":"string","title":"Cluster","enum":["prod-eu","prod-us","staging"]},` +
	`"window":{"type":"string","title":"Maintenance window","description":"When may it happen? For example: 22:00–23:00 UTC","maxLength":120},` +
	`"confirm":{"type":"boolean","title":"Confirm","description":"No leaves everything as it is"}},` +
	`"required":["cluster","window","confirm"]}`

func deployed(a, got args) string {
	if got.text("confirm") != "true" {
		return "Not deployed: confirmation was denied."
	}
	return fmt.Sprintf("Deployed %s %s to %s (window: %s).", a.text("service"), a.text("version"), got.text("cluster"), got.text("window"))
}

// args are arguments or answers, by name.
type args map[string]json.RawMessage

// text is a value in words: strings without their quotes.
func (a args) text(name string) string {
	var s string
	if json.Unmarshal(a[name], &s) == nil {
		return s
	}
	return string(a[name])
}

func (a args) json() string {
	raw, err := json.Marshal(a)
	if err != nil {
		return "{}"
	}
	return string(raw)
}

func argsOf(v any) args {
	raw, err := json.Marshal(v)
	if err != nil {
		return args{}
	}
	a := args{}
	if json.Unmarshal(raw, &a) != nil {
		return args{}
	}
	return a
}

// answerKey names the question in the revision that asks by results.
const answerKey = "answer"

// asking is a tool that asks one question and then says what it did. Without a
// schema of its own it asks with the one in its arguments. The
// server library turns the question into what the client's revision wants.
func asking(name, about, inputSchema string, question func(args) string, schema string, done func(arguments, answer args) string) demoTool {
	handle := func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments := argsOf(r.GetArguments())
		a := server.ElicitationResponse(r.Params.InputResponses, answerKey)
		if a == nil {
			asked := json.RawMessage(schema)
			if schema == "" {
				asked = json.RawMessage(arguments.text("schema"))
			}
			if !json.Valid(asked) {
				return mcp.NewToolResultError("schema is not JSON."), nil
			}
			return server.NewInputRequestBuilder(name).Elicit(answerKey, mcp.ElicitationParams{
				Mode: mcp.ElicitationModeForm, Message: question(arguments), RequestedSchema: asked,
			}).ToolResult(), nil
		}
		switch a.Action {
		case mcp.ElicitationResponseActionAccept:
			return mcp.NewToolResultText(done(arguments, argsOf(a.Content))), nil
		case mcp.ElicitationResponseActionDecline:
			return mcp.NewToolResultText(notDone(name) + ": declined."), nil
		default:
			return mcp.NewToolResultText(notDone(name) + ": nobody confirmed."), nil
		}
	}
	return demoTool{tool: mcp.NewToolWithRawSchema(name, about, json.RawMessage(inputSchema)), handle: handle}
}

// accountURL is a page that anybody may open; the demo has none of its own.
const accountURL = "https://example.com/connect?state=5f3a"

// connectAccount asks for a page to be opened. A client of the blocking era is
// told when the page is finished, which this server says at once.
func connectAccount(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	const name, id = "connect_account", "account-1"
	a := server.ElicitationResponse(r.Params.InputResponses, answerKey)
	if a == nil {
		return server.NewInputRequestBuilder(name).Elicit(answerKey, mcp.ElicitationParams{
			Mode: mcp.ElicitationModeURL, Message: "Please sign in to the deployment service.", URL: accountURL, ElicitationID: id,
		}).ToolResult(), nil
	}
	if a.Action != mcp.ElicitationResponseActionAccept {
		return mcp.NewToolResultText("Not connected."), nil
	}
	if s, session := server.ServerFromContext(ctx), server.ClientSessionFromContext(ctx); s != nil && session != nil && !mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
		if err := s.SendElicitationComplete(ctx, session, id); err != nil {
			return nil, fmt.Errorf("saying that the page is finished: %w", err)
		}
	}
	return mcp.NewToolResultText("Connected."), nil
}

func notDone(tool string) string {
	if strings.HasPrefix(tool, "deploy") {
		return "Not deployed"
	}
	return "Nothing was done"
}

func status(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	r := mcp.NewToolResultText("payments 2.3.0: 12 of 12 healthy\nsearch 8.1.4: 6 of 6 healthy")
	r.StructuredContent = map[string]any{"payments": "2.3.0", "search": "8.1.4"}
	return r, nil
}

func fails(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultError("The deployment service is in maintenance until 06:00 UTC."), nil
}
