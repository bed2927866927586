package demo_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/slackbridge/slackbridge/internal/demo"
)

func TestExamples_NameToolsAndTheirArguments(t *testing.T) {
	c := connect(t, serve(t, demo.ServerOptions{}))
	listed, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	required := map[string][]string{}
	for _, tool := range listed.Tools {
		required[tool.Name] = tool.InputSchema.Required
	}
	for _, x := range demo.Examples() {
		words := strings.Fields(x.Text)
		if len(words) < 2 || words[0] != "/mcp" || x.About == "" {
			t.Errorf("%+v is no command with an explanation", x)
			continue
		}
		tool, ours := strings.CutPrefix(words[1], "deploy.")
		if !ours {
			continue
		}
		want, known := required[tool]
		var given []string
		for _, w := range words[2:] {
			name, _, _ := strings.Cut(w, "=")
			given = append(given, name)
		}
		if !known || len(given) > len(want) || !slices.Equal(given, want[:len(given)]) { // what is missing is asked for
			t.Errorf("%q: tool known %t, arguments %q, want %q", x.Text, known, given, want)
		}
	}
}

// property is the part of a field's schema that says of which type it is.
type property struct {
	Type      string
	Format    string
	Enum      []any
	EnumNames []any
	OneOf     []any
	Default   any
	MaxLength int
	Items     struct{ Enum, AnyOf []any }
}

// kind is the row of the type table that the field stands for.
func (p property) kind() string {
	switch {
	case p.Format != "":
		return p.Type + " " + p.Format
	case p.EnumNames != nil:
		return "enum with names"
	case len(p.Enum) > 100:
		return "long enum"
	case p.OneOf != nil:
		return "titled enum"
	case p.Items.Enum != nil:
		return "many"
	case p.Items.AnyOf != nil:
		return "titled many"
	case p.Type == "boolean" && p.Default != nil:
		return "boolean with default"
	case p.MaxLength > 150:
		return "long string"
	default:
		return p.Type
	}
}

func TestReportIncident_HasAFieldOfEveryType(t *testing.T) {
	a := accepting(map[string]any{"title": "Checkout is slow"})
	c := connect(t, serve(t, demo.ServerOptions{}), client.WithElicitationHandler(a))
	callTool(t, c, "report_incident", nil)
	raw, err := json.Marshal(a.questions()[0].RequestedSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct{ Properties map[string]property }
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, p := range schema.Properties {
		kinds = append(kinds, p.kind())
	}
	slices.Sort(kinds)
	want := []string{
		"boolean", "boolean with default", "enum with names", "integer", "long enum", "long string", "many", "number",
		"string", "string", "string date", "string date-time", "string email", "string uri", "titled enum", "titled many",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds of fields (-want +got):\n%s", diff)
	}
}
