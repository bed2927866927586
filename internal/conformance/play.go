package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/mcpclient"
)

const serverName = "suite"

// origin is the conversation that all calls come from.
var origin = elicit.Origin{Team: "T_SUITE", Channel: "C_SUITE", Thread: "1.1", Requester: "U_SUITE"}

// client plays one scenario.
type client struct {
	scenario string
	host     *mcpclient.Host
	given    struct {
		ToolCalls []toolCall `json:"toolCalls"` // with the arguments that a scenario wants
	}
	calls int

	mu         sync.Mutex
	unanswered []error // why questions could not be answered
}

// toolCall is a call to make: of a tool, unless kind says otherwise.
type toolCall struct {
	Kind      elicit.CallKind `json:"-"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// play lists the tools and calls them. Calls of the durable era that ask are
// answered after all others have been made, so that the state of one would show
// up in another if it leaked.
func (c *client) play(ctx context.Context) error {
	tools, err := c.host.Tools(ctx, serverName, origin.RequesterUser())
	if err != nil {
		return fmt.Errorf("listing the tools: %w", err)
	}
	fmt.Printf("%d tools over %s\n", len(tools), c.host.Servers()[0].Protocol)
	for _, t := range tools {
		// What Slack would show for the tool. A schema that has no form is
		// fine; reading it must not reach out to the network.
		if _, err := blockkit.ParseArguments(t.InputSchema); err != nil {
			fmt.Fprintf(os.Stderr, "tool %s has no form: %v\n", t.Name, err)
		}
	}
	var parked []*elicit.Parked
	for _, call := range c.plan(tools) {
		p, err := c.call(ctx, call)
		if err != nil {
			return err
		}
		if p != nil {
			parked = append(parked, p)
		}
	}
	for _, p := range parked {
		if err := c.resume(ctx, p); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.unanswered...)
}

// plan is what a scenario wants called. Most want every tool.
func (c *client) plan(tools []elicit.Tool) []toolCall {
	if len(c.given.ToolCalls) > 0 {
		return c.given.ToolCalls
	}
	switch c.scenario {
	case "json-schema-ref-no-deref":
		return nil // its server has a tool to list and cannot call it
	case "json-schema-2020-12-preservation":
		return []toolCall{echo(tools)}
	}
	var out []toolCall
	for _, t := range tools {
		out = append(out, toolCall{Name: t.Name, Arguments: sampleArguments(t.InputSchema)})
	}
	if c.scenario == "http-standard-headers" {
		out = append(out,
			toolCall{Kind: elicit.CallPrompt, Name: "test_prompt"},
			toolCall{Kind: elicit.CallResource, Name: "file:///path/to/file%20name.txt"},
			toolCall{Kind: elicit.CallResource, Name: "https://example.com/resource?id=123"})
	}
	return out
}

// echo sends back the schema of a tool as we know it.
func echo(tools []elicit.Tool) toolCall {
	for _, t := range tools {
		if t.Name == "json_schema_2020_12_tool" {
			return toolCall{Name: "json_schema_echo", Arguments: json.RawMessage(`{"schema":` + string(t.InputSchema) + `}`)}
		}
	}
	return toolCall{Name: "json_schema_echo"} // without a schema, which the suite reports
}

func (c *client) call(ctx context.Context, t toolCall) (*elicit.Parked, error) {
	c.calls++
	out, err := c.host.Call(ctx, elicit.Call{
		ID: elicit.CallID("call-" + strconv.Itoa(c.calls)), Kind: t.Kind, Server: serverName, Tool: t.Name,
		Arguments: t.Arguments, Origin: origin,
	})
	if err != nil {
		return nil, fmt.Errorf("calling %s: %w", t.Name, err)
	}
	report(t.Name, out)
	return out.Parked, nil
}

// resume answers the questions of a parked call until it has a result.
func (c *client) resume(ctx context.Context, p *elicit.Parked) error {
	for p != nil {
		answers := map[string]elicit.Answer{}
		for _, q := range p.Questions {
			a, err := answer(q)
			if err != nil {
				return fmt.Errorf("answering %s in the call of %s: %w", q.RequestID, q.Tool, err)
			}
			answers[q.RequestID] = a
		}
		out, err := c.host.Resume(ctx, *p, answers)
		if err != nil {
			return fmt.Errorf("resuming %s: %w", p.Call.Tool, err)
		}
		report(p.Call.Tool, out)
		p = out.Parked
	}
	return nil
}

// ask answers a question of the blocking era.
func (c *client) ask(ctx context.Context, q elicit.Question, reply func(context.Context, elicit.Answer) error) {
	a, err := answer(q)
	if err == nil {
		err = reply(ctx, a)
	}
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.unanswered = append(c.unanswered, fmt.Errorf("answering %s in the call of %s: %w", q.RequestID, q.Tool, err))
	}
}

func report(name string, out elicit.Outcome) {
	if out.Result != nil {
		fmt.Printf("%s: error %t, %s\n", name, out.Result.IsError, out.Result.Content)
		return
	}
	fmt.Printf("%s: parked with %d questions\n", name, len(out.Parked.Questions))
}
