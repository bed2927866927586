// Package demo holds what `slackbridge demo` shows: an MCP server named deploy
// whose tools ask questions of every kind, and the commands to try.
//
// The server speaks both ways of asking: to clients of the revisions up to
// 2025-11-25 it sends requests that wait, to those of 2026-07-28 it answers
// input_required and is called again.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/mark3labs/mcp-go/server"
)

// ServerOptions configure the demo server.
type ServerOptions struct {
	In  io.Reader // of Serve
	Out io.Writer // of Serve
	// Wire gets every message that the server receives, byte for byte and
	// before anything decodes it, one a line. nil: none is kept.
	Wire io.Writer
}

func newServer() *server.MCPServer {
	s := server.NewMCPServer("deploy", "1.0.0",
		server.WithToolCapabilities(false),
		server.WithElicitation(),
		server.WithInstructions("Deploys services. It asks before it changes anything."),
	)
	for _, t := range tools() {
		s.AddTool(t.tool, t.handle)
	}
	return s
}

// Serve runs the server on standard input and output until ctx ends or the
// input does.
func Serve(ctx context.Context, o ServerOptions) error {
	in := o.In
	if o.Wire != nil {
		in = &lines{in: o.In, wire: &wire{w: o.Wire}}
	}
	err := server.NewStdioServer(newServer()).Listen(ctx, in, o.Out)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("serving standard input and output: %w", err)
	}
	return nil
}

// Handler serves the same over streamable HTTP, with sessions.
func Handler(o ServerOptions) http.Handler {
	h := server.NewStreamableHTTPServer(newServer(),
		server.WithStateful(true), server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)))
	if o.Wire == nil {
		return h
	}
	return (&wire{w: o.Wire}).bodies(h)
}
