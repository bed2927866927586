// Package slackrules says what Slack would refuse: Block Kit messages, views
// and option lists, judged on the JSON that is really sent.
//
// It is an independent judge. It knows nothing of the code that builds those
// payloads and never sees a Go type of theirs, so that a mistake of the builder
// cannot hide in the check. Where Slack's documents are silent or disagree it
// takes the stricter reading; the wording of a message is Slack's own where
// that is known.
//
// Lengths are counted in UTF-16 units. A plain_text object is counted as Slack
// stores it, with &, < and > escaped; mrkdwn is escaped by its sender and is
// counted as sent.
package slackrules

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// Violation is one thing that Slack would refuse.
type Violation struct {
	Pointer string // JSON pointer into the payload, e.g. "/blocks/0/text/text" or "/view/title/text"
	Message string // in Slack's words, e.g. "must be less than 25 characters"
	Rule    string // one of the Rule constants: the kind of rule that was broken
}

// String returns the violation as Slack lists it in response_metadata.messages.
func (v Violation) String() string {
	return "[ERROR] " + v.Message + " [json-pointer:" + v.Pointer + "]"
}

// Kinds of rules.
const (
	RuleFormat    = "format"    // not JSON, or blocks are not an array of objects
	RuleType      = "type"      // a value of the wrong JSON type
	RuleProperty  = "property"  // a property that does not exist there
	RuleRequired  = "required"  // a property that is missing
	RuleLength    = "length"    // a string that is empty or too long
	RuleCount     = "count"     // too few or too many items
	RulePlacement = "placement" // a block or element where it is not supported
	RuleValue     = "value"     // a value outside its set, range or form
	RuleUnique    = "unique"    // an id or option value that stands twice
	RuleInitial   = "initial"   // an initial option that is not among the options
	RuleConflict  = "conflict"  // properties that exclude or need each other
	RuleSize      = "size"      // the payload as a whole is too big
	RuleNoText    = "no_text"   // a message without any content
)

// Limits on whole payloads, in bytes of JSON.
const (
	MaxViewBytes   = 250_000 // Slack says 250 KB; the smaller meaning of KB
	MaxBlocksBytes = 100_000 // Slack names no number for msg_blocks_too_long; we stay below this one
)

// CheckMessage checks the arguments of chat.postMessage as far as they are
// content: text, markdown_text, blocks and attachments. Other arguments are
// not looked at. Pointers begin with /blocks.
func CheckMessage(raw []byte) []Violation {
	v, err := decode(raw)
	if err != nil {
		return []Violation{{"", "invalid JSON: " + err.Error(), RuleFormat}}
	}
	c := newChecker(onMessage)
	args, ok := v.(object)
	if !ok {
		c.report("", RuleFormat, "must provide an object")
		return c.found
	}
	c.message(args)
	return c.found
}

// CheckView checks a modal as sent to views.open, views.push or views.update,
// or inside a response_action. Pointers begin with /view.
func CheckView(raw []byte) []Violation { return checkView(raw, onModal) }

// CheckHome checks a view as sent to views.publish. Pointers begin with /view.
func CheckHome(raw []byte) []Violation { return checkView(raw, onHome) }

func checkView(raw []byte, s surface) []Violation {
	v, err := decode(raw)
	if err != nil {
		return []Violation{{"/view", "invalid JSON: " + err.Error(), RuleFormat}}
	}
	c := newChecker(s)
	if len(raw) > MaxViewBytes {
		c.report("/view", RuleSize, "view_too_large")
	}
	c.view("/view", v)
	return c.found
}

// CheckOptions checks the answer to a block_suggestion: an object with either
// options or option_groups. An empty list is a valid answer, a missing one is
// not.
func CheckOptions(raw []byte) []Violation {
	v, err := decode(raw)
	if err != nil {
		return []Violation{{"", "invalid JSON: " + err.Error(), RuleFormat}}
	}
	c := newChecker(onModal)
	c.suggestions(v)
	return c.found
}

// object is a decoded JSON object.
type object = map[string]any

// decode reads exactly one JSON value; numbers keep their digits.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

func at(ptr string, i int) string { return ptr + "/" + strconv.Itoa(i) }
