package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
	"github.com/slackbridge/slackbridge/internal/slackrules"
)

const renderAbout = `Shows what people will see of a question, without Slack: reads the params of an
elicitation/create request (or the whole request) and prints the Block Kit JSON
of its message and of its form, page by page, as slackbridge sends them. "state"
is what Slack would send back if the form were submitted untouched.

With --answer it reads such a state and prints the answer that the server would
get, or what is wrong at which field. With --arguments FILE holds a tool's
inputSchema instead (or a tool of tools/list), and the form is the one that asks
for the tool's arguments.

Exits 1 when the question cannot be shown, when Slack would refuse a part of it,
or when the answer is not valid.`

// rendering are the flags of render.
type rendering struct {
	server, tool, lang, zone, answer string
	arguments                        bool
}

func renderCommand(_ context.Context, args []string, s stdio) error {
	var r rendering
	files, err := flagsAndFiles(s, "render", "FILE|-", renderAbout, args, func(fs *flag.FlagSet) {
		fs.StringVar(&r.server, "server", "server", "the `name` that the server has in the servers file")
		fs.StringVar(&r.tool, "tool", "tool", "the `name` of the tool that asks")
		fs.StringVar(&r.lang, "lang", "en-US", "the `locale` of whoever reads it, such as zh-CN")
		fs.StringVar(&r.zone, "zone", "UTC", "the time `zone` of whoever answers, such as Europe/Berlin")
		fs.StringVar(&r.answer, "answer", "", "print what is sent for the state in this `FILE`")
		fs.BoolVar(&r.arguments, "arguments", false, "FILE is the inputSchema of a tool")
	})
	if err != nil {
		return err
	}
	zone, err := time.LoadLocation(r.zone)
	if err != nil {
		return fmt.Errorf("--zone %s: %w", r.zone, err)
	}
	reader := blockkit.Reader{Zone: zone, Language: blockkit.LanguageOf(r.lang)}
	raw, err := readInput(files[0], s.in)
	if err != nil {
		return err
	}
	shown, err := r.show(raw, reader)
	if err != nil {
		return fmt.Errorf("%s: %w", files[0], err)
	}
	if r.answer != "" {
		return r.printAnswer(s, shown.form, reader)
	}
	return shown.print(s)
}

// shownQuestion is a question as Slack gets it.
type shownQuestion struct {
	form    *blockkit.Form
	message *blockkit.Message // nil for arguments, which are asked for without one
	pages   []blockkit.Modal
}

func (r rendering) show(raw json.RawMessage, reader blockkit.Reader) (*shownQuestion, error) {
	if r.arguments {
		return r.showArguments(raw, reader)
	}
	el, err := blockkit.Parse(within(raw, "params"), elicit.EraDurable)
	if err != nil {
		return nil, refusal(err)
	}
	const requester = "U_REQUESTER"
	deadline := time.Now().Add(10 * time.Minute).Truncate(time.Minute)
	message := blockkit.Card{
		ID: "example", Server: r.server, Tool: r.tool, Message: el.Message, Form: el.Form, Link: el.Link,
		Requester: requester, Responders: []string{requester}, Deadline: deadline,
	}.Open()
	out := &shownQuestion{form: el.Form, message: &message}
	view := blockkit.FormView{
		ID: "example", User: elicit.User{Team: "T_TEAM", ID: requester}, Server: r.server, Tool: r.tool,
		Message: el.Message, Requester: requester, Deadline: deadline, Reader: reader,
	}
	if el.Link != nil {
		out.pages = append(out.pages, el.Link.Modal(view))
		return out, nil
	}
	for view.Page = range el.Form.Pages(el.Message) {
		out.pages = append(out.pages, el.Form.Modal(view))
	}
	return out, nil
}

func (r rendering) showArguments(raw json.RawMessage, reader blockkit.Reader) (*shownQuestion, error) {
	form, err := blockkit.ParseArguments(within(raw, "inputSchema"))
	if err != nil {
		return nil, err
	}
	var tool struct{ Name, Description string }
	if json.Unmarshal(raw, &tool) != nil || tool.Name == "" {
		tool.Name = r.tool
	}
	out := &shownQuestion{form: form}
	for page := range form.Pages(tool.Description) {
		out.pages = append(out.pages, form.ArgumentsModal(blockkit.ArgumentsView{
			ID: "example", Server: r.server, Tool: tool.Name, Description: tool.Description, Reader: reader, Page: page,
		}))
	}
	return out, nil
}

// refusal says what the server would be answered.
func refusal(err error) error {
	var malformed *elicit.InvalidParamsError
	if errors.As(err, &malformed) {
		return fmt.Errorf("%w (the server is answered with the error -32602)", err)
	}
	return fmt.Errorf("%w (the server is answered cancel)", err)
}

// within returns the member of an object with that name, or all of it when
// there is none.
func within(raw json.RawMessage, name string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) == nil && members[name] != nil {
		return members[name]
	}
	return raw
}

