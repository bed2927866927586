package blockkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// argSchema is as much of a tool's inputSchema as typing words needs. The
// check of the whole goes through a JSON Schema library.
type argSchema struct {
	raw       json.RawMessage
	names     []string // properties, in the server's order
	props     map[string]argProperty
	required  []string
	openEnded bool // unknown names are allowed on purpose
}

type argProperty struct {
	Type  json.RawMessage   `json:"type"`
	Enum  []json.RawMessage `json:"enum"`
	Ref   string            `json:"$ref"`
	AnyOf []argProperty     `json:"anyOf"`
	OneOf []argProperty     `json:"oneOf"`
}

// types lists the JSON types that the property takes, string last: nearly
// everything is also a string, so the narrower reading is tried first.
func (p argProperty) types() []string {
	var types []string
	var one string
	var many []string
	if json.Unmarshal(p.Type, &one) == nil && one != "" {
		types = append(types, one)
	} else if json.Unmarshal(p.Type, &many) == nil {
		types = append(types, many...)
	}
	for _, branch := range append(p.AnyOf, p.OneOf...) {
		types = append(types, branch.types()...)
	}
	var out []string
	text := false
	for _, t := range types {
		if t == "string" {
			text = true
		} else {
			out = append(out, t)
		}
	}
	if text {
		out = append(out, "string")
	}
	return out
}

func argumentSchema(raw json.RawMessage) (*argSchema, error) {
	s := &argSchema{raw: raw, props: map[string]argProperty{}}
	var head struct {
		Properties           json.RawMessage        `json:"properties"`
		Required             []string               `json:"required"`
		AdditionalProperties json.RawMessage        `json:"additionalProperties"`
		Defs                 map[string]argProperty `json:"$defs"`
		Definitions          map[string]argProperty `json:"definitions"`
	}
	if len(raw) == 0 {
		s.openEnded = true
		return s, nil
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, &ArgumentError{Problem: fmt.Sprintf("the tool describes its arguments in a way that cannot be read: %v", err)}
	}
	s.required = head.Required
	extra := string(bytes.TrimSpace(head.AdditionalProperties))
	s.openEnded = extra == "true" || strings.HasPrefix(extra, "{")
	if len(head.Properties) == 0 {
		return s, nil
	}
	props, err := decodeNode(head.Properties, at("inputSchema").member("properties"))
	if err != nil {
		return nil, &ArgumentError{Problem: fmt.Sprintf("the tool describes its arguments in a way that cannot be read: %v", err)}
	}
	for _, m := range props.members {
		var p argProperty
		// A property of a shape we do not know (true, a list) is an untyped one.
		if json.Unmarshal(m.value.raw, &p) == nil && p.Ref != "" {
			name := p.Ref[strings.LastIndex(p.Ref, "/")+1:]
			if def, ok := head.Defs[name]; ok {
				p = def
			} else if def, ok := head.Definitions[name]; ok {
				p = def
			}
		}
		s.names = append(s.names, m.name)
		s.props[m.name] = p
	}
	return s, nil
}

func (s *argSchema) property(name string) (argProperty, bool) {
	p, ok := s.props[name]
	return p, ok
}

// known ends an error with the names that would have been right.
func (s *argSchema) known() string {
	if len(s.names) == 0 {
		return "; this tool takes no arguments"
	}
	var out []string
	for _, n := range s.names {
		out = append(out, shortened(n, 60))
	}
	return "; its arguments are " + strings.Join(out, ", ")
}

// check validates the whole object against the schema. A schema that the
// library cannot compile is left to the server, which has to check anyway.
func (s *argSchema) check(args json.RawMessage) error {
	if missing := s.missing(args); len(missing) > 0 {
		return &MissingArguments{Names: missing, Given: args, known: s.known()}
	}
	if len(s.raw) == 0 {
		return nil
	}
	root, err := decodeNode(s.raw, at("inputSchema"))
	if err != nil || bounded(root, at("inputSchema")) != nil {
		return nil
	}
	compiled := compileSchema(s.raw)
	if compiled == nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return &ArgumentError{Problem: fmt.Sprintf("not valid JSON: %v", err)}
	}
	var invalid *jsonschema.ValidationError
	if err := compiled.Validate(value); errors.As(err, &invalid) {
		return argumentProblem(invalid)
	} else if err != nil {
		return &ArgumentError{Problem: err.Error()}
	}
	return nil
}

func (s *argSchema) missing(args json.RawMessage) []string {
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) != nil {
		return nil
	}
	var out []string
	for _, name := range s.required {
		if _, ok := given[name]; !ok {
			out = append(out, name)
		}
	}
	return out
}

// maxArgumentProblems bounds how many faults one answer names.
const maxArgumentProblems = 8

// argumentProblem names the innermost faults: the place of each, and the rule.
func argumentProblem(e *jsonschema.ValidationError) error {
	var faults []*jsonschema.ValidationError
	var visit func(*jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 && len(faults) < maxArgumentProblems {
			faults = append(faults, e)
		}
		for _, cause := range e.Causes {
			visit(cause)
		}
	}
	visit(e)
	say := message.NewPrinter(language.English)
	out := &ArgumentError{Name: strings.Join(faults[0].InstanceLocation, "."), Problem: faults[0].ErrorKind.LocalizedString(say)}
	for _, f := range faults[1:] {
		place := strings.Join(f.InstanceLocation, ".")
		if place != "" {
			place += ": "
		}
		out.Problem += "; " + place + f.ErrorKind.LocalizedString(say)
	}
	return out
}

// noLoader keeps a schema from making us read files or fetch addresses.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("remote schema %q is not fetched", url)
}
