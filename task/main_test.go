package task_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func TestMain(m *testing.M) { leak.Main(m) }

var expired = patience.Ended

// checked are the tests that leavesNothing looks after.
var checked sync.Map

// leavesNothing checks at the end of the test, when everything was stopped, that
// neither a goroutine of the test nor a fiber's goroutine is left. Each test calls it
// first, mostly by guarded or newScheduler; later calls do nothing. A simulation ends within the test around it, which is looked after.
func leavesNothing(tb testing.TB) {
	tb.Helper()
	if _, simulated := tb.(interface{ RunUntilIdle() }); simulated {
		return
	}
	if _, twice := checked.LoadOrStore(tb.Name(), true); twice {
		return
	}
	tb.Cleanup(func() { checked.Delete(tb.Name()) })
	leak.Check(tb)
}

// guarded returns a context that ends a test that hangs.
func guarded(tb testing.TB) context.Context {
	tb.Helper()
	leavesNothing(tb)
	return patience.Context(tb)
}

var errBroken = errors.New("broken")

// newScheduler returns a scheduler that is stopped at the end of the test. Before
// that it has no task left, so each test checks that none has outlived what it was
// started in.
func newScheduler(tb testing.TB, cfg sched.Config) *sched.Scheduler {
	tb.Helper()
	leavesNothing(tb)
	s, err := sched.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { // After the stop.
		if n := task.Kept(s); n != 0 {
			tb.Errorf("%d detached tasks are kept", n)
		}
	})
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

// leaky is a test that is seen to fail.
type leaky struct {
	*testing.T
	atEnd  []func()
	failed bool
}

func (l *leaky) Name() string          { return l.T.Name() + "/leaky" }
func (l *leaky) Cleanup(f func())      { l.atEnd = append(l.atEnd, f) }
func (l *leaky) Error(...any)          { l.failed = true }
func (l *leaky) Errorf(string, ...any) { l.failed = true }

func (l *leaky) end() {
	for i := len(l.atEnd) - 1; i >= 0; i-- {
		l.atEnd[i]()
	}
}

func TestATestThatLeavesSomethingFails(t *testing.T) {
	lane.Check(t)
	ctx, l, gate := guarded(t), &leaky{T: t}, make(chan struct{})
	s := newScheduler(l, sched.Config{})
	g := newGroup(l, ctx, s, task.AllCompleted[int]())
	late := start(l, g, after(gate, 0, nil))
	list := l.atEnd[len(l.atEnd)-1]
	if list(); !l.failed {
		t.Error("a task was left behind, and the test passes")
	}
	close(gate)
	if _, err := late.Join(ctx); err != nil {
		t.Error(err)
	}
	l.failed = false
	if l.end(); l.failed {
		t.Error("nothing was left behind, and the test fails")
	}

	l.atEnd = nil
	leavesNothing(l)
	gate = make(chan struct{})
	go func() { <-gate }()
	if l.end(); !l.failed {
		t.Error("a goroutine was left behind, and the test passes")
	}
	close(gate)
}
