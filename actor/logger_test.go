package actor_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// captureDefault has slog.Default write to the buffer until the end of the test.
func captureDefault(t *testing.T) *bytes.Buffer {
	var text bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &text
}

// A panic left no trace where Config.Logger was nil.
func TestFailuresAreLoggedByDefault(t *testing.T) {
	text := captureDefault(t)
	ctx := guarded(t)
	fails := func(cfg actor.Config) {
		sys := newSystem(t, cfg)
		ref := spawn(t, sys, func(*actor.Context[int], int) error { panic("no luck") }, actor.WithName("unlucky"))
		send(t, ctx, ref, 1)
		receive(t, ctx, ref.Done())
		wantNoErr(t, sys.Stop(ctx))
	}
	fails(actor.Config{Logger: slog.New(slog.DiscardHandler)})
	if text.Len() > 0 {
		t.Errorf("a system that is to be silent has logged %s", text)
	}
	fails(actor.Config{})
	for _, want := range []string{"level=ERROR", "actor failed", "unlucky", "panic: no luck", "logger_test.go"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in the log: %s", want, text)
		}
	}
}

// A simulation runs a program a thousand times, and tells of its failures itself.
func TestSimulationsAreSilentByDefault(t *testing.T) {
	text := captureDefault(t)
	simtest.Run(t, simtest.Config{Schedules: 2}, func(s *simtest.Sim) {
		ref := spawn(s, s.System(actor.Config{}), func(*actor.Context[int], int) error { panic("no luck") })
		send(s, s.Context(), ref, 1)
		s.RunUntilIdle()
	})
	if text.Len() > 0 {
		t.Errorf("it has logged %s", text)
	}
}
