package actor_test

import (
	"errors"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
)

// An actor whose handlers all wait for itself, as many as may, is found to be a ring
// at once: the search goes by each wait once, and not by each way that leads to it.
func TestRingOfManyHandlersOfOneActor(t *testing.T) {
	lane.Check(t)
	ctx := guarded(t)
	for _, kind := range []actor.Reentrancy{actor.CallChainReentrancy, actor.FullReentrancy} {
		t.Run(kind.String(), func(t *testing.T) {
			sys := newSystem(t, actor.Config{})
			deepest := 0
			var ref actor.Ref[question]
			ref = spawn(t, sys, func(c *actor.Context[question], q question) error {
				deepest = max(deepest, q.n)
				_, err := actor.Ask(c, ref, asking(q.n+1))
				return q.reply.Fail(c, err)
			}, actor.WithReentrancy(kind))
			_, err := actor.Ask(ctx, ref, asking(1))
			wantErr(t, err, actor.ErrCycle)
			if deepest != 1000 && deepest != 1001 {
				t.Errorf("%d handlers waited, want 1000 at most, and the one that is refused", deepest)
			}
		})
	}
}

// Two such actors wait for each other, each with all of its handlers. The ring that is
// told begins with who gets the error, and each waits for the next.
func TestRingOfManyHandlersOfTwoActors(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var refs [2]actor.Ref[question]
	for i := range refs {
		refs[i] = spawn(t, sys, func(c *actor.Context[question], q question) error {
			_, err := actor.Ask(c, refs[1-i], asking(q.n+1))
			return q.reply.Fail(c, err)
		}, actor.WithReentrancy(actor.FullReentrancy), actor.WithMaxSuspended(200))
	}
	_, err := actor.Ask(ctx, refs[0], asking(1))
	ring, ok := errors.AsType[*actor.CycleError](err)
	if !ok {
		t.Fatalf("the ask returned %v, want a *CycleError", err)
	}
	for i, w := range ring.Waits {
		if next := ring.Waits[(i+1)%len(ring.Waits)]; w.On != next.PID {
			t.Errorf("wait %d is for %v, and the next of %v", i, w.On, next.PID)
		}
	}
}
