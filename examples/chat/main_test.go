package main_test

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/patience"
)

// talker is a user of the chat.
type talker struct {
	net.Conn
	lines *bufio.Scanner
}

func TestChat(t *testing.T) {
	program := filepath.Join(t.TempDir(), "chat")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr
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
	addr := strings.TrimSpace(strings.TrimPrefix(first, "listening on "))
	ann := enter(t, addr)
	hear(t, ann, "others here: 0") // Else the two may come in any order.
	bob := enter(t, addr)
	hear(t, bob, "others here: 1")
	hear(t, ann, bob.LocalAddr().String()+" is here")
	say(t, ann, "hello")
	hear(t, bob, ann.LocalAddr().String()+": hello")
	say(t, bob, "hi\r")
	hear(t, ann, bob.LocalAddr().String()+": hi")
	_ = bob.Close()
	hear(t, ann, "somebody has left")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if ann.lines.Scan() {
		t.Errorf("after the end there is %q", ann.lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func enter(t *testing.T, addr string) talker {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	context.AfterFunc(patience.Context(t), func() { _ = c.Close() }) // Also at the end.
	return talker{c, bufio.NewScanner(c)}
}

func say(t *testing.T, who talker, line string) {
	t.Helper()
	if _, err := who.Write([]byte(line + "\n")); err != nil {
		t.Fatal(err)
	}
}

func hear(t *testing.T, who talker, want string) {
	t.Helper()
	if !who.lines.Scan() || who.lines.Text() != want {
		t.Fatalf("heard %q, %v, want %q", who.lines.Text(), who.lines.Err(), want)
	}
}
