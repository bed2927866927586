package blockkit

import "strings"

// entryOf is an allowed value as the schema lists it.
type entryOf struct {
	value *node
	title string
	about string
}

// parseEntries reads the allowed values of s: enum with or without enumNames,
// or a list of constants with titles. Equal values count once; null is no
// answer of its own. The values must be of the type that s declares.
func parseEntries(s flat, p path) ([]entryOf, error) {
	var entries []entryOf
	var err error
	switch {
	case s.get("enum") != nil:
		entries, err = enumEntries(s, p)
	case s.get("oneOf") != nil:
		entries, err = constEntries(s.get("oneOf"), p.member("oneOf"))
	default:
		entries, err = constEntries(s.get("anyOf"), p.member("anyOf"))
	}
	if err != nil {
		return nil, err
	}
	var out []entryOf
	seen := make(map[string]bool, len(entries))
	for i, e := range entries {
		if e.value.is(nodeNull) {
			continue
		}
		at := p.member("enum").item(i)
		if s.get("enum") == nil {
			at = p
		}
		if err := checkScalar(e.value, s.str("type"), at); err != nil {
			return nil, err
		}
		if k := e.value.key(); !seen[k] {
			seen[k] = true
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		return nil, invalid(p, "allows no value")
	}
	return fitting(out, s, p)
}

// fitting leaves out the values that the other keywords beside the list do not
// allow.
func fitting(entries []entryOf, s flat, p path) ([]entryOf, error) {
	t, err := parseTextRule(s, false, p)
	if err != nil {
		return nil, err
	}
	var n number
	if err := n.parseLimits(s, p); err != nil {
		return nil, err
	}
	if t == (textRule{maxLen: -1}) && n == (number{}) {
		return entries, nil
	}
	a := &answering{}
	out := entries[:0]
	for _, e := range entries {
		num, isNumber := parseNumeral(e.value.text)
		switch {
		case e.value.is(nodeString) && !t.check(e.value.text, a).empty():
		case e.value.is(nodeNumber) && isNumber && !n.check(num).empty():
		default:
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		return nil, invalid(p, "allows no value: none of the list fits the other keywords")
	}
	return out, nil
}

func enumEntries(s flat, p path) ([]entryOf, error) {
	list := s.get("enum")
	if !list.is(nodeArray) {
		return nil, invalid(p.member("enum"), "must be a list")
	}
	// Names of another number than the values would be shifted against them.
	names := s.get("enumNames")
	named := names.is(nodeArray) && len(names.items) == len(list.items)
	var out []entryOf
	for i, v := range list.items {
		e := entryOf{value: v}
		if named && names.items[i].is(nodeString) {
			e.title = names.items[i].text
		}
		out = append(out, e)
	}
	return out, nil
}

func constEntries(list *node, p path) ([]entryOf, error) {
	if !list.is(nodeArray) {
		return nil, invalid(p, "must be a list")
	}
	var out []entryOf
	for i, it := range list.items {
		c := it.get("const")
		if c == nil {
			return nil, invalid(p.item(i), "must have a const: a form can offer constants with titles")
		}
		if err := checkScalar(c, it.str("type"), p.item(i).member("const")); err != nil {
			return nil, err
		}
		out = append(out, entryOf{value: c, title: it.str("title"), about: it.str("description")})
	}
	return out, nil
}

// optionsOf turns allowed values into what is shown of them.
func optionsOf(entries []entryOf) []option {
	out := make([]option, len(entries))
	labels, names := make([]string, len(entries)), make([]string, len(entries))
	for i, e := range entries {
		names[i] = valueName(e.value)
		labels[i] = shownLine(e.title)
		if labels[i] == "" {
			labels[i] = names[i]
		}
		out[i] = option{value: e.value, about: shownLine(e.about)}
	}
	short := distinct(labels, names, maxOptionText)
	for i := range out {
		out[i].label = short[i]
		out[i].place(labels[i])
	}
	return out
}

// place makes room for the texts that do not fit an option: a long title goes
// on in the description where that is free; what still does not fit is kept
// for a list above the field.
func (o *option) place(title string) {
	switch {
	case strings.HasPrefix(o.label, title):
		if !fits(o.about, maxOptionText) {
			o.whole = o.about
			o.about = cut(o.about, maxOptionText)
		}
	case o.about == "" && o.label == cut(title, maxOptionText):
		_, rest := splitAt(title, maxOptionText-storedUnits(ellipsis))
		o.about = cut(ellipsis+rest, maxOptionText)
		if o.about != ellipsis+rest {
			o.whole = title
		}
	default:
		o.whole = title
		if o.about != "" {
			o.whole += " — " + o.about
			o.about = cut(o.about, maxOptionText)
		}
	}
}

// valueName is how a value is shown without a title.
func valueName(v *node) string {
	name := shownLine(v.text)
	switch {
	case v.is(nodeString) && v.text == "":
		return wordEmpty
	case name == "":
		return string(quote(v.text)) // white space only
	}
	return name
}
