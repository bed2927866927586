package slackrules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// edge is one rule: the last payload that passes and the first that does not.
type edge struct {
	name string
	pass string
	fail string
	want []string // violations of fail, "pointer: message"
}

func runEdges(t *testing.T, judge func([]byte) []Violation, edges []edge) {
	t.Helper()
	for _, e := range edges {
		t.Run(e.name, func(t *testing.T) {
			if got := listed(judge([]byte(e.pass))); len(got) > 0 {
				t.Errorf("a legal payload was refused: %q\n%.600s", got, e.pass)
			}
			if diff := cmp.Diff(e.want, listed(judge([]byte(e.fail)))); diff != "" {
				t.Errorf("violations (-want +got):\n%s\n%.600s", diff, e.fail)
			}
		})
	}
}

func listed(vs []Violation) []string {
	var out []string
	for _, v := range vs {
		out = append(out, v.Pointer+": "+v.Message)
	}
	return out
}

func x(n int) string { return strings.Repeat("x", n) }

// many joins n items made by f with commas.
func many(n int, f func(i int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = f(i)
	}
	return strings.Join(items, ",")
}

func plainJSON(text string) string  { return fmt.Sprintf(`{"type":"plain_text","text":%q}`, text) }
func mrkdwnJSON(text string) string { return fmt.Sprintf(`{"type":"mrkdwn","text":%q}`, text) }

func message(blocks ...string) string {
	return `{"text":"t","blocks":[` + strings.Join(blocks, ",") + `]}`
}

// modal is a modal with a submit button.
func modal(blocks ...string) string {
	return `{"type":"modal","title":` + plainJSON("T") + `,"submit":` + plainJSON("S") + `,"blocks":[` + strings.Join(blocks, ",") + `]}`
}

// modalWith is a modal with one more member, and a divider.
func modalWith(member string) string {
	return `{"type":"modal","title":` + plainJSON("T") + `,"blocks":[{"type":"divider"}],` + member + `}`
}

func section(text string) string { return `{"type":"section","text":` + text + `}` }

func actions(elements ...string) string {
	return `{"type":"actions","elements":[` + strings.Join(elements, ",") + `]}`
}

func accessory(element string) string {
	return `{"type":"section","text":` + plainJSON("s") + `,"accessory":` + element + `}`
}

func input(element string, more ...string) string {
	return `{"type":"input","label":` + plainJSON("L") + `,"element":` + element + strings.Join(more, "") + `}`
}

// el is an element of the given type with further members.
func el(typ string, members ...string) string {
	return `{` + strings.Join(append([]string{`"type":"` + typ + `"`}, members...), ",") + `}`
}

func button(text string, members ...string) string {
	return el("button", append([]string{`"text":` + plainJSON(text)}, members...)...)
}

func opt(i int) string { return option(fmt.Sprint("o", i), fmt.Sprint(i)) }

func option(text, value string, members ...string) string {
	return fmt.Sprintf(`{"text":%s,"value":%q%s}`, plainJSON(text), value, strings.Join(members, ""))
}

func opts(n int) string { return `"options":[` + many(n, opt) + `]` }

func group(label string, options string) string {
	return `{"label":` + plainJSON(label) + `,"options":[` + options + `]}`
}
