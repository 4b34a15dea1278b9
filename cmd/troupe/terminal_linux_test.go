package main_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	main "github.com/troupe-go/troupe/cmd/troupe"
	"github.com/troupe-go/troupe/internal/patience"
)

// terminal is a pseudoterminal with a process of this program on it.
type terminal struct {
	*os.File // The end where a person types and reads.
	child    *exec.Cmd
	before   unix.Termios
	drained  chan struct{}

	mu    sync.Mutex
	drawn strings.Builder
}

// openTerminal runs the command steal on a terminal of a size.
func openTerminal(t *testing.T, width, height uint16, env ...string) *terminal {
	t.Helper()
	return openCommand(t, []string{"steal", "--load", "0.1", "--interval", "50ms"}, width, height, env...)
}

// openCommand runs a command of the program on a terminal of a size.
func openCommand(t *testing.T, args []string, width, height uint16, env ...string) *terminal {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudoterminals here: %v", err)
	}
	var number int
	if err := errors.Join(
		unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0),
		unix.IoctlSetWinsize(int(person.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: height, Col: width}),
	); err != nil {
		t.Fatal(err)
	}
	if number, err = unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN); err != nil {
		t.Fatal(err)
	}
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{File: person, child: exec.Command(os.Args[0], "-test.run=^TestMain$"), drained: make(chan struct{})}
	x.before = x.settings(t)
	x.child.Env = append(os.Environ(), append([]string{commandOnTerminal + "=" + strings.Join(args, "\n"), "TERM=xterm-256color"}, env...)...)
	x.child.Stdin, x.child.Stdout, x.child.Stderr = program, program, program
	x.child.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = x.child.Start()
	_ = program.Close()
	if err != nil {
		t.Fatal(err)
	}
	go x.drain()
	t.Cleanup(func() { _ = person.Close() })
	return x
}

// commandOnTerminal is the variable that makes the test binary the command, with
// an argument on each line.
const commandOnTerminal = "TROUPE_TEST_COMMAND"

func init() {
	if args := os.Getenv(commandOnTerminal); args != "" {
		main.Command(strings.Split(args, "\n")...)
	}
}

func (x *terminal) drain() {
	defer close(x.drained)
	piece := make([]byte, 4096)
	for {
		n, err := x.Read(piece)
		x.mu.Lock()
		x.drawn.Write(piece[:n])
		x.mu.Unlock()
		if err != nil { // The child has ended.
			return
		}
	}
}

func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.drawn.String()
}

func (x *terminal) settings(t *testing.T) unix.Termios {
	t.Helper()
	settings, err := unix.IoctlGetTermios(int(x.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *settings
}

func (x *terminal) waitFor(t *testing.T, text string) {
	t.Helper()
	patience.Until(t, patience.Context(t), func() bool { return strings.Contains(x.text(), text) })
}

// end waits for the child, and checks that the terminal was given back.
func (x *terminal) end(t *testing.T, status int) {
	t.Helper()
	stop := context.AfterFunc(patience.Context(t), func() { _ = x.child.Process.Kill() })
	defer stop()
	_ = x.child.Wait()
	if got := x.child.ProcessState.ExitCode(); got != status {
		t.Errorf("it ended with %v, want status %d", x.child.ProcessState, status)
	}
	if x.settings(t) != x.before {
		t.Error("the settings of the terminal were changed")
	}
	<-x.drained
	if text := x.text(); strings.LastIndex(text, "\x1b[?1049l") < strings.LastIndex(text, "\x1b[?1049h") {
		t.Errorf("the terminal is left on its second screen: %q", text)
	}
}

func TestStealOnATerminal(t *testing.T) {
	x := openTerminal(t, 80, 24)
	x.waitFor(t, "adaptive")
	if x.settings(t) == x.before {
		t.Error("the terminal still waits for whole lines")
	}
	_, _ = io.WriteString(x, "p")
	x.waitFor(t, "no more jobs are fed")
	if err := unix.IoctlSetWinsize(int(x.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 5, Col: 20}); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(x, "q")
	x.end(t, 0)
	if !strings.Contains(x.text(), "critical jobs:") {
		t.Errorf("there is no summary: %q", x.text())
	}
}

func TestStealInterruptedOnATerminal(t *testing.T) {
	for name, interrupt := range map[string]func(x *terminal) error{
		"ctrl-c":  func(x *terminal) error { _, err := io.WriteString(x, "\x03"); return err },
		"SIGINT":  func(x *terminal) error { return x.child.Process.Signal(os.Interrupt) },
		"SIGTERM": func(x *terminal) error { return x.child.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			x := openTerminal(t, 20, 5)
			x.waitFor(t, "troupe")
			x.waitFor(t, "help")
			if err := interrupt(x); err != nil {
				t.Fatal(err)
			}
			x.end(t, 130)
		})
	}
}

func TestStealWithoutColours(t *testing.T) {
	x := openTerminal(t, 80, 24, "NO_COLOR=1")
	x.waitFor(t, "shared")
	_, _ = io.WriteString(x, "q")
	x.end(t, 0)
	if strings.Contains(x.text(), "\x1b[3") {
		t.Errorf("there are colours: %q", x.text())
	}
}

func TestStealOnADumbTerminal(t *testing.T) {
	for name, x := range map[string]*terminal{
		"dumb":         openTerminal(t, 80, 24, "TERM=dumb"),
		"without size": openTerminal(t, 0, 0),
	} {
		x.waitFor(t, "jobs (")
		_, _ = io.WriteString(x, "\x03")
		x.end(t, 130)
		if strings.Contains(x.text(), "\x1b") {
			t.Errorf("%s: there are control sequences: %q", name, x.text())
		}
	}
}
