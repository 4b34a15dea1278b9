package workers_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/workers"
)

// holdUps are ways to hold a worker without the scheduler's knowledge. Each
// says that it has begun, and ends when end is called.
var holdUps = map[string]func(t *testing.T) (hold, end func()){
	"channel": func(*testing.T) (hold, end func()) {
		gate := make(chan struct{})
		return func() { <-gate }, func() { close(gate) }
	},
	"mutex": func(*testing.T) (hold, end func()) {
		var mu sync.Mutex
		mu.Lock()
		return func() { mu.Lock(); mu.Unlock() }, mu.Unlock //nolint:staticcheck // The section is empty on purpose.
	},
	"pipe": func(t *testing.T) (hold, end func()) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		// Fd puts the pipe into blocking mode, so Read is a system call that blocks.
		_ = r.Fd()
		t.Cleanup(func() { _ = r.Close() })
		return func() { _, _ = r.Read(make([]byte, 1)) }, func() { _ = w.Close() }
	},
	"loop": func(t *testing.T) (hold, end func()) {
		if strings.Contains(os.Getenv("GODEBUG"), "asyncpreemptoff=1") {
			t.Skip("an endless loop can't be preempted")
		}
		var over atomic.Bool
		return func() {
			for !over.Load() { // No call, so no point at which the runtime could ask.
			}
		}, func() { over.Store(true) }
	},
	"nested": func(*testing.T) (hold, end func()) {
		gate := make(chan struct{})
		return func() {
			var all sync.WaitGroup
			all.Go(func() { <-gate })
			all.Wait()
		}, func() { close(gate) }
	},
}

// TestHeldWorkersAreReplaced holds every worker, and then some, in each way;
// the others' work has to go on.
func TestHeldWorkersAreReplaced(t *testing.T) {
	lane.Short(t)
	for name, make := range holdUps {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			s := newScheduler(t, workers.Config{Workers: 2})
			var held []*workers.Job
			var ends []func()
			var begun atomic.Int64
			for range 3 {
				hold, end := make(t)
				ends = append(ends, end)
				held = append(held, start(t, ctx, s, func(context.Context) error {
					begun.Add(1)
					hold()
					return nil
				}))
			}
			eventually(t, ctx, "all to begin, which needs a spare worker", func() bool { return begun.Load() == 3 })
			for range 10 {
				finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
			}
			for _, end := range ends {
				end()
			}
			finish(t, ctx, held...)
			checkAtRest(t, ctx, s)
		})
	}
}

// checkAtRest waits until every worker rests and the accounts agree. A spare may
// have fallen asleep before it noticed that it is one too many.
func checkAtRest(t *testing.T, ctx context.Context, s *workers.Scheduler) {
	t.Helper()
	eventually(t, ctx, "every worker to rest, and to be counted so", func() bool {
		awake, asleep := s.Stats().Awake, s.Sleeping()
		return inState(s, workers.WorkerIdle, workers.WorkerRetired) == len(s.Stats().Workers) &&
			awake == asleep && awake >= s.Workers() && s.Searching() == 0
	})
}

// TestAccountsAfterMuchBlocking blocks at random, so that workers are replaced,
// come back, and retire in every order.
func TestAccountsAfterMuchBlocking(t *testing.T) {
	const jobs = 200
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	gates := make([]chan struct{}, jobs)
	for i := range gates {
		gates[i] = make(chan struct{})
	}
	var handles []*workers.Job
	for i := range jobs {
		handles = append(handles, start(t, ctx, s, func(ctx context.Context) error {
			if i >= 8 {
				close(gates[i-8]) // Releases one that may be blocked.
			}
			workers.Current(ctx).Yield(workers.Normal)
			if i < jobs-8 && i%3 != 0 {
				<-gates[i]
			}
			return nil
		}))
	}
	finish(t, ctx, handles...)
	checkAtRest(t, ctx, s)
	if n := len(s.Stats().Workers); n > 2+jobs {
		t.Errorf("%d workers for %d jobs", n, jobs)
	}
}

// TestReturnedWorkerIsWatchedAgain has a worker come back from a block during its job, queue
// one piece of work and block on that.
func TestReturnedWorkerIsWatchedAgain(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	gate := make(chan struct{})
	j := start(t, ctx, s, func(ctx context.Context) error {
		<-gate
		done := make(chan struct{})
		if _, err := s.Go(ctx, func(context.Context) error { close(done); return nil }); err != nil {
			return err
		}
		<-done
		return nil
	})
	finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil })) // Needs a spare.
	eventually(t, ctx, "the spare to sleep, and the monitor too", func() bool {
		return inState(s, workers.WorkerBlocked) == 1 && inState(s, workers.WorkerIdle) == 1 && s.MonitorAsleep()
	})
	close(gate)
	finish(t, ctx, j)
}

// TestLoneWorkIsNotHidden queues one piece of work and then keeps the worker
// with a job that does nothing but call Checkpoint.
func TestLoneWorkIsNotHidden(t *testing.T) {
	for _, width := range []int{1, 2} {
		ctx := guarded(t)
		s := newScheduler(t, workers.Config{Workers: width})
		finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
			var done atomic.Bool
			if _, err := s.Go(ctx, func(context.Context) error { done.Store(true); return nil }); err != nil {
				return err
			}
			for !done.Load() && ctx.Err() == nil {
				workers.Current(ctx).Checkpoint()
			}
			return ctx.Err()
		}))
	}
}

