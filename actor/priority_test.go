package actor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// urgency returns the priority with which the handler's fiber runs.
func urgency(ctx context.Context) sched.Priority {
	f := workers.Current(ctx)
	p := f.SetPriority(workers.Normal)
	f.SetPriority(p)
	return p
}

// Actors of three classes have a message each, queued from the least to the most urgent.
func TestPriorityOrdersActors(t *testing.T) {
	for _, outside := range []bool{false, true} {
		ctx := guarded(t)
		sys := oneWorker(t)
		var order []sched.Priority // All handlers run on one worker.
		var refs []actor.Ref[int]
		for _, p := range []sched.Priority{sched.Low, sched.Normal, sched.High} {
			refs = append(refs, spawn(t, sys, func(ctx *actor.Context[int], _ int) error {
				order = append(order, urgency(ctx))
				return nil
			}, actor.WithPriority(p)))
		}
		sent := make(chan struct{})
		holder := spawn(t, sys, func(ctx *actor.Context[int], _ int) error {
			if outside {
				<-sent
				return nil
			}
			return sendAll(ctx, refs)
		})
		send(t, ctx, holder, 0)
		if outside {
			wantNoErr(t, sendAll(ctx, refs))
			close(sent)
		}
		for _, ref := range append([]actor.Ref[int]{holder}, refs...) {
			wantNoErr(t, ref.Drain(ctx))
		}
		if want := []sched.Priority{sched.High, sched.Normal, sched.Low}; !slices.Equal(order, want) {
			t.Errorf("outside %v: handled in the order %v, want %v", outside, order, want)
		}
	}
}

func sendAll(ctx context.Context, refs []actor.Ref[int]) error {
	for _, ref := range refs {
		if err := ref.Send(ctx, 1); err != nil {
			return err
		}
	}
	return nil
}

// A handler has the priority of its lane from its first step to its last, waits included.
func TestPriorityOfLanes(t *testing.T) {
	for _, own := range []sched.Priority{sched.High, sched.Normal, sched.Low} {
		for lane, want := range map[actor.Lane]sched.Priority{
			actor.Data: own, actor.Management: own, actor.Control: sched.Critical,
		} {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{Workers: 2})
			elsewhere := spawn(t, sys, answer)
			got := make(chan sched.Priority, 4)
			handle := func(ctx context.Context, q question) error {
				got <- urgency(ctx)
				if _, err := actor.Ask(ctx, elsewhere, asking(1)); err != nil {
					return err
				}
				got <- urgency(ctx)
				return q.reply.Send(ctx, 1)
			}
			process := spawnProcess(t, sys, func(p *actor.Process[question]) error {
				q, err := p.Receive(p.Context())
				if err != nil {
					return err
				}
				return handle(p.Context(), q)
			}, actor.WithPriority(own))
			one := spawn(t, sys, func(ctx *actor.Context[question], q question) error { return handle(ctx, q) }, actor.WithPriority(own))
			for kind, ref := range map[string]actor.Ref[question]{"actor": one, "process": process} {
				ask(t, ctx, ref.On(lane))
				for _, when := range []string{"at first", "after a wait"} {
					if p := receive(t, ctx, got); p != want {
						t.Errorf("%s of priority %v, message on %v: %s it ran with %v, want %v", kind, own, lane, when, p, want)
					}
				}
			}
		}
	}
}

// Two actors of the class Normal keep the only worker busy until an actor of the class Low
// has handled its message.
func TestLowPriorityDoesNotStarve(t *testing.T) {
	ctx := guarded(t)
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1, AgeAfter: time.Millisecond})
	wantNoErr(t, err)
	t.Cleanup(func() { wantNoErr(t, s.Stop(guarded(t))) })
	sys := newSystem(t, actor.Config{Scheduler: s})
	over := false // All handlers run on one worker.
	var busy [2]actor.Ref[int]
	for i := range busy {
		busy[i] = spawn(t, sys, func(ctx *actor.Context[int], n int) error {
			if over {
				return nil
			}
			return busy[1-i].Send(ctx, n+1)
		})
	}
	low := spawn(t, sys, func(*actor.Context[int], int) error { over = true; return nil }, actor.WithPriority(sched.Low))
	start := spawn(t, sys, func(ctx *actor.Context[int], _ int) error {
		return errors.Join(busy[0].Send(ctx, 0), busy[1].Send(ctx, 0), low.Send(ctx, 0))
	})
	send(t, ctx, start, 0)
	for _, ref := range []actor.Ref[int]{start, low, busy[0], busy[1]} {
		wantNoErr(t, ref.Drain(ctx))
	}
	if !over {
		t.Error("the actor of the class Low has handled nothing")
	}
}

func TestPriorityInInfo(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1})
	ref := spawn(t, sys, func(*actor.Context[int], int) error { return nil }, actor.WithPriority(sched.High))
	if info, err := sys.Info(ref.PID()); err != nil || info.Priority != sched.High {
		t.Errorf("Info has the priority %v (%v), want High", info.Priority, err)
	}
	wantNoErr(t, ref.Drain(ctx))
}

func TestPriorityErrors(t *testing.T) {
	sys := newSystem(t, actor.Config{Workers: 1})
	for want, opts := range map[string][]actor.Option{
		"priority critical; use High, Normal or Low": {actor.WithPriority(sched.Critical)},
		"priority Priority(9)":                       {actor.WithPriority(9)},
		"leave out its backend, or WithPriority":     {actor.WithPriority(sched.Low), actor.WithBackend(actor.OnOwnThread)},
	} {
		_, err := actor.Spawn(sys, actor.Func[int](func(*actor.Context[int], int) error { return nil }), opts...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one that says %q", err, want)
		}
	}
	spawn(t, sys, func(*actor.Context[int], int) error { return nil }, actor.WithPriority(sched.Normal), actor.WithBackend(actor.OnOwnThread))
}
