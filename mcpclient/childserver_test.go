package mcpclient

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	mcpserver "github.com/mark3labs/mcp-go/server"
)

// serveChild is the test binary as a stdio server. kind says how it behaves;
// most kinds are a raw server that does to the letter what the arguments of a
// call say.
func serveChild(kind string) int {
	switch kind {
	case "sdk":
		if err := mcpserver.NewStdioServer(sdkServer()).Listen(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	case "crash":
		fmt.Fprintln(os.Stderr, "starting up")
		fmt.Fprintln(os.Stderr, "cannot open \x1b[31m/etc/deploy.toml")
		return 3
	case "hang":
		fmt.Println("Welcome to the server!")
		forever()
	case "closed":
		_ = os.Stdout.Close()
		forever()
	case "stubborn": // ends only when it is killed, and so does what it started
		return stubborn()
	case "stubborn-child":
		signal.Ignore(syscall.SIGTERM)
		forever()
	}
	if data, err := os.ReadFile(os.Getenv(wireVariable)); kind == "late" && err == nil && len(data) > 0 {
		kind = "modern" // it was started before and is warm now
	}
	s := &rawServer{kind: kind, in: bufio.NewReader(os.Stdin)}
	return s.serve()
}

// read returns the next line from the client.
func (s *rawServer) read() (string, error) {
	line, err := s.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	s.heard = append(s.heard, strings.TrimSuffix(line, "\n"))
	if path := os.Getenv(wireVariable); path != "" {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return "", err
		}
		if _, err := f.WriteString(line); err != nil {
			return "", err
		}
		if err := f.Close(); err != nil {
			return "", err
		}
	}
	return s.heard[len(s.heard)-1], nil
}

// forever blocks until the process is killed.
func forever() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1) // without it the runtime would see a deadlock
	<-c
}

func stubborn() int {
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{serverVariable + "=stubborn-child"}
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		return 1
	}
	signal.Ignore(syscall.SIGTERM)
	s := &rawServer{kind: "raw", in: bufio.NewReader(os.Stdin), extra: fmt.Sprint(cmd.Process.Pid)}
	return s.serve()
}

// rawServer speaks JSON-RPC without any library.
type rawServer struct {
	kind  string
	in    *bufio.Reader
	extra string
	probe json.RawMessage // id of a server/discover that is not answered yet
	heard []string        // every line that came, for the tool "heard"
}

const discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`

// step is one thing that the tool "script" does.
type step struct {
	Send   json.RawMessage `json:"send"`   // a message, written as one line; text is written as it is
	Await  int             `json:"await"`  // so many lines from the client go into the result
	Stderr string          `json:"stderr"` // a line on stderr
	Exit   *int            `json:"exit"`
	Deaf   bool            `json:"deaf"`  // never read again
	Flood  int             `json:"flood"` // so many bytes without a line break
	Mute   bool            `json:"mute"`  // close the standard output
}

func (s *rawServer) serve() int {
	for {
		line, err := s.read()
		if err != nil {
			return 0
		}
		m, err := decodeMessage([]byte(line))
		if err != nil || !m.isRequest() {
			continue
		}
		switch m.method {
		case "server/discover":
			switch s.kind {
			case "silent": // ignores what it does not know
			case "late": // a modern server that was too slow the first time
				s.probe = m.id
			case "modern":
				s.result(m.id, discovered)
			case "confused": // answers, but speaks another revision
				s.result(m.id, `{"supportedVersions":["2025-11-25"],"capabilities":{"tools":{}}}`)
			default:
				s.write(encodeError(m.id, codeMethodNotFound, "no such method"))
			}
		case "initialize":
			if s.probe != nil {
				s.result(s.probe, discovered)
			}
			if s.kind == "late" || s.kind == "modern" {
				s.write(encodeError(m.id, codeMethodNotFound, "no such method"))
				continue
			}
			s.result(m.id, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"Slack Security Team","version":"1"}}`)
		case "tools/list":
			if s.kind == "asks-while-listing" {
				s.write([]byte(`{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}`))
				if _, err := s.read(); err != nil {
					return 0
				}
			}
			s.result(m.id, `{"tools":[{"name":"script","title":"Script","inputSchema":{"type":"object","properties":{"zeta":{"type":"string","maximum":9007199254740993},"alpha":{"type":"string"}}}},`+
				`{"name":"environ","inputSchema":{"type":"object"}},{"name":"heard","inputSchema":{"type":"object"}},{"name":"pid","inputSchema":{"type":"object"}}]}`)
		case "tools/call":
			if code := s.called(m); code >= 0 {
				return code
			}
		}
	}
}

func (s *rawServer) called(m message) int {
	var p struct {
		Name      string
		Arguments struct{ Steps []step }
	}
	if err := json.Unmarshal(m.params, &p); err != nil {
		s.write(encodeError(m.id, codeInvalidParams, err.Error()))
		return -1
	}
	switch p.Name {
	case "environ":
		env := os.Environ()
		slices.Sort(env)
		s.texts(m.id, env...)
	case "heard":
		s.texts(m.id, s.heard...)
	case "pid":
		s.texts(m.id, fmt.Sprint(os.Getpid()), s.extra)
	default:
		return s.script(m.id, p.Arguments.Steps)
	}
	return -1
}

func (s *rawServer) script(id json.RawMessage, steps []step) int {
	var got []string
	for _, st := range steps {
		var text string
		switch {
		case st.Exit != nil:
			return *st.Exit
		case st.Flood > 0:
			fmt.Print(strings.Repeat("x", st.Flood))
		case st.Deaf:
			forever()
		case st.Mute:
			_ = os.Stdout.Close()
		case st.Stderr != "":
			fmt.Fprintln(os.Stderr, st.Stderr)
		case st.Await > 0:
			for range st.Await {
				line, err := s.read()
				if err != nil {
					return 0
				}
				got = append(got, line)
			}
		case json.Unmarshal(st.Send, &text) == nil:
			fmt.Println(text)
		default:
			s.write(st.Send)
		}
	}
	s.texts(id, got...)
	return -1
}

func (s *rawServer) write(line []byte) { fmt.Println(string(line)) }

func (s *rawServer) result(id json.RawMessage, result string) {
	s.write(encodeResult(id, json.RawMessage(result)))
}

func (s *rawServer) texts(id json.RawMessage, lines ...string) {
	items := make([]string, len(lines))
	for i, l := range lines {
		items[i] = `{"type":"text","text":` + string(quote(l)) + `}`
	}
	s.result(id, `{"content":[`+strings.Join(items, ",")+`]}`)
}
