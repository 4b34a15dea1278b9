package actor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// A body asks others, and is asked meanwhile, without holding a worker.
func TestProcessAsks(t *testing.T) {
	sys := newSystem(t, actor.Config{Workers: 1})
	type question struct {
		n     int
		reply actor.Reply[int]
	}
	ask := func(n int) func(actor.Reply[int]) question {
		return func(r actor.Reply[int]) question { return question{n, r} }
	}
	double := spawnProcess(t, sys, func(p *actor.Process[question]) error {
		for {
			q, err := p.Receive(p)
			if err != nil {
				return err
			}
			if err := q.reply.Send(p, 2*q.n); err != nil {
				return err
			}
		}
	})
	chain := double
	for range 3 {
		next := chain
		chain = spawnProcess(t, sys, func(p *actor.Process[question]) error {
			for {
				q, err := p.Receive(p)
				if err != nil {
					return err
				}
				n, err := actor.Ask(p, next, ask(q.n+1))
				if err != nil {
					return err
				}
				if err := q.reply.Send(p, n); err != nil {
					return err
				}
			}
		})
	}
	for n := range 10 {
		if got, err := actor.Ask(guarded(t), chain, ask(n)); err != nil || got != 2*(n+3) {
			t.Errorf("got %d, %v", got, err)
		}
	}
}

// A body has the context of the ask that it has received, and the process's own
// after it.
func TestProcessHasTheContextOfAnAsk(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	gone := errors.New("gone")
	silent := spawn(t, sys, func(*actor.Context[question], question) error { return nil })
	entered, causes := make(chan struct{}), make(chan error, 2)
	ref, err := actor.SpawnProcess(sys, func(p *actor.Process[question]) error {
		for {
			q, err := p.ReceiveMatch(p, func(q question) bool { return q.n != 1 })
			if err != nil {
				return err
			}
			if q.n == 0 {
				if p.Context() != context.Context(p) {
					t.Error("a sent message has a context")
				}
				continue
			}
			c := p.Context()
			if c.Value(traceKey{}) != q.n {
				t.Errorf("the value is %v", c.Value(traceKey{}))
			}
			if q.n == 2 {
				if err := q.reply.Send(c, 2); err != nil {
					return err
				}
				continue
			}
			close(entered)
			_, err = actor.Ask(c, silent, asking(1))
			causes <- err
			causes <- context.Cause(c)
		}
	})
	wantNoErr(t, err)
	out, cancel := context.WithCancelCause(context.WithValue(ctx, traceKey{}, 2))
	_, err = actor.Ask(out, ref, asking(2))
	wantNoErr(t, err)
	send(t, ctx, ref, question{n: 0}, question{n: 1})
	go func() {
		<-entered
		cancel(gone)
	}()
	_, err = actor.Ask(context.WithValue(out, traceKey{}, 3), ref, asking(3))
	wantErr(t, err, gone)
	wantErr(t, receive(t, ctx, causes), gone)
	wantErr(t, receive(t, ctx, causes), gone)
	wantNoErr(t, ref.Stop(ctx))
}

// A process that returns the end of its asker has ended.
func TestProcessEndsWithItsAsk(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	out, cancel := context.WithCancel(ctx)
	ref, err := actor.SpawnProcess(sys, func(p *actor.Process[question]) error {
		if _, err := p.Receive(p); err != nil {
			return err
		}
		cancel()
		return p.Context().Err()
	})
	wantNoErr(t, err)
	_, err = actor.Ask(out, ref, asking(1))
	wantErr(t, err, context.Canceled)
	receive(t, ctx, ref.Done())
	wantErr(t, ref.Err(), context.Canceled)
}
