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
		if !f.IsExported() {
			continue
		}
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

// flags parses the flags of a subcommand that takes nothing else. With withEnv
// its help also lists the environment.
func flags(s stdio, name, about string, withEnv bool, args []string, define func(*flag.FlagSet)) error {
	p := flagParser{s: s, name: name, about: about, withEnv: withEnv}
	rest, err := p.parse(args, define)
	if err == nil && len(rest) > 0 {
		return p.refuse(fmt.Sprintf("%q is not expected here", rest[0]))
	}
	return err
}

// flagsAndFiles parses the flags of a subcommand that reads one file, which may
// stand before, among or after them.
func flagsAndFiles(s stdio, name, operand, about string, args []string, define func(*flag.FlagSet)) ([]string, error) {
	p := flagParser{s: s, name: name, operand: operand, about: about}
	files, err := p.parse(args, define)
	switch {
	case err != nil:
		return nil, err
	case len(files) == 0:
		return nil, p.refuse("which file? Write its name, or - for standard input")
	case len(files) > 1:
		return nil, p.refuse(fmt.Sprintf("%q is one file too many", files[1]))
	}
	return files, nil
}

// flagParser is the command line of one subcommand.
type flagParser struct {
	s       stdio
	name    string
	operand string // what it takes besides flags; empty for nothing
	about   string
	withEnv bool
	fs      *flag.FlagSet
}

// parse returns what is no flag.
func (p *flagParser) parse(args []string, define func(*flag.FlagSet)) ([]string, error) {
	p.fs = flag.NewFlagSet(p.name, flag.ContinueOnError)
	p.fs.SetOutput(io.Discard)
	if define != nil {
		define(p.fs)
	}
	var rest []string
	for {
		err := p.fs.Parse(args)
		switch {
		case err == flag.ErrHelp: //nolint:errorlint // documented as this very value
			p.help(p.s.out)
			return nil, errHelp
		case err != nil:
			return nil, p.refuse(err.Error())
		case p.fs.NArg() == 0:
			return rest, nil
		}
		rest = append(rest, p.fs.Arg(0))
		args = p.fs.Args()[1:]
	}
}

// refuse says what is wrong with the command line, and what is right.
func (p *flagParser) refuse(problem string) error {
	fmt.Fprintf(p.s.err, "slackbridge %s: %s\n", p.name, problem)
	p.help(p.s.err)
	return errUsage
}

func (p *flagParser) help(w io.Writer) {
	words := strings.TrimSpace("[flags] " + p.operand)
	fmt.Fprintf(w, "Usage: slackbridge %s %s\n\n%s\n", p.name, words, p.about)
	var b strings.Builder
	p.fs.SetOutput(&b)
	p.fs.PrintDefaults()
	p.fs.SetOutput(io.Discard)
	if b.Len() > 0 {
		fmt.Fprintf(w, "\nFlags:\n%s", b.String())
	}
	if p.withEnv {
		environmentHelp(w)
	}
}
