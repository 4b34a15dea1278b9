package actor_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

// liftBench is one worker with usual actors, each of which is sent a message before anything
// urgent happens. It counts how many of them have run.
type liftBench struct {
	sys    *actor.System
	usual  []actor.Ref[int]
	ran    atomic.Int64
	urgent actor.Ref[int] // Runs what is urgent as a handler of Control.
	result chan error
}

const usualActors = 100

// newLiftBench returns a bench that does what is urgent once begin is called.
func newLiftBench(t *testing.T, urgent func(ctx *actor.Context[int]) error) *liftBench {
	t.Helper()
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1, AgeAfter: -1})
	wantNoErr(t, err)
	t.Cleanup(func() { wantNoErr(t, s.Stop(guarded(t))) })
	b := &liftBench{sys: newSystem(t, actor.Config{Scheduler: s}), result: make(chan error, 1)}
	for range usualActors {
		b.usual = append(b.usual, spawn(t, b.sys, func(*actor.Context[int], int) error {
			b.ran.Add(1)
			return nil
		}))
	}
	b.urgent = spawn(t, b.sys, func(ctx *actor.Context[int], _ int) error {
		b.result <- errors.Join(urgent(ctx), b.seen("the urgent handler"))
		return nil
	})
	return b
}

// seen reports, as an error of what is named, that usual actors came before it.
func (b *liftBench) seen(what string) error {
	if n := b.ran.Load(); n != 0 {
		return fmt.Errorf("%s came behind %d of %d usual actors", what, n, usualActors)
	}
	return nil
}

// begin queues the usual actors on the worker, and then what is urgent. A handler calls it.
func (b *liftBench) begin(ctx context.Context) error {
	if err := sendAll(ctx, b.usual); err != nil {
		return err
	}
	return b.urgent.On(actor.Control).Send(ctx, 1)
}

// run has a handler do what, and returns how the urgent one has ended.
func (b *liftBench) run(t *testing.T, what func(ctx context.Context) error) {
	t.Helper()
	ctx := guarded(t)
	first := spawn(t, b.sys, func(ctx *actor.Context[int], _ int) error { return what(ctx) })
	send(t, ctx, first, 1)
	b.wait(t, ctx)
}

func (b *liftBench) wait(t *testing.T, ctx context.Context) {
	t.Helper()
	select {
	case err := <-b.result:
		wantNoErr(t, err)
	case <-ctx.Done():
		t.Fatal(context.Cause(ctx))
	}
}

// answering returns a handler that answers, unless usual actors came before it.
func (b *liftBench) answering(what string) func(*actor.Context[question], question) error {
	return func(ctx *actor.Context[question], q question) error {
		if err := b.seen(what); err != nil {
			return q.reply.Fail(ctx, err)
		}
		return q.reply.Send(ctx, q.n+1)
	}
}

func TestAskedActorIsAsUrgentAsWhoAsks(t *testing.T) {
	for _, class := range []sched.Priority{sched.High, sched.Normal, sched.Low} {
		for _, lane := range []actor.Lane{actor.Data, actor.Management} {
			t.Run(fmt.Sprint(class, " ", lane), func(t *testing.T) {
				var asked actor.Ref[question]
				b := newLiftBench(t, func(ctx *actor.Context[int]) error {
					_, err := actor.Ask(ctx, asked.On(lane), asking(1))
					return err
				})
				last := spawn(t, b.sys, b.answering("the last"), actor.WithPriority(class))
				asked = spawn(t, b.sys, func(ctx *actor.Context[question], q question) error {
					if _, err := actor.Ask(ctx, last, asking(1)); err != nil {
						return q.reply.Fail(ctx, err)
					}
					return b.answering("the asked one")(ctx, q)
				}, actor.WithPriority(class))
				b.run(t, b.begin)
				wantNotLifted(t, asked, last)
			})
		}
	}
}

func wantNotLifted[M any](t *testing.T, refs ...actor.Ref[M]) {
	t.Helper()
	for _, ref := range refs {
		if actor.IsLifted(ref) {
			t.Errorf("%s is lifted, and nobody waits for it", ref)
		}
	}
}

// TestUrgencyGoesAlongWaitsThatHaveBegun has an actor wait for another one, which is queued
// behind all usual ones, before something urgent waits for it, in each of three ways.
func TestUrgencyGoesAlongWaitsThatHaveBegun(t *testing.T) {
	var middle actor.Ref[question]
	for name, wait := range map[string]func(ctx *actor.Context[int]) error{
		"ask": func(ctx *actor.Context[int]) error {
			_, err := actor.Ask(ctx, middle, asking(1))
			return err
		},
		"full lane": func(ctx *actor.Context[int]) error {
			return errors.Join(middle.Send(ctx, question{}), middle.Send(ctx, question{}))
		},
		"stop": func(ctx *actor.Context[int]) error { return middle.Stop(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newLiftBench(t, wait)
			last := spawn(t, b.sys, b.answering("the last"))
			began := false
			middle = spawn(t, b.sys, func(ctx *actor.Context[question], q question) error {
				if !began {
					began = true
					if err := b.begin(ctx); err != nil {
						return err
					}
					if _, err := actor.Ask(context.Background(), last, asking(1)); err != nil {
						return err
					}
				}
				return b.answering("the one in the middle")(ctx, q)
			}, actor.WithCapacity(actor.Data, 1))
			ctx := guarded(t)
			send(t, ctx, middle, question{})
			b.wait(t, ctx)
			wantNotLifted(t, middle, last)
		})
	}
}

