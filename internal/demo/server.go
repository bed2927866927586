// Package demo holds what `slackbridge demo` shows: an MCP server named deploy
// whose tools ask questions of every kind, and the commands to try.
//
// The server speaks both ways of asking: to clients of the revisions up to
// 2025-11-25 it sends requests that wait, to those of 2026-07-28 it answers
// input_required and is called again.
package demo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// ServerOptions configure the demo server.
type ServerOptions struct {
	In  io.Reader // of Serve
	Out io.Writer // of Serve
	// Wire gets every message that the server receives, byte for byte, one a
	// line. nil: none is kept.
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
		in = teeLines(o.In, o.Wire)
	}
	err := server.NewStdioServer(newServer()).Listen(ctx, in, o.Out)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("serving standard input and output: %w", err)
	}
	return nil
}

// teeLines hands on what it reads and copies each whole line to wire.
func teeLines(in io.Reader, wire io.Writer) io.Reader {
	r, w := io.Pipe()
	go func() {
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadBytes('\n')
			if len(line) > 0 {
				if _, werr := wire.Write(append(slices.Clip(bytes.TrimRight(line, "\r\n")), '\n')); werr != nil {
					_ = w.CloseWithError(werr) // never fails
					return
				}
				if _, werr := w.Write(line); werr != nil {
					return // nobody reads any more
				}
			}
			if err != nil {
				_ = w.CloseWithError(err)
				return
			}
		}
	}()
	return r
}

// Handler serves the same over streamable HTTP, with sessions.
func Handler(o ServerOptions) http.Handler {
	h := server.NewStreamableHTTPServer(newServer(),
		server.WithStateful(true), server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)))
	if o.Wire == nil {
		return h
	}
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(io.LimitReader(r.Body, 10<<20))
			if err != nil {
				http.Error(w, "unreadable", http.StatusBadRequest)
				return
			}
			mu.Lock()
			_, err = o.Wire.Write(append(bytes.TrimSpace(body), '\n'))
			mu.Unlock()
			if err != nil {
				http.Error(w, "the wire could not be kept", http.StatusInternalServerError)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		h.ServeHTTP(w, r)
	})
}
