package task_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// owner is an actor that calls open for its first message, and then ends as how
// says. It tells on stopped of its Stopped hook.
type owner struct {
	open    func(ctx *actor.Context[how]) error
	stopped chan struct{}
}

type how uint8

const (
	opening how = iota
	stops
	failing
)

func (o owner) Receive(ctx *actor.Context[how], m how) error {
	switch m {
	case opening:
		return o.open(ctx)
	case stops:
		ctx.Stop()
	case failing:
		return errBroken
	}
	return nil
}

func (o owner) Stopped(*actor.Context[how], error) { o.stopped <- struct{}{} }

// own spawns an owner, and returns when it has opened what it is to open.
func own(t testing.TB, open func(ctx *actor.Context[how]) error) (actor.Ref[how], chan struct{}) {
	t.Helper()
	ctx := guarded(t)
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, sys)
	opened := make(chan struct{})
	o := owner{stopped: make(chan struct{}, 1), open: func(ctx *actor.Context[how]) error {
		defer close(opened)
		return open(ctx)
	}}
	ref, err := actor.Spawn(sys, o)
	if err != nil {
		t.Fatal(err)
	}
	tell(t, ref, opening)
	receive(t, ctx, "the group", opened)
	return ref, o.stopped
}

func tell(t testing.TB, ref actor.Ref[how], m how) {
	t.Helper()
	if err := ref.Send(guarded(t), m); err != nil {
		t.Fatal(err)
	}
}

// startStubborn starts a task that tells that it was cancelled, and ends when gate is
// closed.
func startStubborn(t testing.TB, ctx context.Context, told chan<- error, gate <-chan struct{}) *task.Group[int] {
	t.Helper()
	g, err := task.NewGroup(ctx, task.AllCompleted[int]())
	if err != nil {
		t.Fatal(err)
	}
	began := make(chan struct{})
	start(t, g, func(ctx context.Context) (int, error) {
		close(began)
		_ = forever(ctx)
		told <- context.Cause(ctx)
		<-gate
		return 0, nil
	})
	<-began
	return g
}

func TestTheEndOfAnActorWaitsForItsTasks(t *testing.T) {
	for name, end := range map[string]how{"it stops": stops, "it fails": failing} {
		t.Run(name, func(t *testing.T) {
			ctx, told, gate := guarded(t), make(chan error, 2), make(chan struct{})
			ref, stopped := own(t, func(ctx *actor.Context[how]) error {
				startStubborn(t, ctx, told, gate)
				startStubborn(t, ctx, told, gate)
				return nil
			})
			tell(t, ref, end)
			is(t, receive(t, ctx, "the first cancellation", told), actor.ErrStopped)
			is(t, receive(t, ctx, "the second cancellation", told), actor.ErrStopped)
			if err := ref.Stop(expired()); err == nil {
				t.Error("the actor has stopped before its tasks")
			}
			select {
			case <-stopped:
				t.Error("the Stopped hook has run before the tasks ended")
			default:
			}
			close(gate)
			receive(t, ctx, "the Stopped hook", stopped)
			receive(t, ctx, "the end", ref.Done())
		})
	}
}

func TestTheEndOfAnActorWaitsForTheGroupsOfItsTasks(t *testing.T) {
	ctx, told, gate := guarded(t), make(chan error, 1), make(chan struct{})
	ref, stopped := own(t, func(ctx *actor.Context[how]) error {
		g, err := task.NewGroup[int](ctx, nil) // A Run would wait for the group of its task.
		if err != nil {
			return err
		}
		start(t, g, func(ctx context.Context) (int, error) {
			startStubborn(t, ctx, told, gate) // Which nobody joins.
			return 0, nil
		})
		_, err = g.Join(ctx)
		return err
	})
	tell(t, ref, stops)
	is(t, receive(t, ctx, "the end of the task around", told), context.Canceled)
	select {
	case <-stopped:
		t.Error("the actor has ended before its tasks")
	default:
	}
	close(gate)
	receive(t, ctx, "the end", ref.Done())
}

