// Command conformance is the client under test of the official MCP conformance
// suite: mcpclient and blockkit as slackbridge uses them, with a program in the
// place of Slack and its people. The suite names the scenario in the
// environment and appends the address of its server to the command.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/slackbridge/slackbridge/mcpclient"
)

// What the suite says in the environment, and what our script says.
const (
	scenarioVariable = "MCP_CONFORMANCE_SCENARIO"
	contextVariable  = "MCP_CONFORMANCE_CONTEXT"
	revisionVariable = "MCP_CONFORMANCE_PROTOCOL_VERSION"
	// pinVariable makes the client insist on the revision of the run, as
	// `protocol` in the servers file does. Without it, it finds out by itself.
	pinVariable = "CONFORMANCE_PIN"
	// troubleVariable names a file that hears of clients that failed: a suite
	// does not look at their exit codes.
	troubleVariable = "CONFORMANCE_TROUBLE"
)

// patience is less than the 30 s after which the suite kills the client, which
// would then say nothing.
const patience = 25 * time.Second

func main() {
	err := run(os.Args[1:])
	if err == nil {
		return
	}
	line := fmt.Sprintf("%s: %v\n", os.Getenv(scenarioVariable), err)
	fmt.Fprint(os.Stderr, line)
	if path := os.Getenv(troubleVariable); path != "" {
		if err := appendTo(path, line); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(1)
}

// appendTo writes line in one piece, since the suite runs clients in parallel.
func appendTo(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("noting a failure: %w", err)
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

func run(args []string) (err error) {
	if len(args) != 1 {
		return errors.New("usage: conformance URL, run by the conformance suite")
	}
	servers, err := serversFile(args[0])
	if err != nil {
		return err
	}
	c := &client{scenario: os.Getenv(scenarioVariable)}
	if raw := os.Getenv(contextVariable); raw != "" {
		if err := json.Unmarshal([]byte(raw), &c.given); err != nil {
			return fmt.Errorf("reading %s: %w", contextVariable, err)
		}
	}
	c.host, err = mcpclient.New(mcpclient.Options{Servers: servers, Ask: c.ask, Version: "conformance"})
	if err != nil {
		return fmt.Errorf("making the host: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	defer func() {
		closing, stop := context.WithTimeout(context.Background(), 3*time.Second)
		defer stop()
		err = errors.Join(err, c.host.Close(closing))
	}()
	return c.play(ctx)
}

// serversFile is a servers file with the suite's server in it.
func serversFile(address string) (*mcpclient.Servers, error) {
	entry := map[string]any{"type": "http", "url": address}
	if os.Getenv(pinVariable) != "" {
		entry["protocol"] = os.Getenv(revisionVariable)
	}
	file, err := json.Marshal(map[string]any{"mcpServers": map[string]any{serverName: entry}})
	if err != nil {
		return nil, fmt.Errorf("writing the servers file: %w", err)
	}
	servers, err := mcpclient.ParseServers(file, os.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("reading the servers file: %w", err)
	}
	return servers, nil
}
