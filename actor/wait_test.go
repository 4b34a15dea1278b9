package actor_test

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// TestWaitsAreVisible has a handler wait for an answer, one for room, and one
// for a stop, of an actor that is busy.
func TestWaitsAreVisible(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	entered, open := make(chan struct{}), make(chan struct{})
	busy := spawn(t, sys, func(c *actor.Context[errand], e errand) error {
		entered <- struct{}{}
		<-open
		return run(c, e)
	}, actor.WithName("busy"), actor.WithCapacity(actor.Control, 1))
	send(t, ctx, busy, errand{})
	receive(t, ctx, entered)
	send(t, ctx, busy.On(actor.Control), errand{})

	waits := map[string]func(c *actor.Context[errand]) error{
		"ask":  func(c *actor.Context[errand]) error { return let(c, busy, nil) },
		"send": func(c *actor.Context[errand]) error { return busy.On(actor.Control).Send(c, errand{}) },
		"stop": func(c *actor.Context[errand]) error { return busy.Stop(c) },
	}
	for _, kind := range []string{"ask", "send", "stop"} {
		ref := spawn(t, sys, run, actor.WithName(kind))
		send(t, ctx, ref, errand{do: waits[kind]})
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