func TestAKillDoesNotWaitForTasks(t *testing.T) {
	for name, before := range map[string]bool{"at once": false, "while it waits for them": true} {
		t.Run(name, func(t *testing.T) {
			ctx, told, gate := guarded(t), make(chan error, 1), make(chan struct{})
			defer close(gate)
			ref, _ := own(t, func(ctx *actor.Context[how]) error {
				startStubborn(t, ctx, told, gate)
				return nil
			})
			if before {
				tell(t, ref, stops)
				is(t, receive(t, ctx, "the cancellation", told), actor.ErrStopped)
			}
			if err := ref.Kill(); err != nil {
				t.Fatal(err)
			}
			receive(t, ctx, "the end", ref.Done())
			if !before {
				is(t, receive(t, ctx, "the cancellation", told), actor.ErrKilled)
			}
		})
	}
}

// lastKept is kept after all others, and so told of the end after them.
type lastKept struct {
	by   workers.Keeper
	told chan struct{}
}

func (k *lastKept) KeeperEnds(error) {
	close(k.told)
	k.by.LetGo(nil, k)
}

func TestTheEndOfAnActorWaitsForAShieldAndDoesNotBreakIt(t *testing.T) {
	ctx, gate, began := guarded(t), make(chan struct{}), make(chan struct{})
	inside, told := make(chan error, 1), make(chan struct{})
	ref, stopped := own(t, func(ctx *actor.Context[how]) error {
		g, err := task.NewGroup(ctx, task.AllCompleted[int]())
		if err != nil {
			return err
		}
		start(t, g, func(ctx context.Context) (int, error) {
			return 0, task.Shield(ctx, task.NoLimit, func(ctx context.Context) error {
				_, err := task.Run(ctx, nil, func(_ context.Context, g *task.Group[int]) error {
					start(t, g, func(ctx context.Context) (int, error) {
						close(began)
						<-gate
						inside <- task.Checkpoint(ctx)
						return 0, nil
					})
					return nil
				})
				return err
			})
		})
		<-began
		if !ctx.Keep(&lastKept{by: ctx, told: told}) {
			t.Error("the actor keeps nothing")
		}
		return nil
	})
	if err := ref.Stop(expired()); err == nil {
		t.Error("the actor has stopped before the shield was left")
	}
	receive(t, ctx, "the telling of all groups", told)
	select {
	case <-stopped:
		t.Error("the actor has ended before its shield was left")
	default:
	}
	close(gate)
	if err := receive(t, ctx, "the shielded task", inside); err != nil {
		t.Errorf("the shield has let through: %v", err)
	}
	receive(t, ctx, "the end", ref.Done())
}

func TestTheEndOfAnActorDoesNotWaitForWhatWasDetached(t *testing.T) {
	ctx, gate := guarded(t), make(chan struct{})
	defer close(gate)
	below := make(chan struct{})
	ref, _ := own(t, func(ctx *actor.Context[how]) error {
		g, err := task.NewGroup(ctx, task.AllCompleted[int]())
		if err != nil {
			return err
		}
		if !start(t, g, after(gate, 0, nil)).Detach() {
			t.Error("not detached")
		}
		_, err = task.Detach(ctx, func(ctx context.Context) (int, error) {
			g, err := task.NewGroup(ctx, task.AllCompleted[int]())
			if err != nil {
				return 0, err
			}
			start(t, g, after(gate, 0, nil))
			close(below)
			return 0, g.Wait()
		})
		<-below
		return err
	})
	tell(t, ref, stops)
	receive(t, ctx, "the end", ref.Done())
}

// A task that is detached by its start may have begun before that is known of it: no
// keeper is to be found from there, also then.
func TestNoKeeperAboveATaskThatIsAboutToBeDetached(t *testing.T) {
	ctx := guarded(t)
	keepers := make(chan any, 1)
	ref, _ := own(t, func(ctx *actor.Context[how]) error {
		g, err := task.NewGroup(ctx, task.AllCompleted[int](), task.AsDetached)
		if err != nil {
			return err
		}
		start(t, g, func(ctx context.Context) (int, error) {
			keepers <- ctx.Value(workers.KeeperKey{})
			return 0, nil
		})
		return nil
	})
	if k := receive(t, ctx, "the task", keepers); k != nil {
		t.Errorf("the keeper is %v", k)
	}
	tell(t, ref, stops)
	receive(t, ctx, "the end", ref.Done())
}

