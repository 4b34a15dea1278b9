package actor_test

import (
	"errors"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

// A wait through an actor that keeps the Reply is part of a ring when that actor says
// for whose stop the answer waits, and no more when it says something else.
func TestWaitFor(t *testing.T) { simulated.Too(t, testWaitFor) }

func testWaitFor(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	kept := make(chan actor.Reply[int], 1)
	keeper := spawn(t, sys, func(_ *actor.Context[question], q question) error { kept <- q.reply; return nil })
	asked := make(chan error, 2)
	asks := func(to *actor.Ref[question]) func(*actor.Context[question], question) error {
		return func(c *actor.Context[question], q question) error {
			if q.n != 0 {
				return answer(c, q)
			}
			_, err := actor.Ask(c, *to, asking(1))
			asked <- err
			return nil
		}
	}
	first := spawn(t, sys, asks(&keeper))
	second := spawn(t, sys, asks(&first))
	send(t, ctx, first, question{})
	reply := receive(t, ctx, kept)
	if !reply.WaitFor(actor.StartWait, second.PID()) {
		t.Error("nobody waits")
	}
	send(t, ctx, second, question{}) // It has started, so the start is no part of a ring.
	until(t, ctx, func() bool { return actor.Idle(keeper) && len(sys.Waits()) == 1 })
	if len(asked) != 0 {
		t.Fatalf("an ask has ended: %v", <-asked)
	}
	if reply.WaitFor(actor.StopWait, second.PID()) {
		t.Error("the asker goes on to wait in a ring")
	}
	var ring *actor.CycleError
	if err := receive(t, ctx, asked); !errors.As(err, &ring) || len(ring.Waits) != 2 {
		t.Errorf("the ask returned %v", err)
	}
	if reply.WaitFor(actor.StopWait, second.PID()) || (actor.Reply[int]{}).WaitFor(actor.StopWait, second.PID()) {
		t.Error("somebody waits still")
	}
	wantNoErr(t, receive(t, ctx, asked))
}
