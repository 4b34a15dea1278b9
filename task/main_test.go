package task_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	guarded = patience.Context
	expired = patience.Ended
)

var errBroken = errors.New("broken")

// newScheduler returns a scheduler that is stopped at the end of the test. So
// each test checks that no task has outlived what it was started in.
func newScheduler(tb testing.TB, cfg sched.Config) *sched.Scheduler {
	tb.Helper()
	s, err := sched.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	patience.StopAtEnd(tb, s)
	tb.Cleanup(func() {
		for _, left := range task.List(s) {
			tb.Errorf("left behind: %v", left)
		}
	})
	return s
}

// newGroup returns a group of strings or numbers on s.
func newGroup[T any](tb testing.TB, ctx context.Context, s *sched.Scheduler, j task.Joiner[T], opts ...task.Option) *task.Group[T] {
	tb.Helper()
	g, err := task.NewGroup(ctx, j, append(opts, task.On(s))...)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// start starts fn.
func start[T any](tb testing.TB, g *task.Group[T], fn func(ctx context.Context) (T, error)) *task.Task[T] {
	tb.Helper()
	t, err := g.Go(fn)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// returns is a task's function that does as it says.
func returns[T any](value T, err error) func(context.Context) (T, error) {
	return func(context.Context) (T, error) { return value, err }
}

// after returns when gate is closed, whatever its context does.
func after[T any](gate <-chan struct{}, value T, err error) func(context.Context) (T, error) {
	return func(context.Context) (T, error) {
		<-gate
		return value, err
	}
}

// untilCancelled says on began that it has begun, and waits for its end.
func untilCancelled[T any](began chan<- struct{}) func(ctx context.Context) (T, error) {
	return func(ctx context.Context) (none T, err error) {
		if began != nil {
			began <- struct{}{}
		}
		return none, forever(ctx)
	}
}

// forever waits for the end of ctx without holding a worker, and returns the
// context's own error.
func forever(ctx context.Context) error {
	if err := task.Sleep(ctx, 1<<62); err == nil {
		return errors.New("the time is over")
	}
	return ctx.Err()
}

// receive waits for a value of ch, or for its closing.
func receive[T any](tb testing.TB, ctx context.Context, what string, ch <-chan T) (v T) {
	tb.Helper()
	select {
	case v = <-ch:
	case <-ctx.Done():
		tb.Fatalf("waited in vain: %s", what)
	}
	return v
}

// inJob runs fn as a job of s and waits for it.
func inJob(tb testing.TB, ctx context.Context, s *sched.Scheduler, fn func(ctx context.Context) error) {
	tb.Helper()
	j, err := s.Go(ctx, fn)
	if err != nil {
		tb.Fatal(err)
	}
	if err := j.Wait(ctx); err != nil {
		tb.Fatal(err)
	}
}

// is checks that err is all of wants.
func is(tb testing.TB, err error, wants ...error) {
	tb.Helper()
	for _, want := range wants {
		if !errors.Is(err, want) {
			tb.Errorf("the error is %v, want %v", err, want)
		}
	}
}
