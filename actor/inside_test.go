package actor_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// A handler is inside its actor and those above, with whatever context, and
// inside no other.
func TestHandlerIsInsideItsActor(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	nop := func(*actor.Context[int], int) error { return nil }
	other, err := actor.Spawn(sys, actor.Func(nop))
	wantNoErr(t, err)
	type answer struct{ self, above, other, any bool }
	answers := make(chan answer, 1)
	above, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], _ int) error {
		top := ctx.PID()
		below, err := actor.Spawn(ctx, actor.Func(func(ctx *actor.Context[int], _ int) error {
			var none context.Context
			answers <- answer{
				sys.Inside(ctx, ctx.PID()), sys.Inside(ctx, top), sys.Inside(ctx, other.PID()),
				sys.Inside(context.Background(), top) && sys.Inside(none, top),
			}
			return nil
		}))
		if err != nil {
			return err
		}
		if sys.Inside(ctx, below.PID()) {
			t.Error("an actor is inside one below it")
		}
		return below.Send(ctx, 1)
	}))
	wantNoErr(t, err)
	wantNoErr(t, above.Send(guarded(t), 1))
	if got, want := <-answers, (answer{true, true, false, true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if sys.Inside(guarded(t), above.PID()) || sys.Inside(guarded(t), actor.PID{}) || (*actor.System)(nil).Inside(guarded(t), above.PID()) {
		t.Error("a goroutine is inside an actor")
	}
}

// A system is stopping from the call of Stop on.
func TestStopping(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	if sys.Stopping() || (*actor.System)(nil).Stopping() || new(actor.System).Stopping() {
		t.Error("it is stopping, though nobody has called Stop")
	}
	wantNoErr(t, sys.Stop(guarded(t)))
	if !sys.Stopping() {
		t.Error("it has stopped, and is not stopping")
	}
}
