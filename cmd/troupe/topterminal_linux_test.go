package main_test

import (
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/troupe-go/troupe/actor"
	screen "github.com/troupe-go/troupe/cmd/troupe/internal/terminal"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
)

// watched is a program to be looked at: an actor that is stuck, one that has
// failed with a hostile text, and a page at an address.
func watched(t *testing.T, addr string) (page *inspect.Server, end func()) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sys, err := actor.NewSystem(actor.Config{})
	must(err)
	patience.StopAtEnd(t, sys)
	i, err := inspect.New(sys, inspect.Config{})
	must(err)
	t.Cleanup(i.Close)
	gate := make(chan struct{})
	t.Cleanup(func() { close(gate) })
	stuck, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { <-gate; return nil }), actor.WithName("stuck"))
	must(err)
	failing, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { panic("broken \x1b]0;owned\x07") }), actor.WithName("failing"))
	must(err)
	must(stuck.Send(t.Context(), 1))
	page, err = i.Listen(addr, inspect.WebConfig{Name: "watched"})
	must(err)
	must(failing.Send(t.Context(), 1))
	<-failing.Done()
	return page, func() { _ = page.Close() }
}

// shows waits until the screen has the text, as a person sees it: what is drawn
// is only what has changed.
func shows(t *testing.T, x *terminal, width, height int, text string) {
	t.Helper()
	var s *screen.Screen
	defer func() {
		if t.Failed() {
			t.Logf("%q is not on the screen:\n%v", text, s)
		}
	}()
	patience.Until(t, patience.Context(t), func() bool {
		s = screen.NewScreen(height, width)
		_, _ = s.Write([]byte(x.text()))
		return strings.Contains(s.String(), text)
	})
}

// TestTopOnATerminal goes through the screens by their keys, with a real program
// and a real terminal.
func TestTopOnATerminal(t *testing.T) {
	lane.Short(t)
	page, end := watched(t, ":0")
	defer end()
	x := openCommand(t, []string{"top", "--addr", page.Addr().String(), "--every", "100ms", "--sort", "slow"}, 150, 40)
	x.waitFor(t, "watched")
	x.waitFor(t, "stuck")
	for _, step := range []struct{ keys, want string }{
		{"\r", "it has been handling int"}, // The slowest is on top.
		{"\x1b", "by slow"},
		{"s", "by handled"},
		{"t", "as a tree"},
		{"w", "workers are awake"},
		{"g", "0 waits"},
		{"e", "broken"},
		{"J", "jobs by age"},
		{"T", "0 timers"},
		{"N", "registered names"},
		{"?", "any key goes on"},
		{"xp", "paused"},
		{"pa", "by handled"},
		{"/stuck\r", `begin with "stuck"`},
	} {
		_, _ = io.WriteString(x, step.keys)
		shows(t, x, 150, 40, step.want)
	}
	_, _ = io.WriteString(x, "q")
	x.end(t, 0)
	if strings.Contains(x.text(), "\x1b]0;owned") {
		t.Error("the text of an error commands the terminal")
	}
}

// The program goes, and comes back at the same address.
func TestTopOfALostProgram(t *testing.T) {
	lane.Short(t)
	page, end := watched(t, "127.0.0.1:0")
	addr := page.Addr().String()
	x := openCommand(t, []string{"top", "--addr", addr, "--every", "100ms"}, 200, 24)
	x.waitFor(t, "stuck")
	end()
	shows(t, x, 200, 24, "nothing answers at")
	l, err := net.Listen("tcp", addr) // Another program is there now.
	if err != nil {
		t.Skipf("the port is taken: %v", err)
	}
	_ = l.Close()
	_, again := watched(t, addr)
	defer again()
	shows(t, x, 200, 24, "by mailbox")
	_, _ = io.WriteString(x, "q")
	x.end(t, 0)
}

func TestTopInterruptedOnATerminal(t *testing.T) {
	page, end := watched(t, ":0")
	defer end()
	x := openCommand(t, []string{"top", "--addr", page.Addr().String()}, 20, 5)
	x.waitFor(t, "watched")
	if err := x.child.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	x.end(t, 130)
}

// Where nothing answers there is an error, and no second screen.
func TestTopWithoutAProgramOnATerminal(t *testing.T) {
	x := openCommand(t, []string{"top", "--addr", "127.0.0.1:1"}, 80, 24)
	x.waitFor(t, "nothing answers")
	x.end(t, 1)
	if strings.Contains(x.text(), "\x1b[?1049h") {
		t.Error("the second screen was shown")
	}
}

func TestTopOnADumbTerminal(t *testing.T) {
	lane.Short(t)
	page, end := watched(t, ":0")
	defer end()
	x := openCommand(t, []string{"top", "--addr", page.Addr().String(), "--every", "100ms"}, 80, 24, "TERM=dumb")
	x.waitFor(t, "stuck")
	x.end(t, 0)
	if strings.Contains(x.text(), "\x1b") {
		t.Errorf("there are control sequences: %q", x.text())
	}
}