func readInput(name string, in io.Reader) ([]byte, error) {
	if name == "-" {
		raw, err := io.ReadAll(in)
		if err != nil {
			return nil, fmt.Errorf("reading standard input: %w", err)
		}
		return raw, nil
	}
	return os.ReadFile(name) // its error names the file
}

// print writes the Block Kit JSON, and what Slack would say to it.
func (q *shownQuestion) print(s stdio) error {
	type message struct {
		Text   string `json:"text"`
		Blocks any    `json:"blocks"`
	}
	var out struct {
		Message *message          `json:"message,omitempty"`
		Modals  []json.RawMessage `json:"modals"`
		State   json.RawMessage   `json:"state"`
	}
	var broken []string
	if q.message != nil {
		out.Message = &message{q.message.Text, q.message.Blocks}
		raw, err := json.Marshal(out.Message)
		if err != nil {
			return fmt.Errorf("writing the message: %w", err)
		}
		broken = violations(broken, "message", slackrules.CheckMessage(raw))
	}
	values := map[string]json.RawMessage{}
	for i, m := range q.pages {
		raw, err := json.Marshal(m.View)
		if err != nil {
			return fmt.Errorf("writing page %d: %w", i+1, err)
		}
		broken = violations(broken, fmt.Sprintf("page %d", i+1), slackrules.CheckView(raw))
		out.Modals = append(out.Modals, raw)
		addUntouched(values, raw)
	}
	state, err := json.Marshal(map[string]any{"values": values})
	if err != nil {
		return fmt.Errorf("writing the state: %w", err)
	}
	out.State = state
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if len(broken) > 0 {
		return fmt.Errorf("Slack would refuse this; please report it:\n%s", strings.Join(broken, "\n"))
	}
	return nil
}

func violations(broken []string, where string, found []slackrules.Violation) []string {
	for _, v := range found {
		broken = append(broken, where+": "+v.String())
	}
	return broken
}

// printAnswer writes what the server would get.
func (r rendering) printAnswer(s stdio, form *blockkit.Form, reader blockkit.Reader) error {
	raw, err := readInput(r.answer, s.in)
	if err != nil {
		return err
	}
	// What render prints, a view_submission payload, a view, or its state.
	state := within(within(raw, "view"), "state")
	if bytes.Equal(within(state, "values"), state) {
		return fmt.Errorf("%s: no \"values\" in it: write a state as render prints it", r.answer)
	}
	content, errs := form.Answer(state, reader)
	if len(errs) > 0 {
		var lines []string
		for i, label := range form.Labels() {
			if problem := errs[fmt.Sprintf("f%d", i)]; problem != "" {
				lines = append(lines, fmt.Sprintf("  %s: %s", label, problem))
			}
		}
		return fmt.Errorf("the form stays open:\n%s", strings.Join(lines, "\n"))
	}
	if r.arguments {
		_, err = fmt.Fprintf(s.out, "%s\n", content)
		return err
	}
	_, err = fmt.Fprintf(s.out, "{\"action\":\"accept\",\"content\":%s}\n", content)
	return err
}

// addUntouched adds what Slack sends for the inputs of a view that nobody
// touched.
func addUntouched(values map[string]json.RawMessage, view json.RawMessage) {
	var v struct {
		Blocks []struct {
			Type    string                     `json:"type"`
			BlockID string                     `json:"block_id"`
			Element map[string]json.RawMessage `json:"element"`
		} `json:"blocks"`
	}
	if json.Unmarshal(view, &v) != nil {
		return
	}
	for _, b := range v.Blocks {
		if b.Type == "input" {
			values[b.BlockID] = untouched(b.Element)
		}
	}
}

// stateMembers are the names of what an element holds, in the element and in
// the state.
var stateMembers = []struct{ initial, state string }{
	{"initial_value", "value"}, {"initial_date", "selected_date"}, {"initial_date_time", "selected_date_time"},
	{"initial_option", "selected_option"}, {"initial_options", "selected_options"},
}

// emptyStates are the elements by what their state holds when it is empty.
var emptyStates = map[string][]string{
	"value":              {"plain_text_input", "email_text_input", "url_text_input", "number_input"},
	"selected_date":      {"datepicker"},
	"selected_date_time": {"datetimepicker"},
	"selected_option":    {"radio_buttons", "static_select", "external_select"},
	"selected_options":   {"checkboxes", "multi_static_select", "multi_external_select"},
}

func untouched(element map[string]json.RawMessage) json.RawMessage {
	var kind string
	if json.Unmarshal(element["type"], &kind) != nil {
		return json.RawMessage("{}")
	}
	entry := map[string]json.RawMessage{"type": element["type"]}
	for state, kinds := range emptyStates {
		if slices.Contains(kinds, kind) {
			entry[state] = json.RawMessage("null")
			if state == "selected_options" {
				entry[state] = json.RawMessage("[]")
			}
		}
	}
	for _, m := range stateMembers {
		if v, ok := element[m.initial]; ok {
			entry[m.state] = v
		}
	}
	raw, err := json.Marshal(map[string]any{"v": entry})
	if err != nil { // it is made of JSON
		return json.RawMessage("{}")
	}
	return raw
}
