package actor_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
)

var (
	guarded = patience.Context
	ended   = patience.Ended
	until   = patience.Until
)

// newSystem returns a system that is stopped at the end of the test.
func newSystem(tb testing.TB, cfg actor.Config) *actor.System {
	tb.Helper()
	sys, err := actor.NewSystem(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	patience.StopAtEnd(tb, sys)
	return sys
}

func spawn[M any](tb testing.TB, at actor.Spawner, receive func(*actor.Context[M], M) error, opts ...actor.Option) actor.Ref[M] {
	tb.Helper()
	return spawnActor(tb, at, actor.Func(receive), opts...)
}

func spawnActor[M any](tb testing.TB, at actor.Spawner, a actor.Actor[M], opts ...actor.Option) actor.Ref[M] {
	tb.Helper()
	ref, err := actor.Spawn(at, a, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return ref
}

func send[M any](tb testing.TB, ctx context.Context, to actor.Ref[M], messages ...M) {
	tb.Helper()
	for _, m := range messages {
		if err := to.Send(ctx, m); err != nil {
			tb.Fatalf("send %v: %v", m, err)
		}
	}
}

// receive returns the next value from c, or fails the test when ctx ends.
func receive[T any](tb testing.TB, ctx context.Context, c <-chan T) T {
	tb.Helper()
	select {
	case v := <-c:
		return v
	case <-ctx.Done():
		tb.Fatal("nothing came")
		panic("unreachable")
	}
}

func wantErr(tb testing.TB, got error, want ...error) {
	tb.Helper()
	for _, w := range want {
		if !errors.Is(got, w) {
			tb.Fatalf("got error %v, want one that wraps %v", got, w)
		}
	}
}

func wantNoErr(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// gate is an actor that is held in its handler by the message 0, until the
// test opens it, and notes all other messages.
type gate struct {
	entered chan struct{} // One for each 0 that is being handled.
	open    chan struct{}
	seen    chan int
}

func newGate() *gate {
	return &gate{entered: make(chan struct{}, 16), open: make(chan struct{}), seen: make(chan int, 1<<15)}
}

func (g *gate) Receive(_ *actor.Context[int], m int) error {
	if m == 0 {
		g.entered <- struct{}{}
		<-g.open
		return nil
	}
	g.seen <- m
	return nil
}

// hold sends a 0 and returns when it is being handled.
func (g *gate) hold(tb testing.TB, ctx context.Context, ref actor.Ref[int]) {
	tb.Helper()
	send(tb, ctx, ref, 0)
	receive(tb, ctx, g.entered)
}

// hooks is an actor made of functions; those that are nil do nothing.
type hooks[M any] struct {
	receive func(*actor.Context[M], M) error
	started func(*actor.Context[M]) error
	stopped func(*actor.Context[M], error)
	exited  func(*actor.Context[M], actor.Exit) error
}

func (h *hooks[M]) Receive(ctx *actor.Context[M], m M) error {
	if h.receive == nil {
		return nil
	}
	return h.receive(ctx, m)
}

func (h *hooks[M]) Started(ctx *actor.Context[M]) error {
	if h.started == nil {
		return nil
	}
	return h.started(ctx)
}

func (h *hooks[M]) Stopped(ctx *actor.Context[M], reason error) {
	if h.stopped != nil {
		h.stopped(ctx, reason)
	}
}

// keeping is a parent that decides about its children.
type keeping[M any] struct{ hooks[M] }

func (k *keeping[M]) ChildExited(ctx *actor.Context[M], e actor.Exit) error {
	if k.exited == nil {
		return nil
	}
	return k.exited(ctx, e)
}

type question struct {
	n     int
	reply actor.Reply[int]
}

// answer replies with the next number.
func answer(ctx *actor.Context[question], q question) error { return q.reply.Send(ctx, q.n+1) }

// asking makes the message of an ask for the successor of n.
func asking(n int) func(actor.Reply[int]) question {
	return func(r actor.Reply[int]) question { return question{n, r} }
}

// unreturned leaves out waits for actors whose handlers have returned without a reply.
func unreturned(waits []actor.Wait) []actor.Wait {
	return slices.DeleteFunc(waits, func(w actor.Wait) bool { return w.Returned })
}
