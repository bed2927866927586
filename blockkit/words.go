package blockkit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// The English words of cards, forms and results stand in this file, those of
// hints and errors in words_fields.go, of ends in endings.go and of notes in
// sentences.go, so that a catalogue can take their place.

// Buttons.
const (
	wordRespond    = "Respond…"
	wordAccept     = "Accept"
	wordDecline    = "Decline"
	wordCancel     = "Cancel"
	wordSubmit     = "Submit"
	wordClose      = "Close"
	wordStop       = "Stop"
	wordSend       = "Send"
	wordNext       = "Next"
	wordBack       = "Back"
	wordRun        = "Run"
	wordReviewLink = "Review link…"
	wordOpenLink   = "Open link"
	wordDone       = "Done"
	wordRunAgain   = "Run again"
)

// Choices of ours.
const (
	wordYes       = "Yes"
	wordNo        = "No"
	wordNoAnswer  = "No answer"
	wordLeaveOpen = "Leave it open"
	wordEmpty     = "(empty)"
)

const (
	wordNothing  = "(nothing)"
	wordCutShort = "… (cut here: it is longer than Slack can show)"
	wordLoading  = "Loading the form…"

	wordLoadingPage = "Loading the next page. If it does not come, press Next."
	wordNotice      = "Question"
	wordGoesOn      = "… (it goes on on the next page)"
	wordInTheForm   = "… (it is long: the whole of it is in the form)"
	wordAskBlank    = "It sent no message with its question."
	wordWantsPage   = "It wants you to open a page on "
	wordFields      = "It asks for: "
	wordTitleBare   = "slackbridge"
)

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Marks of the rule in hygiene.go.

func markHidden(first rune, n int) string {
	if n == 1 {
		return fmt.Sprintf("⟦U+%04X⟧", first)
	}
	return fmt.Sprintf("⟦U+%04X ×%d⟧", first, n)
}

func markSpaces(n int) string     { return fmt.Sprintf("⟦%d spaces⟧", n) }
func markEmptyLines(n int) string { return fmt.Sprintf("⟦%d empty lines⟧", n) }

// wordConstant shows a property that is sent in any case.
func wordConstant(fd *field, l Language) []Part {
	c, _ := fd.control.(constant)
	value := shownLine(c.text)
	if value == "" {
		value = string(c.value)
	}
	label := fd.label
	if fd.whole != "" {
		label = fd.whole
	}
	var out []Part = say("%s: %s (sent as it is)", Bold(label), Code(value)).words(l)
	if !isBlank(fd.about) {
		out = append(out, Text("\n"+fd.about))
	}
	return out
}

// Cards and forms.

// name is a name of a server or tool, cut where nobody would read on.
func name(s string) string { return cut(shownLine(s), maxLabel) }

// wordInCall says which call a question belongs to.
func wordInCall(tool, requester string) Words {
	switch {
	case tool == "" && requester == "":
		return nil
	case tool == "":
		return Words{Text(" for "), Mention(requester)}
	case requester == "":
		return Words{Text(" in a call of "), Code(name(tool))}
	}
	return Words{Text(" in the call of "), Code(name(tool)), Text(" by "), Mention(requester)}
}

// maxMentions bounds how many people one question rings for.
const maxMentions = 20

// wordAsks is the first line of a card. It mentions those who may answer.
func wordAsks(server, tool, requester string, responders []string) Words {
	w := Words{Bold(server), Text(" asks")}
	for i, r := range responders {
		if i == maxMentions {
			w = append(w, Text(" and "+counted(len(responders)-i, "other", "others")))
			break
		}
		sep := ", "
		if i == 0 {
			sep = " "
		}
		w = append(w, Text(sep), Mention(r))
	}
	if len(responders) == 1 && responders[0] == requester {
		requester = "" // one mention will do
	}
	w = append(w, wordInCall(tool, requester)...)
	return append(w, Text(":"))
}

func wordAsked(server, tool, requester string) Words {
	w := Words{Bold(server), Text(" had asked")}
	w = append(w, wordInCall(tool, requester)...)
	return append(w, Text("."))
}

func wordUntil(t time.Time) Words { return Words{Text("Open until "), Date(t), Text(".")} }

// maxNamedFields is how many fields a card names; the form shows them all.
const maxNamedFields = 20

func wordAsksFor(labels []string) Words {
	names := strings.Join(labels[:min(len(labels), maxNamedFields)], ", ")
	if more := len(labels) - maxNamedFields; more > 0 {
		names += " and " + counted(more, "more field", "more fields")
	}
	return Words{Bold(wordFields), Text(names)}
}

func wordReviewTitle(label string) string { return "Answer “" + label + "”?" }

func wordReview(server, field, label string) string {
	return server + " gets: " + cut(field, maxConfirmText/2) + " = " + label
}

const wordNothingMore = " Nothing was changed."

// Results.

const wordNoContent = "It returned no content."

func wordResult(server, tool string, failed bool) Words {
	if failed {
		return Words{Code(name(server + "." + tool)), Text(" says that it "), Bold("failed"), Text(":")}
	}
	return Words{Code(name(server + "." + tool)), Text(" returned:")}
}

// wordContent names a content item that is not shown itself.
func wordContent(kind, name, mime string, size int) Words {
	w := Words{Text("[" + cut(shownLine(kind), 60))}
	if name != "" {
		w = append(w, Text(" "), Code(cut(shownLine(name), 300)))
	}
	if mime != "" {
		w = append(w, Text(", "+cut(shownLine(mime), 100)))
	}
	if size > 0 {
		w = append(w, Text(", "+counted(size, "byte", "bytes")))
	}
	return append(w, Text("]"))
}

// Lists.

const (
	wordNoServers = "No servers are configured."
	wordServers   = "Servers:"
	wordHelp      = "Run tools of MCP servers and answer their questions here."
)

var helpLines = []struct{ command, means string }{
	{"/mcp SERVER.TOOL key=value key=\"two words\"", "run a tool"},
	{"/mcp SERVER.TOOL --json {…}", "run it with arguments as JSON"},
	{"/mcp SERVER", "list the tools of a server"},
	{"/mcp servers", "list the servers and how they are doing"},
	{"/mcp help", "this text"},
}

func wordServer(s elicit.ServerState) Words {
	w := Words{Text("\n• "), Code(s.Name), Text(" (" + s.Transport + ")")}
	switch {
	case s.Err != nil:
		return append(w, Text(" – "), Bold("cannot be used"), Text(": "+shortened(shownLine(s.Err.Error()), 300)))
	case s.Protocol == "":
		return append(w, Text(" – not tried yet"))
	}
	return append(w, Text(" – connected, protocol "+s.Protocol))
}
