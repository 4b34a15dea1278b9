package main_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestEcho(t *testing.T) {
	program := filepath.Join(t.TempDir(), "echo")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", strings.TrimSpace(strings.TrimPrefix(first, "listening on ")))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		line := fmt.Sprintf("line %d\n", i)
		if _, err := c.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(c)
	for i := range 3 {
		if !lines.Scan() || lines.Text() != fmt.Sprintf("line %d", i) {
			t.Errorf("line %d came back as %q, %v", i, lines.Text(), lines.Err())
		}
	}
	_ = c.Close() // It was only read last.
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // It says that it was interrupted.
}