// TestAllActorsOfAGatheringAreAsUrgentAsWhoAsksThem has an urgent handler ask several actors at once, each of which waits for
// another one, behind all usual ones.
func TestAllActorsOfAGatheringAreAsUrgentAsWhoAsksThem(t *testing.T) {
	var asked []actor.Ref[question]
	b := newLiftBench(t, func(ctx *actor.Context[int]) (err error) {
		for _, a := range actor.AskAll(ctx, asked, asking(1)) {
			err = errors.Join(err, a.Err)
		}
		return err
	})
	var last []actor.Ref[question]
	for range 3 {
		behind := spawn(t, b.sys, b.answering("the last"))
		last = append(last, behind)
		asked = append(asked, spawn(t, b.sys, func(ctx *actor.Context[question], q question) error {
			if _, err := actor.Ask(ctx, behind, asking(1)); err != nil {
				return q.reply.Fail(ctx, err)
			}
			return b.answering("the asked one")(ctx, q)
		}))
	}
	b.run(t, b.begin)
	wantNotLifted(t, append(asked, last...)...)
}

// TestUrgencyGoesAlongAGatheringThatHasBegun has an actor ask several others at once before something urgent waits for it.
func TestUrgencyGoesAlongAGatheringThatHasBegun(t *testing.T) {
	var middle actor.Ref[question]
	b := newLiftBench(t, func(ctx *actor.Context[int]) error {
		_, err := actor.Ask(ctx, middle, asking(1))
		return err
	})
	last := []actor.Ref[question]{spawn(t, b.sys, b.answering("the last")), spawn(t, b.sys, b.answering("the last"))}
	began := false
	middle = spawn(t, b.sys, func(ctx *actor.Context[question], q question) error {
		if !began {
			began = true
			if err := b.begin(ctx); err != nil {
				return err
			}
			for _, a := range actor.AskAll(context.Background(), last, asking(1)) {
				if a.Err != nil {
					return a.Err
				}
			}
		}
		return b.answering("the one in the middle")(ctx, q)
	})
	ctx := guarded(t)
	send(t, ctx, middle, question{})
	b.wait(t, ctx)
	wantNotLifted(t, append(last, middle)...)
}

// TestSentOnAskLiftsWhoHasIt has the asked actor send the ask on to one that is queued behind
// all usual ones.
func TestSentOnAskLiftsWhoHasIt(t *testing.T) {
	var asked actor.Ref[question]
	b := newLiftBench(t, func(ctx *actor.Context[int]) error {
		_, err := actor.Ask(ctx, asked, asking(1))
		return err
	})
	last := spawn(t, b.sys, b.answering("the last"))
	asked = spawn(t, b.sys, func(ctx *actor.Context[question], q question) error { return last.Send(ctx, q) })
	b.run(t, b.begin)
	wantNotLifted(t, asked, last)
}

// TestCriticalJobLiftsTheActorItAsks has a job of the scheduler ask.
func TestCriticalJobLiftsTheActorItAsks(t *testing.T) {
	var asked actor.Ref[question]
	b := newLiftBench(t, func(*actor.Context[int]) error { return nil })
	asked = spawn(t, b.sys, b.answering("the asked one"))
	b.run(t, func(ctx context.Context) error {
		if err := sendAll(ctx, b.usual); err != nil {
			return err
		}
		_, err := b.sys.Scheduler().Go(context.Background(), func(ctx context.Context) error {
			_, err := actor.Ask(ctx, asked, asking(1))
			b.result <- err
			return err
		}, sched.WithPriority(sched.Critical))
		return err
	})
	wantNotLifted(t, asked)
}

// TestUrgencyOfAskEndsWithIt has an urgent handler give up its ask. The asked actor comes
// behind the usual ones again.
func TestUrgencyOfAskEndsWithIt(t *testing.T) {
	var asked actor.Ref[question]
	var behind atomic.Int64
	b := newLiftBench(t, func(ctx *actor.Context[int]) error {
		short, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := actor.Ask(short, asked, asking(1)); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the ask ended with %w", err)
		}
		if actor.IsLifted(asked) {
			return errors.New("the asked actor is lifted, and nobody waits for it")
		}
		return nil
	})
	asked = spawn(t, b.sys, func(*actor.Context[question], question) error {
		behind.Store(b.ran.Load())
		return nil
	})
	b.run(t, b.begin)
	wantNoErr(t, asked.Drain(guarded(t)))
	if n := behind.Load(); n != usualActors {
		t.Errorf("the actor that nobody waits for came behind %d of %d usual ones", n, usualActors)
	}
}
