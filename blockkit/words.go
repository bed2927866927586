package blockkit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/slackbridge/slackbridge/elicit"
)

// The English words of cards, forms and results stand in this file, those of
// notes in sentences.go, so that a catalogue can take their place.

// Buttons.
const (
	wordRespond = "Respond…"
	wordAccept  = "Accept"
	wordDecline = "Decline"
	wordCancel  = "Cancel"
	wordSubmit  = "Submit"
	wordClose   = "Close"
	wordStop    = "Stop"
	wordSend    = "Send"
	wordBack    = "Back"
)

// Choices of ours.
const (
	wordYes      = "Yes"
	wordNo       = "No"
	wordNoAnswer = "No answer"
	wordEmpty    = "(empty)"
)

const (
	wordNothing   = "(nothing)"
	wordCutShort  = "… (cut here: it is longer than Slack can show)"
	wordLoading   = "Loading the form…"
	wordNotice    = "Question"
	wordAskBlank  = "It sent no message with its question."
	wordFields    = "It asks for: "
	wordTitleBare = "slackbridge"
)

func plural(n int, one, many string) string {
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

// Hints under a field.

func hintLength(lo, hi int) string {
	switch {
	case lo > 0 && lo == hi:
		return fmt.Sprintf("Exactly %s.", plural(lo, "character", "characters"))
	case lo > 0 && hi >= 0:
		return fmt.Sprintf("%d to %s.", lo, plural(hi, "character", "characters"))
	case lo > 0:
		return fmt.Sprintf("At least %s.", plural(lo, "character", "characters"))
	case hi >= 0:
		return fmt.Sprintf("At most %s.", plural(hi, "character", "characters"))
	}
	return ""
}

// hintItems says how many may be chosen; hi is -1 without an upper bound.
func hintItems(lo, hi int) string {
	switch {
	case lo > 0 && lo == hi:
		return fmt.Sprintf("Choose exactly %d.", lo)
	case lo > 0 && hi >= 0:
		return fmt.Sprintf("Choose %d to %d.", lo, hi)
	case lo > 0:
		return fmt.Sprintf("Choose at least %d.", lo)
	case hi >= 0:
		return fmt.Sprintf("Choose at most %d.", hi)
	}
	return ""
}

func hintPattern(pattern string) string { return "Must match: " + cut(shownLine(pattern), 120) }

func hintZone(zone string) string {
	return "Sent with the offset of your Slack time zone, " + zone + ". The picker may show the zone of your device."
}

// Errors at a field: what is expected. Each has at most maxErrorText
// characters.

const (
	errFill       = "Please fill in this field."
	errChoose     = "Please choose one of the options."
	errNotOffered = "This choice is not among the options. Please choose again."
	errUnreadable = "This could not be read. Please enter it again."
	errNumber     = "Please enter a number, such as 12.5."
	errInteger    = "Please enter a whole number, such as 12."
	errEmail      = "Please enter an email address, such as ann@example.com."
	errURI        = "Please enter a full URL, such as https://example.com/page."
	errDate       = "Please choose a date."
	errMoment     = "Please choose a date and a time."
	errTooHard    = "This could not be checked against the pattern that is asked for. Please try a shorter or simpler text."
)

func errTooShort(lo, have int) string {
	return fmt.Sprintf("Please enter at least %s; this has %d.", plural(lo, "character", "characters"), have)
}

func errTooLong(hi, have int) string {
	return fmt.Sprintf("Please enter at most %s; this has %d.", plural(hi, "character", "characters"), have)
}

func errPattern(pattern string) string {
	return "Please enter text that matches " + cut(shownLine(pattern), 100)
}

func errFormat(format string) string {
	return "Please enter a valid " + cut(shownLine(format), 60) + "."
}

func errRange(b bounds) string { return "Please enter a number " + b.words() + "." }

// words says what numbers the bounds allow: "from 1 to 5", "of at least 0".
func (b bounds) words() string {
	lo, hi := b.lo.short(), b.hi.short()
	switch {
	case b.lo != nil && b.hi != nil && !b.loOpen && !b.hiOpen:
		return "from " + lo + " to " + hi
	case b.lo != nil && b.hi != nil:
		return map[bool]string{false: "of at least ", true: "greater than "}[b.loOpen] + lo +
			map[bool]string{false: " and at most ", true: " and less than "}[b.hiOpen] + hi
	case b.lo != nil && b.loOpen:
		return "greater than " + lo
	case b.lo != nil:
		return "of at least " + lo
	case b.hi != nil && b.hiOpen:
		return "less than " + hi
	case b.hi != nil:
		return "of at most " + hi
	}
	return ""
}

func hintRange(b bounds) string {
	if w := b.words(); w != "" {
		return "A number " + w + "."
	}
	return ""
}

func hintMultiple(n *numeral) string { return "A multiple of " + n.short() + "." }

func errMultiple(n *numeral) string { return "Please enter a multiple of " + n.short() + "." }

func errTooFew(lo int) string { return fmt.Sprintf("Please choose at least %d.", lo) }

func errTooMany(hi int) string { return fmt.Sprintf("Please choose at most %d.", hi) }

func errWhole(problem string) string {
	return "The answers together are not what the server asks for: " + problem
}

// maxErrorText is how long an error at a field may be; Slack names no limit.
const maxErrorText = 150

// fieldError fits s into an error at a field.
func fieldError(s string) string {
	if utf8.RuneCountInString(s) <= maxErrorText {
		return s
	}
	head, _ := splitAt(s, maxErrorText-len(ellipsis))
	return strings.TrimRightFunc(head, isSpace) + ellipsis
}

// wordConstant shows a property that is sent in any case.
func wordConstant(fd *field) []Part {
	c, _ := fd.control.(constant)
	value := shownLine(c.text)
	if value == "" {
		value = string(c.value)
	}
	out := []Part{Bold(fd.label), Text(": "), Code(value), Text(" (sent as it is)")}
	if !isBlank(fd.about) {
		out = append(out, Text("\n"+fd.about))
	}
	return out
}

// Cards and forms.

// wordHead is the first line of a form: who asks, and for what.
func (v FormView) head() Words {
	w := Words{Bold(v.Server), Text(" asks")}
	w = append(w, wordInCall(v.Tool, v.Requester)...)
	w = append(w, Text(". "))
	if !v.Deadline.IsZero() {
		w = append(w, wordUntil(v.Deadline)...)
	}
	return w
}

// wordInCall says which call a question belongs to.
func wordInCall(tool, requester string) Words {
	switch {
	case tool == "" && requester == "":
		return nil
	case tool == "":
		return Words{Text(" for "), Mention(requester)}
	case requester == "":
		return Words{Text(" in a call of "), Code(tool)}
	}
	return Words{Text(" in the call of "), Code(tool), Text(" by "), Mention(requester)}
}

// maxMentions bounds how many people one question rings for.
const maxMentions = 20

// wordAsks is the first line of a card. It mentions those who may answer.
func wordAsks(server, tool, requester string, responders []string) Words {
	w := Words{Bold(server), Text(" asks")}
	for i, r := range responders {
		if i == maxMentions {
			w = append(w, Text(" and "+plural(len(responders)-i, "other", "others")))
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
		names += " and " + plural(more, "more field", "more fields")
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
		return Words{Code(server + "." + tool), Text(" says that it "), Bold("failed"), Text(":")}
	}
	return Words{Code(server + "." + tool), Text(" returned:")}
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
		w = append(w, Text(", "+plural(size, "byte", "bytes")))
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
		return append(w, Text(" – not connected yet"))
	}
	return append(w, Text(" – connected, protocol "+s.Protocol))
}
