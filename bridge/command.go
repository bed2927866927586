package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// repeatWindow is how long the same delivery of a slash command is recognised.
// Slack documents no retries of commands, but the same payload has been seen
// twice, and two calls would be two deployments.
const repeatWindow = 10 * time.Minute

// Command handles a slash command. Everything that the command has to say
// itself goes to the one who typed it; a call that starts is announced in the
// channel.
func (b *Bridge) Command(ctx context.Context, cmd blockkit.Command) {
	if cmd.User.Team != b.o.Team {
		// Strangers of a shared channel do not run tools.
		b.replyTo(ctx, cmd, blockkit.Note(blockkit.StrangerCommand()))
		return
	}
	first, err := b.o.Ledger.FirstTime(ctx, "command:"+cmd.TriggerID, repeatWindow)
	switch {
	case err != nil:
		b.o.Log.Error("a command could not be recorded and is not run", "requester", cmd.User.ID, "err", err)
		b.replyTo(ctx, cmd, blockkit.Note(blockkit.NotRecordedTryAgain()))
		return
	case !first:
		b.o.Log.Info("a command that came twice is run once", "requester", cmd.User.ID)
		return
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(cmd.Text), " ")
	switch word {
	case "", "help":
		b.replyTo(ctx, cmd, blockkit.Help(b.serverNames()))
	case "servers":
		b.replyTo(ctx, cmd, blockkit.ServersList(b.o.Host.Servers()))
	default:
		b.runCommand(ctx, cmd, word, rest)
	}
}

// runCommand runs SERVER.TOOL, or lists the tools of SERVER.
func (b *Bridge) runCommand(ctx context.Context, cmd blockkit.Command, target, rest string) {
	server, name, dotted := strings.Cut(blockkit.UnescapeText(target), ".")
	if !slices.Contains(b.serverNames(), server) {
		b.replyTo(ctx, cmd, blockkit.Note(blockkit.UnknownServer(server, b.serverNames())))
		return
	}
	tools, err := b.o.Host.Tools(ctx, server, cmd.User)
	if err != nil {
		b.o.Log.Warn("the tools of a server could not be listed", "server", server, "err", err)
		b.replyTo(ctx, cmd, blockkit.Note(blockkit.ServerUnusable(server, err.Error())))
		return
	}
	if !dotted {
		b.replyTo(ctx, cmd, blockkit.ToolsList(server, b.instructions(server), tools))
		return
	}
	i := slices.IndexFunc(tools, func(t elicit.Tool) bool { return t.Name == name })
	if i < 0 {
		b.replyTo(ctx, cmd, blockkit.UnknownTool(server, name, tools))
		return
	}
	args, err := blockkit.Arguments(tools[i].InputSchema, rest)
	var missing *blockkit.MissingArguments
	if errors.As(err, &missing) && b.askArguments(ctx, cmd, tools[i], missing.Given) {
		return
	}
	if err != nil {
		b.replyTo(ctx, cmd, blockkit.Note(blockkit.BadArguments(server, name, err)))
		return
	}
	b.runTool(ctx, cmd, tools[i], args)
}

// runTool starts a call, and tells the person if it did not start.
func (b *Bridge) runTool(ctx context.Context, cmd blockkit.Command, tool elicit.Tool, args json.RawMessage) {
	if err := b.start(ctx, cmd, tool, args); err != nil {
		b.o.Log.Error("a call could not be started", "server", tool.Server, "tool", tool.Name, "requester", cmd.User.ID, "err", err)
		b.replyTo(ctx, cmd, blockkit.Note(blockkit.NotStarted(tool.Server, tool.Name, startProblem(err))))
	}
}

// startProblem is what the person reads; the details are in the log.
func startProblem(err error) string {
	switch {
	case errors.Is(err, errDraining):
		return errDraining.Error()
	case errors.Is(err, elicit.ErrCannotPost):
		return "I can post neither in this conversation nor in a direct message to you"
	case errors.Is(err, elicit.ErrSlackUnreachable):
		return "Slack did not take the message"
	default:
		return "Slack refused the message"
	}
}

func (b *Bridge) instructions(server string) string {
	for _, s := range b.o.Host.Servers() {
		if s.Name == server {
			return s.Instructions
		}
	}
	return ""
}

func (b *Bridge) serverNames() []string {
	var names []string
	for _, s := range b.o.Host.Servers() {
		names = append(names, s.Name)
	}
	return names
}

// replyTo answers a command for the eyes of its author only. The response_url
// works in every conversation, also where the bot is not a member.
func (b *Bridge) replyTo(ctx context.Context, cmd blockkit.Command, m blockkit.Message) {
	err := errors.New("there is no response_url") // a form has none
	if cmd.ResponseURL != "" {
		err = b.o.Slack.Respond(ctx, cmd.ResponseURL, m)
	}
	if err != nil {
		err = b.o.Slack.Ephemeral(ctx, elicit.Place{Channel: cmd.Channel}, cmd.User.ID, m)
	}
	if err != nil {
		var dm string
		if dm, err = b.o.Slack.DirectMessage(ctx, cmd.User.ID); err == nil {
			_, err = b.post(ctx, elicit.Place{Channel: dm}, m)
		}
	}
	if err != nil {
		b.o.Log.Warn("a command could not be answered", "channel", cmd.Channel, "requester", cmd.User.ID, "err", err)
	}
}
