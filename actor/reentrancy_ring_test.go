package actor_test

import (
	"errors"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// TestSelfAskIsLimited lets an actor ask itself until it may not any more.
func TestSelfAskIsLimited(t *testing.T) {
	const limit = 20
	for _, r := range reentrant {
		t.Run(r.String(), func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			depth := 0
			var ref actor.Ref[question]
			ref = spawn(t, sys, func(c *actor.Context[question], q question) error {
				depth++
				_, err := actor.Ask(c, ref, asking(q.n+1))
				if err != nil {
					return q.reply.Fail(c, err)
				}
				return q.reply.Send(c, 0)
			}, actor.WithReentrancy(r), actor.WithMaxSuspended(limit), actor.WithName("ego"))
			_, err := actor.Ask(ctx, ref, asking(1))
			wantErr(t, err, actor.ErrCycle)
			if depth < limit || depth > limit+1 {
				t.Errorf("it went %d deep, with a limit of %d", depth, limit)
			}
			wantNoErr(t, ref.Drain(ctx))
		})
	}
}

// TestRingThroughAReentrantActor has a ring that reentrancy can't open: the actor
// in its middle is not reentrant.
func TestRingThroughAReentrantActor(t *testing.T) {
	for _, r := range reentrant {
		t.Run(r.String(), func(t *testing.T) {
			ctx := guarded(t)
			sys := oneWorker(t)
			a := spawn(t, sys, run, actor.WithName("a"), actor.WithReentrancy(r))
			b := spawn(t, sys, run, actor.WithName("b"))
			err := let(ctx, a, func(c *actor.Context[instruction]) error {
				return let(c, b, func(c *actor.Context[instruction]) error {
					return let(c, a, func(c *actor.Context[instruction]) error { return let(c, b, nil) })
				})
			})
			_ = wantRing(t, err, "a", "b")
			wantNoErr(t, callBack(ctx, a, b))
		})
	}
}

// TestRingWhenAllAreSuspended has two handlers, as many as may be, wait for an
// actor that asks theirs.
func TestRingWhenAllAreSuspended(t *testing.T) {
	ctx := guarded(t)
	sys := oneWorker(t)
	o := newAnswerer(t, sys)
	a := spawn(t, sys, run, actor.WithName("a"), actor.WithReentrancy(actor.FullReentrancy), actor.WithMaxSuspended(2))
	b := spawn(t, sys, run, actor.WithName("b"))
	fates := make(chan error, 3)
	go func() {
		fates <- let(ctx, b, func(c *actor.Context[instruction]) error {
			if _, err := o.ask(c, 0); err != nil {
				return err
			}
			return let(c, a, nil)
		})
	}()
	q := o.next(t, ctx)
	for i := range 2 {
		go func() {
			fates <- let(ctx, a, func(c *actor.Context[instruction]) error { return let(c, b, nil) })
		}()
		suspendedIn(t, ctx, a, i+1)
	}
	wantNoErr(t, q.reply.Send(ctx, 0))
	rings := 0
	for range 3 {
		if err := receive(t, ctx, fates); errors.Is(err, actor.ErrCycle) {
			rings++
		} else if err != nil {
			t.Error(err)
		}
	}
	if rings != 1 {
		t.Errorf("%d got an error, want one", rings)
	}
}
