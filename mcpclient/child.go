package mcpclient

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// passedOn are the variables of our own environment that a child gets. The
// rest holds Slack's tokens and the keys of what is stored.
var passedOn = []string{"PATH", "HOME", "LANG", "TMPDIR"}

// childEnvironment is what a child sees: the short list, then its own env,
// which wins.
func childEnvironment(ours, own []string) []string {
	var out []string
	for _, v := range ours {
		if name, _, ok := strings.Cut(v, "="); ok && slices.Contains(passedOn, name) {
			out = append(out, v)
		}
	}
	return append(out, own...)
}

// child is a server's process with our ends of its pipes.
type child struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *os.File
}

// startChild starts the server in a process group of its own, so that what it
// starts in turn can be ended with it.
func startChild(c serverConfig, environ []string) (*child, error) {
	if c.cwd != "" { // the system's error would not name it
		if info, err := os.Stat(c.cwd); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("`cwd` %s is no directory", c.cwd)
		}
	}
	cmd := exec.Command(c.command, c.args...)
	cmd.Dir = c.cwd
	cmd.Env = childEnvironment(environ, c.env)
	ownGroup(cmd)
	var ends []*os.File
	closeAll := func() {
		for _, f := range ends {
			_ = f.Close() // nothing was written to it
		}
	}
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll()
			return nil, fmt.Errorf("making a pipe: %w", err)
		}
		ends = append(ends, r, w)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = ends[0], ends[3], ends[5]
	if err := cmd.Start(); err != nil {
		closeAll()
		return nil, fmt.Errorf("%w: is `command` right, and can it be run?", err)
	}
	for _, theirs := range []*os.File{ends[0], ends[3], ends[5]} {
		_ = theirs.Close() // the child has its own
	}
	return &child{cmd: cmd, stdin: ends[1], stdout: ends[2], stderr: ends[4]}, nil
}
