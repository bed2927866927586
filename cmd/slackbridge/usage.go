package main

import (
	"flag"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
)

func usage(w io.Writer) {
	fmt.Fprint(w, `slackbridge bridges the questions of MCP servers to people in Slack.

Usage: slackbridge COMMAND [flags]

Commands:
`)
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	for _, c := range commands() {
		if !c.hidden {
			fmt.Fprintf(tw, "  %s\t%s\n", c.name, c.summary)
		}
	}
	_ = tw.Flush() // w is a terminal or a buffer
	fmt.Fprint(w, `
Start with:  slackbridge demo
Help on one: slackbridge COMMAND --help
`)
}

// variable is one line of the environment table, as help and README show it.
type variable struct {
	name, fallback, meaning string
	secret                  bool
}

func variables() []variable {
	var c config
	secrets := c.secrets()
	var out []variable
	for f := range reflect.TypeFor[config]().Fields() {
		v := variable{name: f.Tag.Get("envconfig"), fallback: f.Tag.Get("default"), meaning: f.Tag.Get("desc")}
		_, v.secret = secrets[v.name]
		out = append(out, v)
	}
	return out
}

func environmentHelp(w io.Writer) {
	fmt.Fprint(w, "\nEnvironment (those marked * may also be given as NAME_FILE, the path of a file with the value):\n")
	for _, v := range variables() {
		mark := ""
		if v.secret {
			mark = "*"
		}
		fmt.Fprintf(w, "  %s%s\n      %s", v.name, mark, v.meaning)
		if v.fallback != "" {
			fmt.Fprintf(w, " (default %s)", v.fallback)
		}
		fmt.Fprintln(w)
	}
}

// flags parses the flags of a subcommand. With withEnv its help also lists the
// environment.
func flags(s stdio, name, about string, withEnv bool, args []string, define func(*flag.FlagSet)) error {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	if define != nil {
		define(fs)
	}
	help := func(w io.Writer) {
		fmt.Fprintf(w, "Usage: slackbridge %s [flags]\n\n%s\n", name, about)
		var b strings.Builder
		fs.SetOutput(&b)
		fs.PrintDefaults()
		if b.Len() > 0 {
			fmt.Fprintf(w, "\nFlags:\n%s", b.String())
		}
		if withEnv {
			environmentHelp(w)
		}
	}
	err := fs.Parse(args)
	switch {
	case err == flag.ErrHelp: //nolint:errorlint // documented as this very value
		help(s.out)
		return errHelp
	case err != nil:
		fmt.Fprintf(s.err, "slackbridge %s: %v\n", name, err)
		help(s.err)
		return errUsage
	case fs.NArg() > 0:
		fmt.Fprintf(s.err, "slackbridge %s: %q is not expected here\n", name, fs.Arg(0))
		help(s.err)
		return errUsage
	}
	return nil
}