// TestSleepingMonitorIsRoused blocks workers after everything was asleep.
// TestTheMonitorWatchesWithoutAPauseWhereProcessorsAreKept has endless loops on all
// processors.
func TestTheMonitorWatchesWithoutAPauseWhereProcessorsAreKept(t *testing.T) {
	if strings.Contains(os.Getenv("GODEBUG"), "asyncpreemptoff=1") {
		t.Skip("an endless loop can't be preempted")
	}
	ctx := guarded(t)
	n := runtime.GOMAXPROCS(0)
	s := newScheduler(t, workers.Config{Workers: n})
	var over atomic.Bool
	defer over.Store(true)
	var jobs []*workers.Job
	for range n {
		jobs = append(jobs, start(t, ctx, s, func(context.Context) error {
			for !over.Load() { // No call, so no point at which the runtime could ask.
			}
			return nil
		}))
	}
	for s.Stats().Crowded == 0 {
		// Nobody but the loops runs while this waits. The end of the job rouses the
		// monitor, should it be asleep.
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
	}
	over.Store(true)
	finish(t, ctx, jobs...)
}

func TestSleepingMonitorIsRoused(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	for range 3 {
		eventually(t, ctx, "the monitor to sleep", s.MonitorAsleep)
		release := occupy(t, ctx, s)
		occupy(t, ctx, s)()
		release()
	}
}

func TestSpareLimit(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: 2})
	var releases []func()
	for range 3 {
		releases = append(releases, occupyCommon(t, ctx, s))
	}
	var ran atomic.Bool
	j := start(t, ctx, s, func(context.Context) error { ran.Store(true); return nil })
	eventually(t, ctx, "the limit to be reported", func() bool { return s.Stats().SpareLimitReached > 0 })
	for range 100 {
		runtime.Gosched()
	}
	if n := len(s.Stats().Workers); n != 3 {
		t.Errorf("%d workers, want 1 and 2 spares", n)
	}
	if ran.Load() {
		t.Error("a fourth worker ran the job")
	}
	releases[0]()
	finish(t, ctx, j)
	releases[1]()
	releases[2]()
	checkAtRest(t, ctx, s)
}

// TestSparesAreUsedAgain blocks as often as there are spares, many times over.
func TestSparesAreUsedAgain(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: 3})
	for range 5 {
		var releases []func()
		for range 4 {
			releases = append(releases, occupyCommon(t, ctx, s))
		}
		for _, release := range releases {
			release()
		}
		checkAtRest(t, ctx, s)
	}
	if n := len(s.Stats().Workers); n != 4 {
		t.Errorf("%d workers, want 1 and 3 spares", n)
	}
}

// TestWorkerFallsAsleepWhileItIsReplaced plays both orders in which a worker
// goes to rest and the monitor takes it for blocked.
func TestWorkerFallsAsleepWhileItIsReplaced(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 1})
	w := s.Worker(0)
	w.SetResting(true)
	if !s.Replace(w) || w.Blocked() || len(s.Stats().Workers) != 1 {
		t.Error("a worker that rests was replaced")
	}
	w.SetResting(false)
	w.SetReplaced() // The monitor has just done so.
	s.SetMonitorAsleep()
	if !w.Sleep() || s.Sleeping() != 0 {
		t.Error("the worker went to sleep in a place that it has lost")
	}
	w.SignOfLife()
	if w.Blocked() || s.Awake() != 2 {
		t.Errorf("the worker did not take its place back; %d are awake", s.Awake())
	}
	if s.MonitorAsleep() {
		t.Error("nobody told the monitor")
	}
}

// TestWorkerThatStaysAwakeRousesMonitor lets a worker change its mind about
// sleeping, while the monitor has just seen it asleep.
func TestWorkerThatStaysAwakeRousesMonitor(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 1})
	s.SetMonitorAsleep()
	if err := s.Submit(&newWork(nil).Node, workers.Normal); err != nil {
		t.Fatal(err)
	}
	if !s.Worker(0).Sleep() {
		t.Fatal("the worker left")
	}
	if s.MonitorAsleep() {
		t.Error("the monitor sleeps while the worker does not")
	}
}

// TestHeldWorkIsReplacedOnceOthersWait makes the looks itself, at a worker that
// stands still: first with nothing queued, then with something.
func TestHeldWorkIsReplacedOnceOthersWait(t *testing.T) {
	var clock workers.Clock
	s := workers.NewStill(workers.Config{Workers: 1, MaxSpares: -1})
	s.SetClock(&clock)
	s.Look()
	clock.Advance(s.BlockedAfter())
	s.Look()
	if n := s.Stats().SpareLimitReached; n != 0 {
		t.Errorf("%d spares were wanted though nothing waits", n)
	}
	s.Worker(0).Push(names{}.node("waiting"), workers.Normal) // So that no submitter helps.
	clock.Advance(s.BlockedAfter())
	if s.Look(); s.Stats().SpareLimitReached != 1 {
		t.Errorf("%d spares were wanted for the work that waits, want 1", s.Stats().SpareLimitReached)
	}
}

// TestLimitIsReportedOncePerBlock looks at a blocked worker again and again.
func TestLimitIsReportedOncePerBlock(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 1, MaxSpares: -1})
	for range 10 {
		if s.Replace(s.Worker(0)) {
			t.Fatal("replaced beyond the limit")
		}
	}
	if n := s.Stats().SpareLimitReached; n != 1 {
		t.Errorf("one block was reported %d times", n)
	}
}
