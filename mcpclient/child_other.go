//go:build !unix

package mcpclient

import "os/exec"

// Systems without process groups: only the process itself can be ended.
func ownGroup(*exec.Cmd) {}

func (c *child) terminate() { _ = c.cmd.Process.Kill() } // an error means that it has ended
func (c *child) kill()      { _ = c.cmd.Process.Kill() }
