package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// teeCommandName has this test binary run a server as a child of its own and
// keep what the server is sent, byte for byte.
const teeCommandName = "test-tee"

// TestMain lets the test binary play the child processes that the tests need.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case demoServerCommandName, serveCommandName:
			os.Exit(run(context.Background(), os.Args[1:], stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
		case teeCommandName:
			os.Exit(tee(os.Args[2], os.Args[3:]))
		}
	}
	// Those tests that are parallel wait for Redis most of the time.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// tee runs command and copies its standard input to file.
func tee(file string, command []string) int {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd := exec.Command(command[0], command[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		_, err := io.Copy(io.MultiWriter(f, in), os.Stdin)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		_ = in.Close() // the child ends by it
	}()
	if err := cmd.Wait(); err != nil {
		return 1
	}
	return 0
}
