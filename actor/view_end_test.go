package actor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// The cause of the outermost end reaches the context of the innermost handler, in whatever way
// that handler waits. No actor has failed for it.
func TestAskCarriesItsEnd(t *testing.T) {
	gone := errors.New("the user has gone")
	ways := map[string]func(c *actor.Context[question], full actor.Ref[int], silent actor.Ref[question]) error{
		"done": func(c *actor.Context[question], _ actor.Ref[int], _ actor.Ref[question]) error {
			<-c.Done()
			return c.Err()
		},
		"poll": func(c *actor.Context[question], _ actor.Ref[int], _ actor.Ref[question]) error {
			for c.Err() == nil {
				runtime.Gosched()
			}
			return context.Cause(c)
		},
		"checkpoint": func(c *actor.Context[question], _ actor.Ref[int], _ actor.Ref[question]) error {
			for {
				if err := c.Checkpoint(); err != nil {
					return err
				}
			}
		},
		"ask": func(c *actor.Context[question], _ actor.Ref[int], silent actor.Ref[question]) error {
			_, err := actor.Ask(c, silent, asking(1))
			return err
		},
		"send": func(c *actor.Context[question], full actor.Ref[int], _ actor.Ref[question]) error {
			return full.Send(c, 1)
		},
		"ask with a derived context": func(c *actor.Context[question], _ actor.Ref[int], silent actor.Ref[question]) error {
			child, cancel := context.WithTimeout(context.WithValue(c, traceKey{}, 1), time.Hour)
			defer cancel()
			_, err := actor.Ask(child, silent, asking(1))
			return err
		},
		"ask on a goroutine": func(c *actor.Context[question], _ actor.Ref[int], silent actor.Ref[question]) error {
			failed := make(chan error)
			go func() {
				_, err := actor.Ask(c, silent, asking(1))
				failed <- err
			}()
			return <-failed
		},
		"a function": func(c *actor.Context[question], _ actor.Ref[int], _ actor.Ref[question]) error {
			called := make(chan struct{})
			context.AfterFunc(c, func() { close(called) })
			<-called
			return c.Err()
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			g := newGate()
			full := spawnActor(t, sys, actor.Actor[int](g), actor.WithCapacity(actor.Data, 1))
			g.hold(t, ctx, full)
			send(t, ctx, full, 1)
			defer close(g.open)
			silent := spawn(t, sys, func(*actor.Context[question], question) error { return nil })
			entered, causes := make(chan struct{}), make(chan error, 1)
			first := chained(t, sys, 3, asIs, func(c *actor.Context[question], q question) error {
				if q.n == 0 {
					return q.reply.Send(c, 0)
				}
				close(entered)
				err := way(c, full, silent)
				causes <- context.Cause(c)
				return err
			})
			out, cancel := context.WithCancelCause(ctx)
			result := make(chan error, 1)
			go func() {
				_, err := actor.Ask(out, first, asking(1))
				result <- err
			}()
			receive(t, ctx, entered)
			cancel(gone)
			wantErr(t, receive(t, ctx, result), gone)
			wantErr(t, receive(t, ctx, causes), gone)
			if v, err := actor.Ask(ctx, first, asking(0)); v != 2 || err != nil {
				t.Errorf("afterwards the actors answer %d, %v; want 2", v, err)
			}
		})
	}
}

// A deadline that passes is told as such, also where the handler has made it.
func TestAskCarriesTheEndOfADeadline(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ends := make(chan error, 2)
	last := func(c *actor.Context[question], _ question) error {
		<-c.Done()
		ends <- c.Err()
		ends <- context.Cause(c)
		return c.Err()
	}
	impatient := errors.New("impatient")
	wrap := func(c context.Context) context.Context {
		short, cancel := context.WithTimeoutCause(c, time.Millisecond, impatient)
		context.AfterFunc(short, cancel)
		return short
	}
	_, err := actor.Ask(ctx, chained(t, sys, 2, wrap, last), asking(1))
	wantErr(t, err, actor.ErrNoReply, impatient)
	wantErr(t, receive(t, ctx, ends), context.DeadlineExceeded)
	wantErr(t, receive(t, ctx, ends), impatient)
}

// A handler that ends since its asker has left has not failed. One that ends for
// another reason has.
func TestEndOfTheAskIsNoFailure(t *testing.T) {
	ctx := guarded(t)
	for name, failing := range map[string]error{
		"the cause":  nil,
		"a deadline": context.DeadlineExceeded,
		"an error":   errOdd,
	} {
		t.Run(name, func(t *testing.T) {
			sys := newSystem(t, actor.Config{})
			entered := make(chan struct{})
			ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
				close(entered)
				<-c.Done()
				if failing != nil {
					return failing
				}
				return fmt.Errorf("query: %w", context.Cause(c))
			})
			out, cancel := context.WithCancel(ctx)
			left := make(chan struct{})
			go func() {
				defer close(left)
				_, _ = actor.Ask(out, ref, asking(1))
			}()
			receive(t, ctx, entered)
			cancel()
			receive(t, ctx, left)
			wantNoErr(t, ref.Drain(ctx))
			if err := ref.Err(); !errors.Is(err, failing) {
				t.Errorf("the actor has ended with %v, want %v", err, failing)
			}
		})
	}
}

// endedContext is a context that has ended without a notice to its waiters.
type endedContext struct {
	context.Context
	over atomic.Bool
}

func (o *endedContext) Err() error {
	if o.over.Load() {
		return context.DeadlineExceeded
	}
	return o.Context.Err()
}

// A handler may see the end of its asker's context, and answer with it, before the
// asker has left. It has not failed either. If the context ends after the answer,
// its error is another's.
func TestEndOfTheAskAsAnAnswerIsNoFailure(t *testing.T) {
	ctx := guarded(t)
	for _, before := range []bool{true, false} {
		sys := newSystem(t, actor.Config{})
		out := &endedContext{Context: ctx}
		ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
			out.over.Store(before)
			wantNoErr(t, q.reply.Fail(c, context.DeadlineExceeded))
			out.over.Store(true)
			return context.DeadlineExceeded
		})
		_, err := actor.Ask(out, ref, asking(1))
		wantErr(t, err, context.DeadlineExceeded)
		wantNoErr(t, ref.Drain(ctx))
		if failed := ref.Err() != nil; failed == before {
			t.Errorf("the context ended before the answer: %v; the actor has ended with %v", before, ref.Err())
		}
	}
}

// The asker may be gone before its message is handled. The context has ended then,
// with the cause, and its values are there.
func TestAskerLeavesBeforeTheHandler(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	gone := errors.New("gone")
	entered, open := make(chan struct{}), make(chan struct{})
	seen := make(chan error, 1)
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n == 0 {
			close(entered)
			<-open
			return nil
		}
		select {
		case <-c.Done():
		default:
			t.Error("the channel is open")
		}
		if c.Value(traceKey{}) != 1 {
			t.Error("the value is gone")
		}
		seen <- context.Cause(c)
		return c.Err()
	})
	send(t, ctx, ref, question{})
	receive(t, ctx, entered)
	out, cancel := context.WithCancelCause(context.WithValue(ctx, traceKey{}, 1))
	cancel(gone)
	_, err := actor.Ask(out, ref, asking(1))
	wantErr(t, err, gone)
	close(open)
	wantErr(t, receive(t, ctx, seen), gone)
}