// restarter restarts its child when that has failed, and tells when.
type restarter struct{ held chan<- struct{} }

func (restarter) Receive(*actor.Context[int], int) error { return nil }
func (r restarter) ChildExited(ctx *actor.Context[int], e actor.Exit) error {
	if !e.Held {
		return nil
	}
	r.held <- struct{}{}
	return ctx.Restart(e.PID)
}

type spawning struct {
	restarter
	spawn func(ctx *actor.Context[int]) error
}

func (s spawning) Started(ctx *actor.Context[int]) error { return s.spawn(ctx) }

func TestARestartWaitsForTheTasksOfTheIncarnation(t *testing.T) {
	ctx, told, gate := guarded(t), make(chan error, 1), make(chan struct{})
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, sys)
	held, stopped, child := make(chan struct{}, 1), make(chan struct{}, 2), make(chan actor.Ref[how], 1)
	parent := spawning{restarter{held}, func(ctx *actor.Context[int]) error {
		ref, err := actor.SpawnNew(ctx, func() actor.Actor[how] {
			return owner{stopped: stopped, open: func(ctx *actor.Context[how]) error {
				startStubborn(t, ctx, told, gate)
				return errBroken
			}}
		})
		child <- ref
		return err
	}}
	if _, err := actor.Spawn(sys, parent); err != nil {
		t.Fatal(err)
	}
	ref := receive(t, ctx, "the child", child)
	tell(t, ref, opening)
	is(t, receive(t, ctx, "the cancellation", told), actor.ErrStopped)
	select {
	case <-held:
		t.Error("the actor is held before its tasks have ended")
	case <-stopped:
		t.Error("the Stopped hook has run before the tasks ended")
	default:
	}
	close(gate)
	receive(t, ctx, "the Stopped hook", stopped)
	receive(t, ctx, "the parent", held)
}

func TestAnActorWhoseTasksHaveEndedStopsAtOnce(t *testing.T) {
	leavesNothing(t)
	simulated.Too(t, testAnActorWhoseTasksHaveEndedStopsAtOnce)
}

func testAnActorWhoseTasksHaveEndedStopsAtOnce(t testing.TB) {
	ctx := guarded(t)
	var tasks []*task.Task[int]
	ref, _ := own(t, func(ctx *actor.Context[how]) error {
		for range 3 {
			g, err := task.NewGroup(ctx, task.AllCompleted[int]())
			if err != nil {
				return err
			}
			for range 3 {
				one := start(t, g, returns(1, nil))
				tasks = append(tasks, one)
				if _, err := one.Join(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	})
	tell(t, ref, stops)
	receive(t, ctx, "the end", ref.Done())
	for _, one := range tasks {
		if one.State() != sched.JobCompleted {
			t.Errorf("%v", one.State())
		}
	}
}

// lateContext is a context that reports its end late: only Err shows it.
type lateContext struct {
	context.Context
	ended *atomic.Bool
}

func (c lateContext) Err() error {
	if c.ended.Load() {
		return context.Canceled
	}
	return c.Context.Err()
}

func (c lateContext) AfterFunc(func()) func() bool { return func() bool { return true } }

func TestTheEndOfAnActorIsNotTheCauseIfTheGroupHadAnother(t *testing.T) {
	ctx, told, gate, ended := guarded(t), make(chan error, 1), make(chan struct{}), &atomic.Bool{}
	ref, _ := own(t, func(ctx *actor.Context[how]) error {
		startStubborn(t, lateContext{ctx, ended}, told, gate)
		return nil
	})
	ended.Store(true)
	tell(t, ref, stops)
	if cause := receive(t, ctx, "the cancellation", told); !errors.Is(cause, context.Canceled) || errors.Is(cause, actor.ErrStopped) {
		t.Errorf("the cause is %v, want that of the context around the group", cause)
	}
	close(gate)
	receive(t, ctx, "the end", ref.Done())
}
