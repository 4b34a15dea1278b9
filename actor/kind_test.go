package actor_test

import (
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// kindOf returns the kind of an actor, also if it has stopped.
func kindOf[M any](tb testing.TB, ref actor.Ref[M]) string {
	tb.Helper()
	i, err := ref.Info()
	wantNoErr(tb, err)
	return i.Kind
}

type byValue struct{}

func (byValue) Receive(*actor.Context[int], int) error { return nil }

func ignore(*actor.Context[int], int) error { return nil }

func TestKinds(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for want, a := range map[string]actor.Actor[int]{
		"actor_test.gate":    newGate(),
		"actor_test.byValue": byValue{},
		"actor_test.ignore":  actor.Func(ignore),
	} {
		for range 2 { // New, and known.
			if got := kindOf(t, spawnActor(t, sys, a)); got != want {
				t.Errorf("the kind is %q, want %q", got, want)
			}
			if got := kindOf(t, spawnActor(t, sys, actor.FirstOf(a))); got != want {
				t.Errorf("the kind of the first is %q, want %q", got, want)
			}
		}
	}
	ref := spawn(t, sys, func(c *actor.Context[int], _ int) error { return c.Become(ignore) })
	before := kindOf(t, ref)
	send(t, ctx, ref, 1)
	wantNoErr(t, ref.Drain(ctx))
	if after := kindOf(t, ref); after != before || before == "" {
		t.Errorf("an actor of kind %q has become one of kind %q", before, after)
	}
}

// A kind is looked up by each spawn, for which it must not allocate.
func TestKnownKindAllocatesNothing(t *testing.T) {
	a, f := actor.Actor[int](newGate()), actor.Func(ignore)
	if n := testing.AllocsPerRun(100, func() { actor.KindOf(a); actor.KindOf(f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
