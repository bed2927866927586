package blockkit

import (
	"strings"

	"github.com/slackbridge/slackbridge/elicit"
)

// Words is one of our own sentences. Text of others stands in it dead, as a
// part of its own.
type Words []Part

// Plain returns the words without any markup, for a place that takes plain
// text only, such as the error at a field.
func (w Words) Plain() string { return UnescapeText(Note(w...).Text) }

// NotRecordedTryAgain answers an action while the store is out of reach.
func NotRecordedTryAgain() Words {
	return Words{Text("That could not be recorded just now. Please try again in a moment.")}
}

// UnknownQuestion answers an action on a question that has been forgotten.
func UnknownQuestion() Words {
	return Words{Text("This question is not known any more: it ended some time ago, or the bot lost its memory. Nothing was sent. Run the tool again if you still need it.")}
}

// FormForgotten answers a form of arguments that was open for too long.
func FormForgotten() Words {
	return Words{Text("This form is not known any more: it was open for too long, or its tool is running already. Nothing was run now. Type the command again if you still need it.")}
}

// StaleButton answers a button that does not belong to the card it was on.
func StaleButton() Words {
	return Words{Text("This button does not belong to an open question, so nothing was sent.")}
}

// NotEntitled answers somebody who may not decide.
func NotEntitled(requester string) Words {
	return Words{Text("Only "), Mention(requester), Text(" can answer this question: it belongs to their call. Nothing was changed.")}
}

// TooSlowPressAgain answers a click that could not open its form in time.
func TooSlowPressAgain() Words {
	return Words{Text("The form could not be opened in time. The question is still open: please press the button again.")}
}

// AlreadyOpen answers a click whose form stands open already.
func AlreadyOpen() Words {
	return Words{Text("You have this form open already, here or on another device. If you cannot see it, press the button again in a few seconds.")}
}

// FormRefused answers a click whose form Slack did not take.
func FormRefused() Words {
	return Words{Text("Slack refused to show this form. The question is still open: you can decline or cancel it, or let it expire.")}
}

// CallNotRunning answers Stop on a call that has ended.
func CallNotRunning() Words {
	return Words{Text("That call is not running any more, so there is nothing to stop.")}
}

// NotYourCall answers Stop from somebody else than the requester.
func NotYourCall(requester string) Words {
	return Words{Text("Only "), Mention(requester), Text(" can stop this call.")}
}

// StrangerCommand answers a command from somebody of another workspace.
func StrangerCommand() Words {
	return Words{Text("You belong to another workspace; tools can be run by members of this one only.")}
}

// UnknownServer answers a command that names no server of ours.
func UnknownServer(name string, known []string) Words {
	w := Words{Text("There is no server "), Code(name), Text(". ")}
	if len(known) == 0 {
		return append(w, Text("No servers are configured."))
	}
	w = append(w, Text("Configured: "))
	w = append(w, codeList(known)...)
	return append(w, Text(". Write "), Code("/mcp SERVER.TOOL key=value"), Text("."))
}

// ServerUnusable answers a command for a server that cannot be reached.
func ServerUnusable(server, problem string) Words {
	return Words{Text("The server "), Code(server), Text(" cannot be used now: "), Text(problem)}
}

// BadArguments answers a command whose arguments cannot be used.
func BadArguments(server, tool string, problem error) Words {
	return Words{Code(server + "." + tool), Text(" was not run. "), Text(problem.Error())}
}

// NotStarted answers a command whose call could not be announced.
func NotStarted(server, tool, problem string) Words {
	return Words{Code(server + "." + tool), Text(" was not run: "), Text(problem), Text(".")}
}

// AskedInDM explains why a message stands in a direct message.
func AskedInDM(channel string) Message {
	return Note(Text("I cannot post in "), Channel(channel), Text(", where this was asked for, so it goes on here. Invite me there with "), Code("/invite"), Text(" to have it in the channel."))
}

// NotRecorded tells a thread that a question could not be stored, and so was
// not asked.
func NotRecorded(server string) Message {
	return Note(Code(server), Text(" has a question, but it could not be recorded, so it was not asked. The server was told that nobody answered."))
}

// WhyRefusedBySlack is a reason for NotShown.
const WhyRefusedBySlack = "Slack did not take the message"

