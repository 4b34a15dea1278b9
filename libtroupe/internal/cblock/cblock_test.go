//go:build cgo && unix && !race

package cblock_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/libtroupe/internal/cblock"
)

type question struct {
	n     int
	reply actor.Reply[int]
}

func asking(n int) func(actor.Reply[int]) question {
	return func(r actor.Reply[int]) question { return question{n, r} }
}

func answer(ctx *actor.Context[question], q question) error { return q.reply.Send(ctx, q.n+1) }

// A spare takes the place of each worker at a time, so many are there sooner with many workers.
const workers = 8

// A crowd is actors whose handlers block in C until release.
type crowd struct {
	sys     *actor.System
	refs    []actor.Ref[int]
	begun   chan struct{}
	ended   chan int // Results of the reads in C.
	release func()
}

func newCrowd(ctx context.Context, t *testing.T, spares, handlers int) *crowd {
	sys, err := actor.NewSystem(actor.Config{
		Workers: workers, MaxSpares: spares, MaxGhosts: -1, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	c := &crowd{
		sys: sys, begun: make(chan struct{}, handlers), ended: make(chan int, handlers),
		release: sync.OnceFunc(func() { _ = syscall.Close(fds[1]) }), // All reads end.
	}
	t.Cleanup(func() { _ = syscall.Close(fds[0]) }) // No handler is left to read it.
	patience.StopAtEnd(t, sys)
	t.Cleanup(c.release)
	for i := range handlers {
		ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error {
			c.begun <- struct{}{}
			c.ended <- cblock.Block(fds[0])
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		if err := ref.Send(ctx, i); err != nil {
			t.Fatal(err)
		}
		c.refs = append(c.refs, ref)
	}
	return c
}

// TestHandlersThatBlockInC has the handlers of a thousand actors block in C. With more spares than that, all others go on
// as if nothing were. With the default number urgent messages and stops do, and the rest when the calls have returned.
func TestHandlersThatBlockInC(t *testing.T) {
	lane.Check(t)
	const handlers = 1000
	for _, c := range []struct {
		name            string
		spares, blocked int
	}{{"4000 spares", 4000, handlers}, {"default", 0, 256 + workers}} {
		t.Run(c.name, func(t *testing.T) { blockInC(t, c.spares, handlers, c.blocked) })
	}
}

// blockInC waits for the given number of handlers to be in C at a time.
func blockInC(t *testing.T, spares, handlers, blocked int) {
	ctx := patience.Context(t)
	c := newCrowd(ctx, t, spares, handlers)
	for range blocked {
		await(ctx, t, c.begun)
	}
	oracle, err := actor.Spawn(c.sys, actor.Func(answer))
	if err != nil {
		t.Fatal(err)
	}
	others := []actor.Ref[question]{oracle.On(actor.Control)}
	if blocked == handlers {
		others = append(others, oracle) // There are workers left for Data.
	}
	for i := range 1000 {
		for _, ref := range others {
			if n, err := actor.Ask(ctx, ref, asking(i)); n != i+1 || err != nil {
				t.Fatalf("the question %d was answered with %d, %v", i, n, err)
			}
		}
	}
	const stopped = 10
	for _, ref := range c.refs[:stopped] {
		err := ref.StopWithin(ctx, time.Millisecond)
		// A handler in C is left behind. Without spares its message may not have come to a handler.
		if !errors.Is(err, actor.ErrForced) && (err != nil || blocked == handlers) {
			t.Errorf("the stop of an actor whose handler is in C returned %v, want %v", err, actor.ErrForced)
		}
	}
	c.release()
	for range handlers - stopped {
		if n := await(ctx, t, c.ended); n != 0 {
			t.Errorf("a read in C returned %d, want 0", n)
		}
	}
	if n, err := actor.Ask(ctx, oracle, asking(1)); n != 2 || err != nil {
		t.Errorf("after the reads a question was answered with %d, %v", n, err)
	}
}

// The stop of a system with a limit does not wait for C.
func TestASystemWhoseHandlersBlockInC(t *testing.T) {
	ctx := patience.Context(t)
	const handlers = 50
	c := newCrowd(ctx, t, 0, handlers)
	for range handlers {
		await(ctx, t, c.begun)
	}
	if err := c.sys.StopWithin(ctx, time.Millisecond); !errors.Is(err, actor.ErrForced) {
		t.Errorf("the stop returned %v, want %v", err, actor.ErrForced)
	}
	if len(c.ended) > 0 {
		t.Errorf("%d reads in C have returned before their pipe was closed", len(c.ended))
	}
}

func await[T any](ctx context.Context, t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-ctx.Done():
		t.Fatal("it takes too long: ", context.Cause(ctx))
	}
	return v
}
