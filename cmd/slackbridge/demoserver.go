package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/slackbridge/slackbridge/internal/demo"
)

// demoServerCommandName is hidden: the demo starts itself with it.
const demoServerCommandName = "demo-server"

const demoServerAbout = `The demo MCP server "deploy" on standard input and output.`

func demoServerCommand(ctx context.Context, args []string, s stdio) error {
	var wire string
	define := func(fs *flag.FlagSet) {
		fs.StringVar(&wire, "wire", "", "append every message received to this `file`")
	}
	if err := flags(s, demoServerCommandName, demoServerAbout, false, args, define); err != nil {
		return err
	}
	o := demo.ServerOptions{In: s.in, Out: s.out}
	if wire != "" {
		f, err := os.OpenFile(wire, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("opening the wire file: %w", err)
		}
		defer func() { _ = f.Close() }() // every line was written at once
		o.Wire = io.Writer(f)
	}
	return demo.Serve(ctx, o)
}
