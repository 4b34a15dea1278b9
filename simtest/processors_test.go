package simtest_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/task"
)

// A schedule is the same on every machine: what depends on the number of processors is
// constant in a simulation.
func TestProcessorsDoNotMatter(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first *simtest.Failure
	for _, n := range []int{1, 2, 3, 7} {
		runtime.GOMAXPROCS(n)
		f := find(t, simtest.Config{Schedules: 5}, busyProgram, "the end", "TROUPE_REPLAY")
		if first == nil {
			first = f
		}
		if f.Schedule != first.Schedule || !slices.Equal(f.Trace, first.Trace) {
			t.Errorf("with %d processors: %v\nwith 1: %v", n, f, first)
		}
	}
	if first.Trace == nil {
		t.Error("there is no trace")
	}
}

// busyProgram uses what has as many of something as there are workers: an actor with
// readers, a pool, and a loop in parallel. It fails each time, with what it has seen.
func busyProgram(s *simtest.Sim) {
	sys := s.System(actor.Config{})
	reader, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], _ int) error {
		return task.Sleep(ctx, time.Millisecond)
	}), actor.WithName("reader"), actor.WithReadOnly(func(int) bool { return true }))
	if err != nil {
		s.Fatal(err)
	}
	pool, err := router.NewPool(sys, router.PoolConfig[int, int]{Do: func(ctx context.Context, n int) (int, error) {
		return n, task.Sleep(ctx, time.Millisecond)
	}})
	if err != nil {
		s.Fatal(err)
	}
	for i := range 8 {
		_ = reader.Send(bg, i)
		_ = pool.Send(bg, i)
		s.RunUntilIdle()
	}
	ranges := 0
	_, err = sys.Scheduler().Go(bg, func(ctx context.Context) error {
		return sched.For(ctx, 1000, 0, func(context.Context, int, int) error { ranges++; return nil })
	})
	if err != nil {
		s.Fatal(err)
	}
	s.Advance(time.Second)
	s.Error(fmt.Sprintf("the end after %d ranges, %d workers", ranges, sys.Scheduler().Workers()))
}
