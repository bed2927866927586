package mcpclient

import (
	"regexp"
	"strings"
)

// reference is ${…}; variable is what may stand inside: VAR or VAR:-default.
var (
	reference = regexp.MustCompile(`\$\{[^}]*\}`)
	variable  = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(?:(:-)(.*))?$`)
)

// expand replaces ${VAR} and ${VAR:-default} in one value. As in a shell, the
// default stands in for an empty variable too. Other text, a lone $ included,
// stays as it is. Values are never repeated in a fault: they may be secrets.
func (p *entryParser) expand(key, text string) string {
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		inside := strings.TrimSuffix(strings.TrimPrefix(ref, "${"), "}")
		m := variable.FindStringSubmatch(inside)
		if m == nil {
			p.fault(key, "has %s: only ${VAR} and ${VAR:-default} are known here", printable(ref, 80))
			return ""
		}
		value, set := p.lookup(m[1])
		hasDefault := m[2] != ""
		switch {
		case hasDefault && value == "":
			return m[3]
		case !set:
			p.fault(key, "needs the environment variable %s, which is not set: set it, or write ${%s:-default}", m[1], m[1])
		}
		return value
	})
}
