package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// serverName is what a name must look like: it is typed in Slack as
// SERVER.TOOL, so it can have no dot and no space.
var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ParseServers reads the JSON that MCP hosts share: an object `mcpServers`
// (VS Code: `servers`) of entries with command, args, env and cwd, or with
// type http, url and headers. In these values ${VAR} and ${VAR:-default} are
// replaced by what lookup knows. Two keys are ours and optional: `timeout`
// (working time of a call: a duration such as "90s", or seconds) and
// `protocol` (a revision to insist on). `disabled: true` leaves an entry out;
// other keys are ignored, since each host has its own.
//
// All problems are reported at once, each with the server, the key and the
// mend. An error of the JSON itself has line and column.
func ParseServers(data []byte, lookup func(string) (string, bool)) (*Servers, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := checkJSON(data); err != nil {
		return nil, err
	}
	entries, err := serverEntries(data)
	if err != nil {
		return nil, err
	}
	var errs []error
	s := &Servers{}
	seen := map[string]bool{}
	for _, e := range entries {
		p := &entryParser{name: e.name, lookup: lookup}
		if !serverName.MatchString(e.name) {
			p.fault("", "is no good name: use letters, digits, - and _, at most 64")
		}
		if seen[e.name] {
			p.fault("", "stands there twice: rename or remove one")
		}
		seen[e.name] = true
		cfg, enabled := p.parse(e.value)
		errs = append(errs, p.faults...)
		if enabled {
			s.list = append(s.list, cfg)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if len(s.list) == 0 {
		return nil, errors.New(`there is no server in it (entries with "disabled": true are left out): add one under "mcpServers"`)
	}
	return s, nil
}

// serverEntries finds the object with the entries.
func serverEntries(data []byte) ([]member, error) {
	top, err := members(data)
	if err != nil {
		return nil, fmt.Errorf(`the file must be a JSON object such as {"mcpServers": {…}}: %w`, err)
	}
	var found *member
	for _, m := range top {
		if m.name != "mcpServers" && m.name != "servers" {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%q and %q both name servers: keep one of them", found.name, m.name)
		}
		found = &m
	}
	if found == nil {
		var there []string
		for _, m := range top {
			there = append(there, fmt.Sprintf("%q", printable(m.name, 60)))
		}
		return nil, fmt.Errorf(`there is no "mcpServers" (or "servers") in it, only [%s]: put the servers under that key`, strings.Join(there, ", "))
	}
	entries, err := members(found.value)
	if err != nil {
		return nil, fmt.Errorf("%q must be an object with one entry a server: %w", found.name, err)
	}
	return entries, nil
}

// checkJSON finds a syntax error and says where it is.
func checkJSON(data []byte) error {
	var raw json.RawMessage
	err := json.Unmarshal(data, &raw)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New(`the file is empty: it should hold {"mcpServers": {…}}`)
	}
	line, column := position(data, syntax.Offset)
	return fmt.Errorf("line %d, column %d: not valid JSON%s: %w", line, column, slip(data[:syntax.Offset]), err)
}

// slip names the usual slip that ends at the place where JSON ends being JSON.
func slip(read []byte) string {
	last, before := read[len(read)-1], bytes.TrimSpace(read[:len(read)-1])
	switch {
	case last == 0xe2: // the first byte of “ and ”
		return ", there is a curly quote: write \""
	case last == '/':
		return ", it has no comments: take it out"
	case (last == '}' || last == ']') && bytes.HasSuffix(before, []byte(",")):
		return ", the comma before it is one too many"
	}
	return ""
}

// position turns the offset of json.SyntaxError, which counts the bytes read,
// into the line and column (in characters) of the byte that did not fit.
func position(data []byte, offset int64) (line, column int) {
	end := min(max(int(offset)-1, 0), len(data))
	before := data[:end]
	line = bytes.Count(before, []byte("\n")) + 1
	lineStart := bytes.LastIndexByte(before, '\n') + 1
	return line, len([]rune(string(before[lineStart:]))) + 1
}
