package task_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func TestTasksAreAllocatedTogether(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	const n = 1000
	allocs := testing.AllocsPerRun(10, func() {
		g := newGroup(t, ctx, s, task.AllCompleted[int]())
		for range n {
			start(t, g, nothing)
		}
		if _, err := g.Join(ctx); err != nil {
			t.Error(err)
		}
	})
	if allocs > n/4 {
		t.Errorf("%d tasks took %v allocations", n, allocs)
	}
}

func TestTasksThatCouldNotStartAreNotKept(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1, MaxQueued: 1, WhenFull: sched.RejectWhenFull})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	began, gate := make(chan struct{}), make(chan struct{})
	start(t, g, func(context.Context) (int, error) { close(began); <-gate; return 1, nil })
	receive(t, ctx, "the task", began)
	start(t, g, returns(2, nil))
	refuses(t, g, sched.ErrFull)
	close(gate)
	var third *task.Task[int]
	patience.Until(t, ctx, func() (ok bool) {
		var err error
		third, err = g.Go(returns(3, nil))
		return err == nil
	})
	if values, err := g.Join(ctx); !slices.Equal(values, []int{1, 2, 3}) || err != nil {
		t.Errorf("%v, %v", values, err)
	}
	if third.Name() == "refused" {
		t.Error("a task has the name of one that was refused")
	}
}

func TestTasksOfAClosedGroupAreNotKept(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	if _, err := g.Join(ctx); err != nil {
		t.Fatal(err)
	}
	refuses(t, g, task.ErrClosed)
}

// refuses checks that Go returns want, again and again, and keeps nothing.
func refuses(t *testing.T, g *task.Group[int], want error) {
	t.Helper()
	before := task.Slots(g)
	for range 1000 {
		if _, err := g.GoNamed("refused", returns(3, nil)); !errors.Is(err, want) {
			t.Fatalf("Go returned %v, want %v", err, want)
		}
	}
	if after := task.Slots(g); after > before+4 {
		t.Errorf("%d tasks are kept, and %d before Go had failed", after, before)
	}
}

// Tasks that several start at a time have a place each.
func TestManyStartTasks(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	const starters, each = 4, 500
	var all sync.WaitGroup
	for i := range starters {
		all.Go(func() {
			for k := range each {
				if _, err := g.Go(returns(i*each+k, nil)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	values, err := g.Join(ctx)
	slices.Sort(values)
	if len(values) != starters*each || err != nil {
		t.Fatalf("%d values, %v", len(values), err)
	}
	for i, v := range values {
		if v != i {
			t.Fatalf("value %d is %d", i, v)
		}
	}
}
