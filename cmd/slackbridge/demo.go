package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slackbridge/slackbridge/internal/demo"
	"github.com/slackbridge/slackbridge/internal/slacksim"
	"github.com/slackbridge/slackbridge/internal/slacksim/page"
)

const demoAbout = `Runs everything on this machine: a simulated Slack with its page in the browser,
an embedded Redis, the bot, and a demo MCP server named "deploy" as a child
process. Nothing else needs to be installed, and nothing leaves this machine.`

// demoPolicy gives a first-time reader more time than an on-call engineer has.
const demoPolicy = "defaults: {deadlines: {form: 2m, confirm: 2m, durable: 2m}}\n"

type demoOptions struct {
	noBrowser bool
	listen    string
	servers   string
	verbose   bool
}

func demoCommand(ctx context.Context, args []string, s stdio) error {
	var o demoOptions
	define := func(fs *flag.FlagSet) {
		fs.BoolVar(&o.noBrowser, "no-browser", false, "print the address only")
		fs.StringVar(&o.listen, "listen", "127.0.0.1:0", "loopback `address` of the page; port 0 takes a free one")
		fs.StringVar(&o.servers, "servers", "", "use the MCP servers of this `file` instead of the demo server")
		fs.BoolVar(&o.verbose, "v", false, "show the bot's log")
	}
	if err := flags(s, "demo", demoAbout, false, args, define); err != nil {
		return err
	}
	return runDemo(ctx, o, s)
}

// runDemo runs the demo until ctx ends.
func runDemo(ctx context.Context, o demoOptions, s stdio) (err error) {
	log := slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: demoLevel(o.verbose)}))
	l, err := listenLoopback(o.listen)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "slackbridge-demo-")
	if err != nil {
		return errors.Join(fmt.Errorf("making a folder for the demo's files: %w", err), l.Close())
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	sim, err := slacksim.Start(slacksim.Options{Log: log})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, sim.Close()) }()

	cfg, err := demoConfig(sim, dir, o.servers)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	a, err := newApp(ctx, cfg, log)
	if err != nil {
		return errors.Join(faults(err), l.Close())
	}
	web := &http.Server{Handler: page.Handler(sim, page.Options{Title: "slackbridge demo", Examples: o.examples(a.in.names())}), ReadHeaderTimeout: 5 * time.Second}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serving the page: %w", err)
		}
		return nil
	})
	g.Go(func() error {
		err := a.run(gctx)
		return errors.Join(err, web.Close())
	})
	g.Go(func() error {
		// The page is of no use before the bot is there: its first command
		// would find nobody.
		if !a.connected(gctx) {
			return nil
		}
		address := "http://" + l.Addr().String() + "/"
		then := ",\n         and answer what the server asks"
		if o.servers != "" {
			then = "\n         to see what it can do, then /mcp SERVER.TOOL"
		}
		fmt.Fprintf(s.out, demoWelcome, address, o.examples(a.in.names())[0].Text, then)
		if !o.noBrowser {
			openBrowser(ctx, address, log)
		}
		return nil
	})
	return g.Wait()
}

const demoWelcome = `slackbridge demo: a simulated Slack, the bot and MCP servers, all on this machine.

  Open   %s

  Type   %s   in #deploys%s.

Ctrl-C ends the demo; nothing is kept.
`

// examples are what one can try: the demo server's tools, or a look at one's
// own servers.
func (o demoOptions) examples(servers []string) []page.Example {
	if o.servers == "" {
		return demo.Examples()
	}
	var out []page.Example
	for _, name := range servers {
		out = append(out, page.Example{Text: "/mcp " + name, About: "the tools of " + name})
	}
	return append(out, page.Example{Text: "/mcp servers", About: "the servers and their state"}, page.Example{Text: "/mcp help", About: "what else there is"})
}

func demoLevel(verbose bool) slog.Level {
	if verbose {
		return slog.LevelDebug
	}
	return slog.LevelError
}

// listenLoopback refuses every address that others could reach: the page has
// no login.
func listenLoopback(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen %q: write host:port, such as 127.0.0.1:7777", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen %q: the demo page has no login, so it is served on loopback only; write 127.0.0.1:PORT", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w; choose another port, or leave the flag out", err)
	}
	return l, nil
}

// demoConfig is the environment that a real installation would set.
func demoConfig(sim *slacksim.Sim, dir, servers string) (config, error) {
	cfg := config{
		BotToken: secret(sim.BotToken()), AppToken: secret(sim.AppToken()), SlackAPIURL: sim.APIURL(),
		Listen: "127.0.0.1:0", LogLevel: "info", LogFormat: "text", Drain: time.Second,
		PolicyFile: filepath.Join(dir, "policy.yaml"), ServersFile: servers,
	}
	if err := os.WriteFile(cfg.PolicyFile, []byte(demoPolicy), 0o600); err != nil {
		return cfg, fmt.Errorf("writing the demo's policy: %w", err)
	}
	if servers != "" {
		return cfg, nil
	}
	self, err := os.Executable()
	if err != nil {
		return cfg, fmt.Errorf("finding this program, to run the demo server: %w", err)
	}
	raw, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{
		"deploy": map[string]any{"command": self, "args": []string{demoServerCommandName}},
	}}, "", "  ")
	if err != nil {
		return cfg, fmt.Errorf("writing the demo's servers file: %w", err)
	}
	cfg.ServersFile = filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(cfg.ServersFile, raw, 0o600); err != nil {
		return cfg, fmt.Errorf("writing the demo's servers file: %w", err)
	}
	return cfg, nil
}

// openBrowser is a courtesy: the address is printed in any case.
func openBrowser(ctx context.Context, address string, log *slog.Logger) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	if err := cmd.Start(); err != nil {
		log.Debug("no browser was opened", "err", err)
		return
	}
	go func() {
		if err := cmd.Wait(); err != nil {
			log.Debug("the browser's starter failed", "err", err)
		}
	}()
}