// NotShown tells a thread why a question was not asked.
func NotShown(server, tool, why string) Message {
	return Note(Bold("Not shown. "), Text("A question of "), Code(server), Text(" ("+tool+") cannot be shown in Slack: "), Text(why), Text(". The server was told that nobody answered (cancel)."))
}

// PageRefused tells a thread that a page must not be opened.
func PageRefused(server, tool, host, why string) Message {
	return Note(Bold("Not shown. "), Code(server), Text(" ("+tool+") wants a page of "), Code(host), Text(" opened, which is not allowed here: "+why+". The server was told that nobody answered (cancel)."))
}

// RunAgain offers to run a call whose pages have been opened.
func RunAgain(id elicit.CallID, server, tool string) Message {
	m := Note(Text("The page that "), Code(server), Text(" needed has been opened. "), Code(tool), Text(" has not run yet."))
	m.Blocks = append(m.Blocks, actions(button(ActionRunAgain, string(id), wordRunAgain)))
	return m
}

// UnknownOutcome offers to run a call again of which nobody knows whether its
// server had it.
func UnknownOutcome(id elicit.CallID, server, tool string) Message {
	m := Note(Text("The bot was restarted while "), Code(server), Text(" was running "), Code(tool), Text(". Whether it has done anything is not known: look before you run it again."))
	m.Blocks = append(m.Blocks, actions(button(ActionRunAgain, string(id), wordRunAgain)))
	return m
}

// RanAgain takes the place of an offer to run a call again, once it was taken.
func RanAgain(server, tool string, by elicit.User) Message {
	return Note(Mention(by.ID), Text(" ran "), Code(tool), Text(" of "), Code(server), Text(" again."))
}

// NotYoursToRunAgain answers Run again from somebody else, or a second time.
func NotYoursToRunAgain() Words {
	return Words{Text("This cannot be run again from here: it was run already, it is too old, or it is somebody else's call.")}
}

// Malformed tells a thread that a server's question was not valid.
func Malformed(server, tool string, problem *elicit.InvalidParamsError) Message {
	return Note(Bold("Not shown. "), Code(server), Text(" ("+tool+") asked a question that is not valid: "), Code(problem.Path), Text(": "+problem.Problem+". The server was told so (error -32602); its author can mend it."))
}

// Repeated tells a thread that a question came again after a no.
func Repeated(server, tool string) Message {
	return Note(Code(server), Text(" ("+tool+") asked again what was just declined or dismissed. It is not shown again; the server was told that nobody answered (cancel)."))
}

// CallError tells a thread that a call failed.
func CallError(server, tool, problem string) Message {
	return Note(Bold("Failed. "), Code(server+"."+tool), Text(": "), Text(problem))
}

// maxInstructions is how much of a server's instructions stands above its tools.
const maxInstructions = 1000

// ToolsList lists the tools of a server, under what it says of itself.
func ToolsList(server, instructions string, tools []elicit.Tool) Message {
	var w Words
	if words := cut(strings.TrimSpace(shown(instructions)), maxInstructions); words != "" {
		w = Words{Code(server), Text(" says: " + words + "\n\n")}
	}
	if len(tools) == 0 {
		return Note(append(w, Code(server), Text(" offers no tools."))...)
	}
	w = append(w, Text("Tools of "), Code(server), Text(":"))
	return Note(append(w, toolLines(tools)...)...)
}

// UnknownTool answers a command that names no tool of the server.
func UnknownTool(server, name string, tools []elicit.Tool) Message {
	w := Words{Code(server), Text(" has no tool "), Code(name), Text(".")}
	if len(tools) > 0 {
		w = append(w, Text(" Its tools:"))
	}
	return Note(append(w, toolLines(tools)...)...)
}

// maxToolLines keeps a list of tools readable; the rest is counted.
const maxToolLines = 40

func toolLines(tools []elicit.Tool) Words {
	var w Words
	for i, t := range tools {
		if i == maxToolLines {
			return append(w, Text("\n… and "+counted(len(tools)-i, "more tool", "more tools")))
		}
		w = append(w, Text("\n• "), Code(t.Server+"."+t.Name))
		if d := firstLine(t.Description); d != "" {
			w = append(w, Text(" — "+d))
		}
	}
	return w
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return shortened(s, 120)
}

func codeList(names []string) Words {
	var w Words
	for i, n := range names {
		if i > 0 {
			w = append(w, Text(", "))
		}
		w = append(w, Code(n))
	}
	return w
}
