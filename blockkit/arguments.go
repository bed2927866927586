package blockkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ArgumentError says which argument of a typed call cannot be used, and why,
// in words for the person who typed it.
type ArgumentError struct {
	Name    string // empty when the text as a whole is at fault
	Problem string
}

func (e *ArgumentError) Error() string {
	if e.Name == "" {
		return e.Problem
	}
	return e.Name + ": " + e.Problem
}

// MissingArguments says that a call lacks arguments that its tool requires, and
// that nothing else is wrong with it.
type MissingArguments struct {
	Names []string
	Given json.RawMessage // the arguments that were typed
	known string
}

func (e *MissingArguments) Error() string {
	return "missing " + strings.Join(e.Names, ", ") + e.known
}

// Arguments turns what was typed after SERVER.TOOL into the arguments of the
// call: key=value words typed by the tool's inputSchema, or --json {…}. The
// result is a JSON object that fits the schema. A problem is an *ArgumentError, or
// *MissingArguments when nothing else is wrong.
//
// Text is as Slack delivers it: &, < and > arrive escaped, and phones turn
// quotes into curly ones.
func Arguments(inputSchema json.RawMessage, text string) (json.RawMessage, error) {
	text = strings.TrimSpace(UnescapeText(text))
	schema, err := argumentSchema(inputSchema)
	if err != nil {
		return nil, err
	}
	var args json.RawMessage
	if rest, ok := strings.CutPrefix(text, "--json"); ok {
		args, err = jsonArguments(rest)
	} else {
		args, err = schema.wordArguments(text)
	}
	if err != nil {
		return nil, err
	}
	if err := schema.check(args); err != nil {
		return nil, err
	}
	return args, nil
}

// UnescapeText undoes exactly the three escapes that Slack applies to text.
func UnescapeText(s string) string {
	return unescaper.Replace(s)
}

var unescaper = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

var straightQuotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'")

