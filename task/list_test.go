package task_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func TestListHasAllTasksThatLive(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	gate := make(chan struct{})
	var want []uint64
	var groups []*task.Group[int]
	for range 300 { // More than one sweep.
		g := newGroup(t, ctx, s, task.AllCompleted[int](), task.Name("many"))
		_, _ = start(t, g, returns(0, nil)).Join(ctx)
		if len(groups)%3 == 0 {
			want = append(want, start(t, g, after(gate, 0, nil)).ID())
		}
		groups = append(groups, g)
	}
	g := groups[1] // It was swept, or may have been; it is entered again.
	want = append(want, start(t, g, after(gate, 0, nil)).ID())
	slices.Sort(want)
	var got []uint64
	for _, info := range task.List(s) {
		got = append(got, info.ID)
		if info.Group != "many" || info.Detached {
			t.Errorf("listed is %+v", info)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d are listed, want %d", len(got), len(want))
	}
	close(gate)
	for _, g := range groups {
		if _, err := g.Join(ctx); err != nil {
			t.Error(err)
		}
	}
	if list := task.List(s); len(list) != 0 {
		t.Errorf("%d are listed after their end", len(list))
	}
}

// Queued are those that wait for a place of their group, not for a worker.
func TestQueuedAreThoseThatWaitForAPlace(t *testing.T) {
	for name, test := range map[string]struct {
		opts []task.Option
		want int
	}{"no limit": {nil, 0}, "limit": {[]task.Option{task.Limit(2)}, 2}} {
		t.Run(name, func(t *testing.T) {
			ctx, s := guarded(t), newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
			g := newGroup(t, ctx, s, task.AllCompleted[int](), test.opts...)
			began, gate := make(chan struct{}), make(chan struct{})
			start(t, g, func(context.Context) (int, error) {
				close(began)
				<-gate
				return 0, nil
			})
			receive(t, ctx, "the task that has the worker", began)
			for range 3 {
				start(t, g, returns(0, nil))
			}
			_, err := g.Join(expired())
			var unfinished *task.UnfinishedError
			if !errors.As(err, &unfinished) {
				t.Fatalf("Join returned %v", err)
			}
			for _, infos := range [][]task.Info{task.List(s), unfinished.Tasks} {
				queued := 0
				for _, info := range infos {
					if info.Queued {
						queued++
					}
				}
				if len(infos) != 4 || queued != test.want {
					t.Errorf("%d of %d are queued, want %d of 4", queued, len(infos), test.want)
				}
			}
			close(gate)
			_, err = g.Join(ctx)
			is(t, err, nil)
		})
	}
}

// A list of many tasks holds nobody up for long: others get their turn, and the
// locks, after each part of it.
func TestListGivesWay(t *testing.T) {
	const n, atOnce = 3000, 256 + 64 // A slab more.
	for name, opts := range map[string][]task.Option{"kept": nil, "discarded": {task.Discard()}, "detached": {task.AsDetached}} {
		t.Run(name, func(t *testing.T) {
			ctx, s := guarded(t), newScheduler(t, sched.Config{})
			gate := make(chan struct{})
			g := newGroup(t, ctx, s, task.AllCompleted[int](), append(opts, task.Limit(1))...)
			var all []*task.Task[int]
			for range n {
				one := start(t, g, after(gate, 0, nil))
				if all = append(all, one); name == "detached" {
					one.Detach()
				}
			}
			var infos []task.Info
			turns := turnsDuring(func() { task.Touch(s, g) }, func() { infos = task.List(s) })
			if len(infos) != n || turns < n/atOnce-1 {
				t.Errorf("%d tasks are listed, and others had %d turns, want %d and %d", len(infos), turns, n, n/atOnce)
			}
			g.Cancel(context.Canceled)
			close(gate)
			for _, one := range infos {
				if one.Detached != (name == "detached") {
					t.Fatalf("listed is %+v", one)
				}
			}
			_, _ = g.Join(ctx)
			for _, one := range all {
				_, _ = one.Join(ctx)
			}
		})
	}
}

// turnsDuring returns how often somebody else had the only processor, and what
// touch takes, while look was at work.
func turnsDuring(touch, look func()) int64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var n atomic.Int64
	var over atomic.Bool
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for !over.Load() {
			touch()
			n.Add(1)
			runtime.Gosched()
		}
	}()
	for n.Load() == 0 {
		runtime.Gosched()
	}
	before := n.Load()
	look()
	had := n.Load() - before
	over.Store(true)
	<-gone
	return had
}

// A list that is made while tasks come, end and are let go has each that lives all
// the while, and none twice.
func TestListWhileTasksComeAndGo(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int](), task.Discard())
	sleep := func(ctx context.Context) (int, error) { return 0, task.Sleep(ctx, time.Hour) }
	var stay []uint64
	var all []*task.Task[int]
	for range 300 {
		start(t, g, returns(0, nil))
		one := start(t, g, sleep)
		all = append(all, one)
		stay = append(stay, one.ID())
		if len(stay)%3 == 0 {
			one.Detach()
		}
	}
	var over atomic.Bool
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for !over.Load() {
			if one, err := g.Go(returns(0, nil)); err != nil || one == nil {
				return
			} else if _, err := one.Join(ctx); err != nil {
				return
			}
		}
	}()
	for range 10 {
		var ids []uint64
		for _, info := range task.List(s) {
			ids = append(ids, info.ID)
		}
		if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Fatal("a task is listed twice, or out of order")
		}
		for _, id := range stay {
			if _, ok := slices.BinarySearch(ids, id); !ok {
				t.Fatalf("task %d is not listed", id)
			}
		}
	}
	over.Store(true)
	<-gone
	for _, one := range all {
		one.Cancel(context.Canceled)
		_, _ = one.Join(ctx)
	}
	_, _ = g.Join(ctx)
}
