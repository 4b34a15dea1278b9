package steal_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/cmd/troupe/internal/steal"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
)

// terminal collects what is drawn, and tells when it has something.
type terminal struct {
	mu    sync.Mutex
	drawn bytes.Buffer
}

func (s *terminal) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drawn.Write(p)
}

func (s *terminal) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drawn.String()
}

// live runs the live view; type writes to its keyboard.
func live(t *testing.T, ctx context.Context, s steal.Scene, duration time.Duration) (screen *terminal, keys *io.PipeWriter, end func() (bool, error)) {
	t.Helper()
	in, keys := io.Pipe()
	t.Cleanup(func() { _ = in.Close() })
	screen = &terminal{}
	type result struct {
		interrupted bool
		err         error
	}
	done := make(chan result, 1)
	go func() {
		interrupted, err := steal.Live(ctx, s, in, screen, []string{"TERM=xterm-256color", "NO_COLOR=1"}, duration)
		done <- result{interrupted, err}
		_ = in.Close()
	}()
	return screen, keys, func() (bool, error) {
		t.Helper()
		select {
		case r := <-done:
			return r.interrupted, r.err
		case <-patience.Context(t).Done():
			t.Fatal("the live view does not end")
			return false, nil
		}
	}
}

// The sequences by which a terminal changes to its second screen and back, and
// shows its cursor.
const (
	secondScreen = "\x1b[?1049h"
	firstScreen  = "\x1b[?1049l"
	showCursor   = "\x1b[?25h"
)

func givenBack(t *testing.T, screen *terminal) {
	t.Helper()
	text := screen.String()
	if strings.LastIndex(text, firstScreen) < strings.LastIndex(text, secondScreen) || !strings.Contains(text, showCursor) {
		t.Errorf("the terminal is not given back: %q", text[max(0, len(text)-200):])
	}
}

func waitFor(t *testing.T, screen *terminal, text string) {
	t.Helper()
	patience.Until(t, patience.Context(t), func() bool { return strings.Contains(screen.String(), text) })
}

func TestLiveKeys(t *testing.T) {
	st := open(t, steal.Config{Workers: 2, Load: 0.2})
	screen, keys, end := live(t, patience.Context(t), st, 0)
	waitFor(t, screen, "troupe steal")
	if _, err := io.WriteString(keys, "p"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, screen, "no more jobs are fed")
	if _, err := io.WriteString(keys, "q"); err != nil {
		t.Fatal(err)
	}
	if interrupted, err := end(); interrupted || err != nil {
		t.Errorf("it ended with %v, %v", interrupted, err)
	}
	givenBack(t, screen)
}

func TestLiveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(patience.Context(t))
	screen, _, end := live(t, ctx, busyScene(), 0)
	waitFor(t, screen, "troupe steal")
	cancel()
	if interrupted, err := end(); !interrupted || err != nil {
		t.Errorf("it ended with %v, %v, want an interrupt", interrupted, err)
	}
	givenBack(t, screen)
}

func TestLiveEndsInTime(t *testing.T) {
	lane.Short(t)
	s := busyScene()
	screen, _, end := live(t, patience.Context(t), s, s.snap.At)
	if interrupted, err := end(); interrupted || err != nil {
		t.Errorf("it ended with %v, %v", interrupted, err)
	}
	givenBack(t, screen)
}

// panicking panics at the second look, when the screen has been taken.
type panicking struct {
	scene
	looks int
}

func (p *panicking) Snapshot() steal.Snapshot {
	p.looks++
	p.panics = p.looks > 1
	return p.scene.Snapshot()
}

func TestPanicGivesTheTerminalBack(t *testing.T) {
	lane.Short(t)
	screen, _, end := live(t, patience.Context(t), &panicking{}, 0)
	if _, err := end(); err == nil || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("error = %v, want one about the panic", err)
	}
	givenBack(t, screen)
}
