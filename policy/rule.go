package policy

import (
	"iter"
	"path"
	"slices"
	"strings"
	"time"
)

// settings are what one place in the file says; zero values say nothing.
type settings struct {
	onClose     OnClose
	deadlines   deadlines
	elicitation *bool
}

type deadlines struct {
	form, confirm, url, durable time.Duration
}

// rule is settings for the servers and tools that two globs match.
type rule struct {
	server, tool string
	settings
}

// matches reports whether the rule speaks of this server and tool. An empty
// tool asks about the server as a whole: only rules for all its tools count.
func (r rule) matches(server, tool string) bool {
	if !glob(r.server, server) {
		return false
	}
	if tool == "" {
		return r.tool == "*"
	}
	return glob(r.tool, tool)
}

// glob matches with path.Match's language. Patterns are checked at load, so
// that an error cannot happen here and means no match.
func glob(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// moreSpecific orders rules: a literal server before a glob, then a literal
// tool before a glob, then the one with more literal characters.
func moreSpecific(a, b rule) int {
	for _, pair := range [][2]int{
		{literal(a.server), literal(b.server)},
		{literal(a.tool), literal(b.tool)},
		{literalLen(a.server), literalLen(b.server)},
		{literalLen(a.tool), literalLen(b.tool)},
	} {
		if pair[0] != pair[1] {
			return pair[1] - pair[0]
		}
	}
	return 0
}

func literal(pattern string) int {
	if strings.ContainsAny(pattern, `*?[\`) {
		return 0
	}
	return 1
}

func literalLen(pattern string) int {
	return len(pattern) - strings.Count(pattern, "*") - strings.Count(pattern, "?")
}

// sortRules puts the most specific rule first. Of two equal ones the later in
// the file comes first: what was added last is what was meant.
func sortRules(rules []rule) {
	slices.Reverse(rules)
	slices.SortStableFunc(rules, moreSpecific)
}

// settings yields what applies, most specific first, the defaults last.
func (p *Policy) settings(server, tool string) iter.Seq[settings] {
	return func(yield func(settings) bool) {
		for _, r := range p.rules {
			if r.matches(server, tool) && !yield(r.settings) {
				return
			}
		}
		yield(p.defaults)
	}
}
