package main_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/patience"
)

// talker is a user of the chat.
type talker struct {
	net.Conn
	lines *bufio.Scanner
}

// serve runs the program, and returns the address at which it listens.
func serve(t *testing.T) (cmd *exec.Cmd, addr string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "chat")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd = exec.Command(program)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // If the test has not stopped it.
	first, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, strings.TrimSpace(strings.TrimPrefix(first, "listening on "))
}

func TestChat(t *testing.T) {
	cmd, addr := serve(t)
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

// paste says many lines at once, from a goroutine of its own.
func paste(t *testing.T, who talker, lines int, line string) {
	go func() {
		if _, err := who.Write([]byte(strings.Repeat(line+"\n", lines))); err != nil {
			t.Errorf("%s could not paste: %v", who.LocalAddr(), err)
		}
	}()
}

// TestPaste has two paste 10,000 lines each at the same time. Both hear all that the
// other has said, and so does a third; nobody has to leave.
func TestPaste(t *testing.T) {
	const lines = 10_000
	_, addr := serve(t)
	var all []talker
	for i := range 3 {
		one := enter(t, addr)
		hear(t, one, fmt.Sprint("others here: ", i))
		for _, other := range all {
			hear(t, other, one.LocalAddr().String()+" is here")
		}
		all = append(all, one)
	}
	for _, one := range all[:2] {
		paste(t, one, lines, "well")
	}
	var wait sync.WaitGroup
	for i, one := range all {
		wait.Go(func() {
			heard, want := map[string]int{}, map[string]int{}
			for j, other := range all[:2] {
				if j != i {
					want[other.LocalAddr().String()+": well"] = lines
				}
			}
			for n := len(want) * lines; n > 0 && one.lines.Scan(); n-- {
				heard[one.lines.Text()]++
			}
			if !maps.Equal(heard, want) {
				t.Errorf("%d heard %v, %v, want %v", i, heard, one.lines.Err(), want)
			}
		})
	}
	wait.Wait()
}

// TestMemberThatNeverReadsIsCutOff has one paste until one that never reads has to leave. The readers hear
// all of it.
func TestMemberThatNeverReadsIsCutOff(t *testing.T) {
	_, addr := serve(t)
	deaf := enter(t, addr)
	hear(t, deaf, "others here: 0")
	ann := enter(t, addr)
	hear(t, ann, "others here: 1")
	bob := enter(t, addr)
	hear(t, bob, "others here: 2")
	hear(t, ann, bob.LocalAddr().String()+" is here")
	const lines = 20_000 // Of 900 bytes: more than sockets and a lane hold.
	text := strings.Repeat("x", 900)
	paste(t, ann, lines, text)
	said, left := 0, 0
	for (said < lines || left == 0) && bob.lines.Scan() {
		switch bob.lines.Text() {
		case ann.LocalAddr().String() + ": " + text:
			said++
		case "somebody has left":
			left++
		default:
			t.Fatalf("bob heard %q", bob.lines.Text())
		}
	}
	if said != lines || left != 1 {
		t.Errorf("bob heard %d lines, and that %d have left, %v; want %d and 1", said, left, bob.lines.Err(), lines)
	}
	say(t, bob, "there you are")
	hear(t, ann, "somebody has left")
	hear(t, ann, bob.LocalAddr().String()+": there you are")
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
