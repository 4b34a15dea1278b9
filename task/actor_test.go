package task_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/task"
)

// spawn starts an actor that calls handle.
func spawn(t testing.TB, handle func(ctx *actor.Context[int]) error) actor.Ref[int] {
	t.Helper()
	leavesNothing(t)
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, sys)
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], _ int) error { return handle(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func TestTasksOfAnActorEndWithIt(t *testing.T) {
	ctx := guarded(t)
	for _, test := range []struct {
		name string
		end  func(ctx *actor.Context[int]) error
	}{
		{"it stops", func(ctx *actor.Context[int]) error { ctx.Stop(); return nil }},
		{"it fails", func(*actor.Context[int]) error { return errBroken }},
		{"it panics", func(*actor.Context[int]) error { panic(errBroken) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			var g *task.Group[int]
			opened, began := make(chan struct{}), make(chan struct{}, 2)
			ref := spawn(t, func(ctx *actor.Context[int]) (err error) {
				if g, err = task.NewGroup(ctx, task.AllCompleted[int]()); err != nil {
					return err
				}
				start(t, g, untilCancelled[int](began))
				start(t, g, func(ctx context.Context) (int, error) {
					began <- struct{}{}
					<-ctx.Done()
					return 0, ctx.Err()
				})
				close(opened)
				<-began
				<-began
				return test.end(ctx)
			})
			if err := ref.Send(ctx, 1); err != nil {
				t.Fatal(err)
			}
			receive(t, ctx, "the group", opened)
			_, err := g.Join(ctx)
			is(t, err, actor.ErrStopped, context.Canceled)
		})
	}
}

func TestAHandlerThatJoinsHoldsNoWorkerAndRunWaitsForItsTasks(t *testing.T) {
	ctx := guarded(t)
	result := make(chan []int, 1)
	ref := spawn(t, func(ctx *actor.Context[int]) error {
		values, err := task.Run(ctx, nil, func(_ context.Context, g *task.Group[int]) error {
			start(t, g, returns(1, nil))
			start(t, g, returns(2, nil))
			return nil
		})
		result <- values
		return err
	})
	if err := ref.Send(ctx, 1); err != nil {
		t.Fatal(err)
	}
	if values := receive(t, ctx, "the result", result); len(values) != 2 {
		t.Errorf("values %v", values)
	}
}

func TestAForcedStopOfTheSystemEndsTasks(t *testing.T) {
	ctx := guarded(t)
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	began, result := make(chan struct{}), make(chan error, 1)
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], _ int) error {
		_, err := task.Run(ctx, nil, func(_ context.Context, g *task.Group[int]) error {
			start(t, g, untilCancelled[int](began))
			return nil
		})
		result <- err
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := ref.Send(ctx, 1); err != nil {
		t.Fatal(err)
	}
	receive(t, ctx, "the task", began)
	if err := sys.Stop(expired()); err == nil {
		t.Error("the stop did not wait")
	}
	is(t, receive(t, ctx, "the handler", result), context.Canceled)
	if err := sys.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// TestAGhostThatWaitsGoesOnToItsEnd stops a system while a handler waits, by means of this
// module, for longer than the stop does. Its deferred calls run all the same.
func TestAGhostThatWaitsGoesOnToItsEnd(t *testing.T) {
	const nap = 300 * time.Millisecond // Longer than a stop waits for ghosts.
	for name, wait := range map[string]func(ctx context.Context) error{
		"with a detached context": func(ctx context.Context) error {
			return task.Sleep(context.WithoutCancel(ctx), nap)
		},
		"with the background": func(context.Context) error {
			return task.Sleep(context.Background(), nap)
		},
		"in a shield": func(ctx context.Context) error {
			return task.Shield(ctx, task.NoLimit, func(ctx context.Context) error { return task.Sleep(ctx, nap) })
		},
	} {
		for _, reentrant := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", reentrant ", reentrant), func(t *testing.T) {
				leavesNothing(t)
				ctx := guarded(t)
				sys, err := actor.NewSystem(actor.Config{Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				began, ended := make(chan struct{}), make(chan error, 1)
				var opts []actor.Option
				if reentrant {
					opts = append(opts, actor.WithReentrancy(actor.FullReentrancy))
				}
				ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], _ int) (err error) {
					defer func() { ended <- err }()
					close(began)
					return wait(ctx)
				}), opts...)
				if err != nil {
					t.Fatal(err)
				}
				if err := ref.Send(ctx, 1); err != nil {
					t.Fatal(err)
				}
				receive(t, ctx, "the handler", began)
				is(t, sys.StopWithin(ctx, 0), actor.ErrForced)
				select {
				case err := <-ended:
					is(t, err, nil)
				case <-ctx.Done():
					t.Fatal("the ghost has never returned")
				}
				is(t, sys.Stop(ctx), nil)
			})
		}
	}
}
