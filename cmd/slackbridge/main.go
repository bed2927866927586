// Command slackbridge bridges the questions of MCP servers to people in Slack.
//
// This package holds flags, environment, wiring and exit codes, and no rules
// of the business.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// version is stamped by the build.
var version = "dev"

func main() {
	// correlate logs what matters, once for each change; the client library
	// would print a line for every attempt.
	redis.SetLogger(quietRedis{})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

type quietRedis struct{}

func (quietRedis) Printf(context.Context, string, ...any) {}

// stdio is where a command reads and writes.
type stdio struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// command is one subcommand.
type command struct {
	name    string
	summary string
	hidden  bool
	run     func(ctx context.Context, args []string, s stdio) error
}

func commands() []command {
	return []command{
		{name: serveCommandName, summary: "run the bot", run: serveCommand},
		{name: "demo", summary: "try it: everything local, one page in the browser", run: demoCommand},
		{name: "check", summary: "check the configuration, Redis, Slack and every server", run: checkCommand},
		{name: "manifest", summary: "print the manifest of the Slack app", run: manifestCommand},
		{name: "render", summary: "show what people will see of a form, without Slack", run: renderCommand},
		{name: "version", summary: "print the version", run: versionCommand},
		{name: demoServerCommandName, hidden: true, run: demoServerCommand},
	}
}

// errUsage ends a command whose words are off; the message was printed.
// errHelp ends one that was asked for its help.
var (
	errUsage = errors.New("usage")
	errHelp  = errors.New("help")
)

// run runs a subcommand and returns the exit code: 0 done, 1 failed, 2 wrong
// words.
func run(ctx context.Context, args []string, s stdio) int {
	if len(args) == 0 {
		usage(s.err)
		return 2
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		usage(s.out)
		return 0
	case "-version", "--version":
		args[0] = "version"
	}
	for _, c := range commands() {
		if c.name != args[0] {
			continue
		}
		err := c.run(ctx, args[1:], s)
		switch {
		case err == nil, errors.Is(err, errHelp):
			return 0
		case errors.Is(err, errUsage):
			return 2
		default:
			fmt.Fprintf(s.err, "slackbridge %s: %v\n", c.name, err)
			return 1
		}
	}
	fmt.Fprintf(s.err, "slackbridge: there is no command %q\n\n", args[0])
	usage(s.err)
	return 2
}

func versionCommand(_ context.Context, _ []string, s stdio) error {
	_, err := fmt.Fprintf(s.out, "slackbridge %s\n", version)
	return err
}
