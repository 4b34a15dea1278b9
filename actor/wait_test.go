package actor_test

import (
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// TestWaitsAreVisible has a handler wait for an answer, one for room, and one
// for a stop, of an actor that is busy.
func TestWaitsAreVisible(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	entered, open := make(chan struct{}), make(chan struct{})
	busy := spawn(t, sys, func(c *actor.Context[instruction], e instruction) error {
		entered <- struct{}{}
		<-open
		return run(c, e)
	}, actor.WithName("busy"), actor.WithCapacity(actor.Control, 1))
	send(t, ctx, busy, instruction{})
	receive(t, ctx, entered)
	send(t, ctx, busy.On(actor.Control), instruction{})

	waits := map[string]func(c *actor.Context[instruction]) error{
		"ask":  func(c *actor.Context[instruction]) error { return let(c, busy, nil) },
		"send": func(c *actor.Context[instruction]) error { return busy.On(actor.Control).Send(c, instruction{}) },
		"stop": func(c *actor.Context[instruction]) error { return busy.Stop(c) },
	}
	for _, kind := range []string{"ask", "send", "stop"} {
		ref := spawn(t, sys, run, actor.WithName(kind))
		send(t, ctx, ref, instruction{do: waits[kind]})
		until(t, ctx, func() bool { return actor.Waits(ref) })
		info, err := ref.Info()
		wantNoErr(t, err)
		if len(info.Waits) != 1 {
			t.Fatalf("%s waits for %v", kind, info.Waits)
		}
		w := info.Waits[0]
		if w.PID != ref.PID() || w.Name != kind || w.Kind.String() != kind || w.On != busy.PID() || w.OnName != "busy" {
			t.Errorf("%s has the wait %v", kind, w)
		}
		if w.Since.IsZero() || w.Since.After(time.Now()) {
			t.Errorf("%s waits since %v", kind, w.Since)
		}
		if kind == "send" && w.Lane != actor.Control {
			t.Errorf("it waits for room in the %v lane", w.Lane)
		}
		if !slices.Contains(sys.Waits(), w) {
			t.Errorf("%v is not among %v", w, sys.Waits())
		}
	}
	close(open)
	until(t, ctx, func() bool {
		select {
		case <-entered:
		default:
		}
		return len(sys.Waits()) == 0
	})
}

// In a simulation the time is exact.
func TestSinceWhenAHandlerWaits(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		silent, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[question], q question) error {
			return c.Stash(q)
		}))
		if err != nil {
			s.Fatal(err)
		}
		asker, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[int], n int) error {
			_, err := actor.Ask(c, silent, asking(n))
			return err
		}))
		if err != nil {
			s.Fatal(err)
		}
		s.Advance(time.Hour)
		begin := s.Now()
		_ = asker.Send(s.Context(), 1)
		s.RunUntilIdle()
		s.Advance(time.Hour)
		i, err := asker.Info()
		if err != nil {
			s.Fatal(err)
		}
		if len(i.Waits) != 1 || !i.Waits[0].Since.Equal(begin) {
			s.Errorf("it has asked at %v, and waits: %v", begin, i.Waits)
		}
	})
}
