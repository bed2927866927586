package mcpclient

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"time"
)

// DefaultTimeout is the working time that a call has when the servers file
// sets no `timeout`. Time in which a question of the call is open does not
// count.
const DefaultTimeout = 5 * time.Minute

// Servers are the servers that the servers file names, read and valid. It does
// not change after it was made.
type Servers struct {
	list []serverConfig
}

// Names returns the names of the servers in the file's order.
func (s *Servers) Names() []string {
	names := make([]string, len(s.list))
	for i, c := range s.list {
		names[i] = c.name
	}
	return names
}

// serverConfig is one entry of the servers file. Either command or url is set.
type serverConfig struct {
	name     string
	timeout  time.Duration // working time of a call
	protocol string        // pinned revision; empty: the newest that both sides know

	command string
	args    []string
	env     []string // NAME=value, in the file's order
	cwd     string

	url     *url.URL
	headers http.Header
}

func (c serverConfig) transport() string {
	if c.url != nil {
		return "http"
	}
	return "stdio"
}

// LoadServers reads the servers file at path; see ParseServers.
func LoadServers(path string, lookup func(string) (string, bool)) (*Servers, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf(`servers file %s does not exist: make one, such as {"mcpServers": {"deploy": {"command": "./deploy-server"}}}, `+
			`or copy the one of your MCP host (Claude Desktop, Cursor, VS Code), or name yours with SLACKBRIDGE_SERVERS: %w`, path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the servers file: %w", err)
	}
	s, err := ParseServers(data, lookup)
	if err != nil {
		return nil, fmt.Errorf("servers file %s: %w", path, err)
	}
	return s, nil
}