func jsonArguments(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	var first error
	for _, try := range []string{text, straightQuotes.Replace(text)} {
		err := isJSONObject(try)
		if err == nil {
			return json.RawMessage(try), nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, &ArgumentError{Problem: fmt.Sprintf("--json needs one JSON object, such as --json {\"service\": \"payments\"}: %v", first)}
}

func isJSONObject(text string) error {
	var object map[string]json.RawMessage
	dec := json.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&object); err != nil {
		return err
	}
	if object == nil {
		return errors.New("it is null")
	}
	if rest := strings.TrimSpace(text[dec.InputOffset():]); rest != "" {
		return fmt.Errorf("%q follows the object; key=value and --json cannot be mixed", shortened(rest, 40))
	}
	return nil
}

// wordArguments reads key=value words.
func (s *argSchema) wordArguments(text string) (json.RawMessage, error) {
	words, err := splitWords(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte('{')
	var seen []string
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		switch {
		case w == "--json":
			return nil, &ArgumentError{Problem: "key=value and --json cannot be mixed; use one of them"}
		case !ok || name == "":
			return nil, &ArgumentError{Problem: fmt.Sprintf("%q is not key=value%s", shortened(w, 60), s.known())}
		case slices.Contains(seen, name):
			return nil, &ArgumentError{Name: shortened(name, 60), Problem: "given twice"}
		}
		typed, err := s.typed(name, value)
		if err != nil {
			return nil, err
		}
		if len(seen) > 0 {
			out.WriteByte(',')
		}
		seen = append(seen, name)
		key, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("writing the name %q: %w", name, err)
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(typed)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// typed turns one typed value into JSON of the type that the schema wants.
func (s *argSchema) typed(name, value string) (json.RawMessage, error) {
	prop, ok := s.property(name)
	if !ok && !s.openEnded {
		return nil, &ArgumentError{Name: shortened(name, 60), Problem: "not an argument of this tool" + s.known()}
	}
	for _, v := range prop.Enum {
		if literalText(v) == value {
			return v, nil
		}
	}
	types := prop.types()
	for _, t := range types {
		if raw, ok := asType(t, value); ok {
			return raw, nil
		}
	}
	if len(types) == 0 {
		return quote(value), nil
	}
	return nil, &ArgumentError{Name: name, Problem: fmt.Sprintf("%q is not %s", shortened(value, 60), wantWords(types))}
}

func asType(jsonType, value string) (json.RawMessage, bool) {
	switch jsonType {
	case "string":
		return quote(value), true
	case "null":
		return json.RawMessage("null"), value == "null"
	case "boolean":
		b, err := strconv.ParseBool(value)
		return json.RawMessage(strconv.FormatBool(b)), err == nil && len(value) > 1 // "1" and "t" are not what people mean
	case "integer", "number":
		var n json.Number
		if err := json.Unmarshal([]byte(value), &n); err != nil || strings.HasPrefix(value, `"`) || value == "null" {
			return nil, false
		}
		return json.RawMessage(value), true
	case "array":
		var v []json.RawMessage
		return json.RawMessage(value), json.Unmarshal([]byte(value), &v) == nil && v != nil
	case "object":
		var v map[string]json.RawMessage
		return json.RawMessage(value), json.Unmarshal([]byte(value), &v) == nil && v != nil
	}
	return nil, false
}

func wantWords(types []string) string {
	words := map[string]string{
		"boolean": "true or false", "integer": "a whole number", "number": "a number",
		"array": `a JSON list such as ["a","b"]`, "object": `a JSON object such as {"a":1}`, "null": "null", "string": "text",
	}
	var out []string
	for _, t := range types {
		if w, ok := words[t]; ok {
			out = append(out, w)
		} else {
			out = append(out, t)
		}
	}
	return strings.Join(out, " or ")
}

func quote(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always encodes
		return json.RawMessage(`""`)
	}
	return bytes.TrimSpace(b.Bytes())
}

func literalText(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// splitWords splits at white space outside quotes. A quote, straight or curly,
// opens at the start of a word or of a value; inside it a backslash keeps the
// next character as it is. A value that is a JSON list or object runs to its
// own end, spaces and quotes included.
func splitWords(text string) ([]string, error) {
	var words []string
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return words, nil
		}
		word, rest, err := nextWord(text)
		if err != nil {
			return nil, err
		}
		words, text = append(words, word), rest
	}
}

// nextWord reads one word at the start of text, which is not white space.
func nextWord(text string) (word, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		atValue := b.Len() == 0 || strings.HasSuffix(b.String(), "=")
		switch {
		case unicode.IsSpace(r):
			return b.String(), text[i:], nil
		case atValue && quoteClosers(r) != "":
			inner, n, ok := quoted(text[i+size:], quoteClosers(r))
			if !ok {
				return "", "", &ArgumentError{Problem: "a quote is opened and not closed"}
			}
			b.WriteString(inner)
			i += size + n
			continue
		case atValue && (r == '[' || r == '{'):
			if n := jsonPrefix(text[i:]); n > 0 {
				b.WriteString(text[i : i+n])
				i += n
				continue
			}
		}
		b.WriteString(text[i : i+size])
		i += size
	}
	return b.String(), "", nil
}

// quoted reads up to one of closers and tells how many bytes that took.
func quoted(text, closers string) (inner string, n int, ok bool) {
	var b strings.Builder
	escaped := false
	for i, r := range text {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case strings.ContainsRune(closers, r):
			return b.String(), i + utf8.RuneLen(r), true
		default:
			b.WriteRune(r)
		}
	}
	return "", 0, false
}

// jsonPrefix is the length of the JSON value at the start of text; 0 if there
// is none.
func jsonPrefix(text string) int {
	var v json.RawMessage
	dec := json.NewDecoder(strings.NewReader(text))
	if dec.Decode(&v) != nil {
		return 0
	}
	return int(dec.InputOffset())
}

// quoteClosers names the characters that close a quote opened by r. Phones mix
// curly and straight ones, so any double closes any double.
func quoteClosers(r rune) string {
	switch r {
	case '"', '“', '”', '„':
		return `"“”`
	case '\'':
		return "'’"
	}
	return ""
}

func shortened(s string, runes int) string {
	r := []rune(s)
	if len(r) <= runes {
		return s
	}
	return string(r[:runes]) + "…"
}
