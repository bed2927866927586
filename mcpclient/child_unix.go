//go:build unix

package mcpclient

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// terminate asks the process and all it started to end; kill makes them. An
// error means that there is nobody left.
func (c *child) terminate() { _ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGTERM) }
func (c *child) kill()      { _ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }
