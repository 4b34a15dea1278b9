package router_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

func count(n int) iter.Seq[int] { return slices.Values(upTo(n)) }

// Results come in the order of the tasks, even if these end in the opposite one,
// and each with its own error.
func TestMapKeepsOrder(t *testing.T) {
	sys := newSystem(t, actor.Config{Workers: 4})
	ctx := guarded(t)
	var ended [100]chan struct{}
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	p := newPool(t, sys, router.PoolConfig[int, int]{Workers: 4, Do: func(_ context.Context, n int) (int, error) {
		defer close(ended[n])
		if n%4 != 3 {
			<-ended[n+1] // Of each four the last one ends first.
		}
		if n%10 == 5 {
			return 0, errWanted
		}
		return n * n, nil
	}})
	i := 0
	for sq, err := range p.Map(ctx, count(len(ended))) {
		switch {
		case i%10 == 5:
			wantErr(t, err, errWanted)
		case sq != i*i || err != nil:
			t.Fatalf("result %d is %d, %v", i, sq, err)
		}
		i++
	}
	wantEqual(t, "results", i, len(ended))
}

// Results come as tasks end: the first task waits for the loop to see the others.
func TestMapUnordered(t *testing.T) {
	sys := newSystem(t, actor.Config{Workers: 4})
	ctx := guarded(t)
	others := make(chan struct{})
	p := newPool(t, sys, router.PoolConfig[int, int]{Workers: 4, Do: func(_ context.Context, n int) (int, error) {
		if n == 0 {
			<-others
		}
		return n, nil
	}})
	var got []int
	for n, err := range p.MapUnordered(ctx, count(50)) {
		wantNoErr(t, err)
		if got = append(got, n); len(got) == 49 {
			close(others)
		}
	}
	wantEqual(t, "the last", got[49], 0)
	slices.Sort(got)
	wantEqual(t, "all", got, upTo(50))
}

// taskFault is an error with something to tell.
type taskFault struct{ n int }

func (f *taskFault) Error() string { return "fault" }

// TestMapNamesTheTask has tasks fail that end in another order than they began in. Each
// error says which task it is of.
func TestMapNamesTheTask(t *testing.T) {
	sys := newSystem(t, actor.Config{Workers: 4})
	ctx := guarded(t)
	var ended [40]chan struct{}
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	p := newPool(t, sys, router.PoolConfig[int, int]{Workers: 4, Do: func(_ context.Context, n int) (int, error) {
		n -= 100 // The task is not its index.
		defer func() {
			select {
			case <-ended[n]:
			default:
				close(ended[n])
			}
		}()
		if n%4 != 3 {
			<-ended[n+1] // Of each four the last one ends first.
		}
		switch {
		case n == 30:
			panic(errWanted)
		case n%10 == 5:
			return 0, &taskFault{n}
		}
		return n, nil
	}})
	tasks := func(yield func(int) bool) {
		for n := range ended {
			if !yield(100 + n) {
				return
			}
		}
	}
	for name, seq := range map[string]iter.Seq2[int, error]{"Map": p.Map(ctx, tasks), "MapUnordered": p.MapUnordered(ctx, tasks)} {
		var failed []int
		for _, err := range seq {
			if err == nil {
				continue
			}
			var e *router.TaskError
			if !errors.As(err, &e) {
				t.Fatalf("%s: the error does not name the task: %v", name, err)
			}
			failed = append(failed, e.Index)
			wantEqual(t, "task", e.Task, any(100+e.Index))
			wantEqual(t, "text", err.Error(), fmt.Sprintf("router: task %d: %v", e.Index, e.Err))
			if e.Index == 30 {
				wantErr(t, err, errWanted)
				continue
			}
			var f *taskFault
			if !errors.As(err, &f) || f.n != e.Index {
				t.Errorf("%s: the error of task %d is %v, of task %v", name, e.Index, err, f)
			}
		}
		slices.Sort(failed)
		wantEqual(t, name, failed, []int{5, 15, 25, 30, 35})
	}
}

// A task that was never begun is named too.
func TestMapNamesTheTaskThatWasNotTaken(t *testing.T) {
	p := newPool(t, newSystem(t, actor.Config{}), router.PoolConfig[int, int]{Do: func(_ context.Context, n int) (int, error) { return n, nil }})
	wantNoErr(t, p.Stop(guarded(t)))
	for name, seq := range map[string]iter.Seq2[int, error]{
		"Map": p.Map(guarded(t), slices.Values([]int{7, 8})), "MapUnordered": p.MapUnordered(guarded(t), slices.Values([]int{7, 8})),
	} {
		var tasks []int
		for _, err := range seq {
			wantErr(t, err, actor.ErrStopped)
			var e *router.TaskError
			if !errors.As(err, &e) {
				t.Fatalf("%s: the error does not name the task: %v", name, err)
			}
			tasks = append(tasks, e.Task.(int)-e.Index)
		}
		wantEqual(t, name, tasks, []int{7, 7})
	}
}

// A loop that breaks leaves no task behind; few tasks were read ahead.
func TestMapBreak(t *testing.T) {
	sys := newSystem(t, actor.Config{Workers: 4})
	ctx := guarded(t)
	g := newGate()
	p := newPool(t, sys, router.PoolConfig[int, int]{Workers: 2, Do: func(ctx context.Context, n int) (int, error) {
		if n == 0 {
			return 0, nil
		}
		return 0, g.pass(ctx)
	}})
	read := 0
	tasks := func(yield func(int) bool) {
		for n := range 100 {
			if read++; !yield(n) {
				return
			}
		}
	}
	for _, err := range p.Map(ctx, tasks) {
		wantNoErr(t, err)
		break
	}
	wantEqual(t, "read", read, 4)
	until(t, ctx, func() bool { s := p.Stats(); return s.Running == 0 && s.Waiting[actor.Data] == 0 })
	s := p.Stats()
	wantEqual(t, "done and cancelled", []uint64{s.Done, s.Cancelled, s.Failed}, []uint64{1, 3, 0})
}

// A loop that breaks also takes back the tasks that have not begun, at once. Their
// room is free for others, although the pool is busy.
func TestMapBreakTakesBack(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ctx := guarded(t)
	out := make(chan struct{})
	t.Cleanup(func() { close(out) })
	p := newPool(t, sys, router.PoolConfig[int, int]{Workers: 2, Do: func(_ context.Context, n int) (int, error) {
		if n > 0 {
			<-out // Whatever its context says.
		}
		return n, nil
	}})
	for _, err := range p.Map(ctx, count(4)) {
		wantNoErr(t, err)
		until(t, ctx, func() bool { return p.Stats().Running == 2 })
		break
	}
	wantEqual(t, "waiting", p.Stats().Waiting[actor.Data], 0)
}

// When the context ends, so does the loop, with the cause; also in a pool that
// has stopped.
func TestMapEnds(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	g := newGate()
	p := newPool(t, sys, router.PoolConfig[int, int]{Workers: 2, Do: func(ctx context.Context, n int) (int, error) { return n, g.pass(ctx) }})
	endless := func(yield func(int) bool) {
		for yield(1) {
		}
	}
	ctx, cancel := context.WithCancelCause(guarded(t))
	go func() {
		for g.in.Load() != 2 {
			select {
			case <-ctx.Done():
				return
			default:
			}
		}
		cancel(errWanted)
	}()
	n := 0
	for _, err := range p.Map(ctx, endless) {
		wantErr(t, err, errWanted)
		n++
	}
	wantEqual(t, "results", n, 4)
	n = 0
	for _, err := range p.Map(ctx, endless) {
		wantErr(t, err, errWanted)
		n++
	}
	wantEqual(t, "results", n, 1)
	for _, err := range p.MapUnordered(guarded(t), nil) {
		if err == nil {
			t.Error("a nil sequence is no error")
		}
	}
	close(g.out)
	wantNoErr(t, p.Stop(guarded(t)))
	for _, err := range p.MapUnordered(guarded(t), count(3)) {
		wantErr(t, err, actor.ErrStopped)
	}
}

// A loop inside a task of the same pool does not hold it up.
func TestMapInTask(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ctx := guarded(t)
	var p *router.Pool[int, int]
	p = newPool(t, sys, router.PoolConfig[int, int]{Workers: 1, Capacity: 1, Do: func(ctx context.Context, n int) (int, error) {
		sum := n
		if n >= 10 {
			for v, err := range p.MapUnordered(ctx, count(10)) {
				sum += v
				if err != nil {
					return 0, errors.Join(err, errWanted)
				}
			}
		}
		return sum, nil
	}})
	sum, err := p.Ask(ctx, 10)
	wantEqual(t, "sum", []any{sum, err}, []any{55, nil})
}
