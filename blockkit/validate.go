package blockkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schemaURL is where a schema stands for the validator. Nothing is loaded.
const schemaURL = "mem://elicitation/requestedSchema.json"

// compileSchema compiles a schema with all its formats asserted. It returns
// nil for one that is not valid by itself: what can be checked of it has been
// checked field by field.
func compileSchema(raw json.RawMessage) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	object, ok := doc.(map[string]any)
	if !ok {
		return nil
	}
	if s := compileDocument(object); s != nil {
		return s
	}
	// A dialect that we do not have reads as the one that MCP prescribes, and a
	// note of the wrong shape must not switch the checks off.
	return compileDocument(withoutNotes(object))
}

// notes are keywords that say nothing of what is valid, at whatever place.
var notes = []string{"$schema", "$id", "$anchor", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "enumNames"}

// withoutNotes is a schema without its notes, and with the open bounds of
// draft 4 as later drafts write them.
func withoutNotes(schema map[string]any) map[string]any {
	out := make(map[string]any, len(schema))
	for k, v := range schema {
		switch {
		case slices.Contains(notes, k):
			continue
		case k == "properties" || k == "$defs" || k == "definitions":
			v = eachWithoutNotes(v)
		case k == "const" || k == "enum":
		default:
			v = cleaned(v)
		}
		out[k] = v
	}
	for open, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		if is, ok := out[open].(bool); ok {
			delete(out, open)
			if v, has := out[bound]; is && has {
				out[open] = v
				delete(out, bound)
			}
		}
	}
	return out
}

// eachWithoutNotes cleans a list of schemas by name, whatever the names.
func eachWithoutNotes(v any) any {
	named, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := make(map[string]any, len(named))
	for name, s := range named {
		out[name] = cleaned(s)
	}
	return out
}

// cleaned cleans the schemas in a value of a keyword.
func cleaned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return withoutNotes(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = cleaned(v[i])
		}
		return out
	}
	return v
}

// compileAt compiles the part of a schema to which a JSON pointer leads.
func compileAt(raw json.RawMessage, pointer string) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	return compilePart(doc, "#"+(&url.URL{Path: pointer}).EscapedPath())
}

func compileDocument(doc any) *jsonschema.Schema { return compilePart(doc, "") }

func compilePart(doc any, fragment string) *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(schemaPattern())
	c.AssertFormat()
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil
	}
	s, err := c.Compile(schemaURL + fragment)
	if err != nil {
		return nil
	}
	return s
}

// ecmaPattern is a pattern for the validator.
type ecmaPattern struct {
	pattern
	budget *answering // shared by all patterns of a schema
}

// schemaPattern never fails: what cannot be compiled matches everything, as it
// does at its field.
func schemaPattern() jsonschema.RegexpEngine {
	budget := &answering{}
	return func(source string) (jsonschema.Regexp, error) { return ecmaPattern{newPattern(source), budget}, nil }
}

func (p ecmaPattern) String() string { return p.source }

func (p ecmaPattern) MatchString(s string) bool { return p.budget.match(p.pattern, s).empty() }

// hasFormat reports whether s is of a format. Formats that are not known say
// nothing, as JSON Schema has it.
func hasFormat(format, s string) bool {
	schema := compileDocument(map[string]any{"format": format})
	return schema == nil || schema.Validate(s) == nil
}

// misfit validates content as a whole: the last check before it leaves. It
// returns the property at fault, if it is one, and what is wrong. Everything
// fits a schema that is nil.
func misfit(schema *jsonschema.Schema, content json.RawMessage) (property string, problem phrase) {
	if schema == nil {
		return "", phrase{}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		return "", errWhole(err.Error())
	}
	err = schema.Validate(value)
	var bad *jsonschema.ValidationError
	if !errors.As(err, &bad) {
		if err != nil {
			return "", errWhole(err.Error())
		}
		return "", phrase{}
	}
	for len(bad.Causes) > 0 {
		bad = bad.Causes[0]
	}
	if len(bad.InstanceLocation) > 0 {
		property = bad.InstanceLocation[0]
	} else if missing, ok := bad.ErrorKind.(*kind.Required); ok && len(missing.Missing) > 0 {
		property = missing.Missing[0]
	}
	return property, errWhole(bad.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
}
