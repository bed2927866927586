package main

import (
	"os/exec"
	"syscall"
)

// dieWithUs has the kernel end the child when this process ends, even when it
// is killed.
func dieWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
