package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// entryParser reads one entry of the servers file and collects what is wrong
// with it.
type entryParser struct {
	name   string
	lookup func(string) (string, bool)
	faults []error
}

// fault records a problem. key is empty when the entry as a whole is meant.
func (p *entryParser) fault(key, format string, args ...any) {
	where := fmt.Sprintf("server %q", printable(p.name, 80))
	if key != "" {
		where += ": " + key
	}
	p.faults = append(p.faults, errors.New(where+" "+fmt.Sprintf(format, args...)))
}

// entryKeys are the keys that mean something here; all others are ignored.
type entryKeys struct {
	kind, command, url, cwd, protocol *string
	args                              []string
	env, headers                      []pair
	timeout                           time.Duration
}

type pair struct{ name, value string }

func (p *entryParser) parse(raw json.RawMessage) (cfg serverConfig, enabled bool) {
	all, err := members(raw)
	if err != nil {
		p.fault("", "must be an object with a command or a url")
		return serverConfig{}, false
	}
	for _, m := range all {
		if m.name == "disabled" && string(m.value) == "true" {
			return serverConfig{}, false // what else it holds may be unfinished
		}
	}
	k := entryKeys{timeout: DefaultTimeout}
	for _, m := range all {
		p.key(&k, m)
	}
	return p.build(k), true
}

func (p *entryParser) key(k *entryKeys, m member) {
	switch m.name {
	case "type":
		k.kind = p.text(m)
	case "command":
		k.command = p.text(m)
	case "url":
		k.url = p.text(m)
	case "cwd":
		k.cwd = p.text(m)
	case "args":
		k.args = p.texts(m)
	case "env":
		k.env = p.pairs(m)
	case "headers":
		k.headers = p.pairs(m)
	case "timeout":
		k.timeout = p.duration(m)
	case "protocol":
		k.protocol = p.text(m)
	case "disabled":
		if string(m.value) != "false" {
			p.fault(m.name, "must be true or false")
		}
	default:
		if meant := mistyped(m.name); meant != "" {
			p.fault(m.name, "is not a key: did you mean %q?", meant)
		}
	}
}

// entryNames are the keys that an entry may have. Others belong to other hosts.
var entryNames = []string{"type", "command", "url", "cwd", "args", "env", "headers", "timeout", "protocol", "disabled"}

// mistyped returns the key that name was probably meant to be: one that differs
// in one letter, or in upper and lower case. Empty when there is none.
func mistyped(name string) string {
	for _, known := range entryNames {
		if strings.EqualFold(name, known) || oneEdit(strings.ToLower(name), known) {
			return known
		}
	}
	return ""
}

// oneEdit reports whether a becomes b by one letter more, less or changed.
func oneEdit(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 {
		return false
	}
	for i := range b {
		if a[i] != b[i] {
			return a[i+1:] == b[i+len(b)-len(a)+1:]
		}
	}
	return true
}

func (p *entryParser) build(k entryKeys) serverConfig {
	c := serverConfig{name: p.name, timeout: k.timeout, args: k.args}
	if k.protocol != nil {
		c.protocol = *k.protocol
		if !mcp.IsValidProtocolVersion(c.protocol) {
			p.fault("protocol", "is %q, which is no known revision: use one of %s", c.protocol, strings.Join(mcp.ValidProtocolVersions, ", "))
		}
	}
	switch {
	case k.command != nil && k.url != nil:
		p.fault("", "has both a command and a url: keep the one that is meant")
	case k.kind != nil:
		p.kind(k, *k.kind)
	case k.command == nil && k.url == nil:
		p.fault("", "has neither a command (to start a server) nor a url (to reach one): add one")
	}
	if k.command != nil {
		c.command = *k.command
		if strings.TrimSpace(c.command) == "" {
			p.fault("command", "is empty: name the program to start")
		}
		if k.cwd != nil {
			c.cwd = *k.cwd
		}
		c.env = p.environment(k.env)
	}
	if k.url != nil {
		c.url = p.address(*k.url)
		c.headers = p.header(k.headers)
	}
	return c
}

// kind checks `type` against the rest. Hosts spell streamable HTTP in three
// ways.
func (p *entryParser) kind(k entryKeys, kind string) {
	switch strings.ToLower(kind) {
	case "stdio":
		if k.command == nil {
			p.fault("type", "is stdio, but there is no command: add one")
		}
	case "http", "streamable-http", "streamablehttp":
		if k.url == nil {
			p.fault("type", "is %s, but there is no url: add one", kind)
		}
	case "sse":
		p.fault("type", "is sse, the old HTTP+SSE transport, which is not supported: use the server's streamable HTTP address with type http")
	default:
		p.fault("type", "is %q, which is no known transport: use stdio or http", printable(kind, 80))
	}
}

func (p *entryParser) environment(vars []pair) []string {
	var out []string
	for _, v := range vars {
		if v.name == "" || strings.ContainsAny(v.name, "=\x00") || strings.Contains(v.value, "\x00") {
			p.fault("env", "has %q, which cannot be a variable", printable(v.name, 80))
			continue
		}
		out = append(out, v.name+"="+v.value)
	}
	return out
}

func (p *entryParser) address(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		// The text may hold a key: it is not repeated here.
		p.fault("url", "is not an absolute http or https address such as https://example.com/mcp")
		return &url.URL{}
	}
	u.Fragment = ""
	return u
}

func (p *entryParser) header(pairs []pair) http.Header {
	h := http.Header{}
	for _, v := range pairs {
		if !validHeaderName(v.name) || strings.ContainsAny(v.value, "\r\n\x00") {
			p.fault("headers", "has %q, which is no valid header", printable(v.name, 80))
			continue
		}
		h.Add(v.name, v.value)
	}
	return h
}

// validHeaderName reports whether s is a token as RFC 9110 §5.6.2 has it.
func validHeaderName(s string) bool {
	for i := range len(s) {
		c := s[i]
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && !slices.Contains([]byte("!#$%&'*+-.^_`|~"), c) {
			return false
		}
	}
	return s != ""
}

func (p *entryParser) text(m member) *string {
	var s string
	if isNull(m.value) || json.Unmarshal(m.value, &s) != nil {
		p.fault(m.name, "must be text in quotes")
		return nil
	}
	s = p.expand(m.name, s)
	return &s
}

func (p *entryParser) texts(m member) []string {
	var list []string
	if isNull(m.value) || json.Unmarshal(m.value, &list) != nil {
		p.fault(m.name, `must be a list of texts, such as ["-y", "some-server"]`)
		return nil
	}
	for i := range list {
		list[i] = p.expand(fmt.Sprintf("%s[%d]", m.name, i), list[i])
	}
	return list
}

func (p *entryParser) pairs(m member) []pair {
	all, err := members(m.value)
	if err != nil {
		p.fault(m.name, `must be an object of texts, such as {"NAME": "value"}`)
		return nil
	}
	var out []pair
	for _, v := range all {
		if text := p.text(member{name: m.name + "." + printable(v.name, 80), value: v.value}); text != nil {
			out = append(out, pair{v.name, *text})
		}
	}
	return out
}

func (p *entryParser) duration(m member) time.Duration {
	var s string
	var seconds float64
	d := time.Duration(0)
	switch {
	case json.Unmarshal(m.value, &seconds) == nil && seconds < 1e9: // far below where a Duration overflows
		d = time.Duration(seconds * float64(time.Second))
	case json.Unmarshal(m.value, &s) == nil:
		d, _ = time.ParseDuration(s) // an error leaves 0, which is refused below
	}
	if d <= 0 {
		p.fault(m.name, `must be a duration above zero, such as "90s" or "10m", or a number of seconds`)
	}
	return d
}
