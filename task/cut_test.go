package task_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// uncomparable is an error that can't be compared with another.
type uncomparable struct{ why []error }

func (u uncomparable) Error() string   { return "uncomparable" }
func (u uncomparable) Unwrap() []error { return u.why }

// TestCutTasksKeepTheirErrors cancels groups whose tasks return what they were told in
// every way: each task counts as cancelled, and its result tells the cause, that it was
// cancelled, and what the function itself has returned, again and again.
func TestCutTasksKeepTheirErrors(t *testing.T) {
	own := errors.New("its own")
	ways := []func(told error, ctx context.Context) error{
		func(told error, _ context.Context) error { return told },
		func(_ error, ctx context.Context) error { return ctx.Err() },
		func(told error, _ context.Context) error { return fmt.Errorf("%w: %w", own, told) },
		func(told error, _ context.Context) error { return uncomparable{[]error{own, told}} },
	}
	for _, cause := range []error{nil, errBroken, context.DeadlineExceeded} {
		ctx, s := guarded(t), newScheduler(t, sched.Config{})
		g := newGroup(t, ctx, s, task.AllCompleted[int]())
		var waiting sync.WaitGroup
		var tasks []*task.Task[int]
		for i := range 8 * len(ways) {
			waiting.Add(1)
			tasks = append(tasks, start(t, g, func(ctx context.Context) (int, error) {
				waiting.Done()
				return i, ways[i%len(ways)](task.Sleep(ctx, time.Hour), ctx)
			}))
		}
		waiting.Wait()
		g.Cancel(cause)
		if cause == nil {
			cause = context.Canceled
		}
		_, err := g.Join(ctx)
		is(t, err, cause)
		for i, one := range tasks {
			if st := one.State(); st != sched.JobCancelled {
				t.Errorf("task %d is %v, want cancelled", i, st)
			}
			for range 2 {
				v, err := one.Result()
				is(t, err, cause)
				is(t, err, context.Canceled)
				if v != 0 || i%len(ways) >= 2 != errors.Is(err, own) {
					t.Errorf("task %d: %d, %v", i, v, err)
				}
			}
			_, err := one.Join(ctx)
			is(t, err, cause)
		}
	}
}

// TestCutTasksTakeNoMemory cancels many tasks that sleep.
func TestCutTasksTakeNoMemory(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the checks take memory")
	}
	const n = 2000
	for _, cause := range []error{nil, errBroken} {
		ctx, s := guarded(t), newScheduler(t, sched.Config{})
		g := newGroup(t, ctx, s, task.AllCompleted[int]())
		var waiting sync.WaitGroup
		waiting.Add(n)
		for range n {
			start(t, g, func(ctx context.Context) (int, error) {
				waiting.Done()
				return 0, task.Sleep(ctx, time.Hour)
			})
		}
		waiting.Wait()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		g.Cancel(cause)
		_, err := g.Join(ctx)
		runtime.ReadMemStats(&after)
		is(t, err, context.Canceled)
		if made := after.Mallocs - before.Mallocs; made > n/2 {
			t.Errorf("to cancel %d tasks with the cause %v took %d allocations", n, cause, made)
		}
	}
}
