package workers_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// Work that stops its own scheduler, with whatever context, would wait for itself.
func TestStopFromWithin(t *testing.T) {
	ctx := guarded(t)
	s, err := workers.New(workers.Config{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for name, with := range map[string]func(own context.Context) context.Context{
		"its own": func(own context.Context) context.Context { return own },
		"another": func(context.Context) context.Context { return ctx },
	} {
		s, err := workers.New(workers.Config{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		start(t, ctx, s, func(own context.Context) error {
			if err := s.Stop(with(own)); !errors.Is(err, workers.ErrSelfWait) {
				t.Errorf("stop by a job with %s context: %v", name, err)
			}
			return nil
		})
		if err := s.Stop(ctx); err != nil {
			t.Error(err)
		}
	}
	if err := s.Stop(nil); err == nil { //nolint:staticcheck // That is the question.
		t.Error("a stop with a nil context is no error")
	}
	if s.Stopping() {
		t.Error("a stop that was refused has begun")
	}
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func TestStopWaitsForAcceptedJobs(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	release := occupy(t, ctx, s)
	var ran atomic.Int32
	const n = 100
	for range n {
		start(t, ctx, s, func(ctx context.Context) error {
			// A running job may still submit, since it has to be able to end.
			child, err := s.Go(ctx, func(context.Context) error { ran.Add(1); return nil })
			if err != nil {
				return err
			}
			return child.Wait(ctx)
		})
	}
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(ctx) }()
	eventually(t, ctx, "the stop to begin", s.Stopping)
	if _, err := s.Go(ctx, func(context.Context) error { return nil }); !errors.Is(err, workers.ErrStopped) {
		t.Errorf("a job was accepted after Stop was called: %v", err)
	}
	release()
	if err := receive(t, ctx, "the stop", stopped); err != nil {
		t.Fatal(err)
	}
	if got := ran.Load(); got != n {
		t.Fatalf("Stop returned after %d of %d jobs", got, n)
	}
}

func TestStopMayBeCalledByManyAndAgain(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	j := start(t, ctx, s, func(context.Context) error { return nil })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := s.Stop(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	finish(t, ctx, j)
	if err := s.Stop(expired()); err != nil {
		t.Errorf("a scheduler that has stopped can't be stopped again: %v", err)
	}
}

// TestStopWithSparesAtRest stops a scheduler with many retired spare workers.
func TestStopWithSparesAtRest(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	var releases []func()
	for range 5 {
		releases = append(releases, occupy(t, ctx, s))
	}
	for _, release := range releases {
		release()
	}
	eventually(t, ctx, "all workers to rest", func() bool {
		return inState(s, workers.WorkerIdle, workers.WorkerRetired) == len(s.Stats().Workers)
	})
	if n := len(s.Stats().Workers); n < 5 {
		t.Fatalf("%d workers for 5 that block; the test tests nothing", n)
	}
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestStopGivesUp lets the context of a Stop end while one job blocks and
// others wait, and then has a second Stop succeed.
func TestStopGivesUp(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	begun, gate := make(chan struct{}), make(chan struct{})
	blocked := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil })
	receive(t, ctx, "the job", begun)
	var waiting []*workers.Job
	for p := workers.Critical; p <= workers.Low; p++ {
		waiting = append(waiting, start(t, ctx, s, func(context.Context) error {
			t.Error("a job that was given up ran")
			return nil
		}, workers.WithPriority(p)))
	}
	cause := errors.New("out of patience")
	short, cancel := context.WithCancelCause(ctx)
	cancel(cause)
	err := s.Stop(short)
	if !errors.Is(err, cause) {
		t.Errorf("Stop returned %v, which does not wrap the cause", err)
	}
	checkSays(t, err, "sched: ", "1 jobs left")
	for _, j := range waiting { // They are told at once, not when a worker comes by.
		if err := j.Wait(ctx); !errors.Is(err, workers.ErrStopped) {
			t.Errorf("a job that was given up ended with %v", err)
		}
	}
	if err := s.Stop(short); !errors.Is(err, cause) {
		t.Errorf("the second Stop returned %v while a job blocks", err)
	}
	close(gate)
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	finish(t, ctx, blocked)
}

// TestForcedStopLetsBegunJobsEnd has a stop forced while jobs are suspended,
// have yielded, and have given way to critical work. Their handles must not be
// forgotten, and they end on workers.
func TestForcedStopLetsBegunJobsEnd(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	event := make(chan *workers.Fiber, 1)
	suspended := start(t, ctx, s, func(ctx context.Context) error {
		event <- workers.Current(ctx)
		workers.Current(ctx).Suspend()
		return onFiber(ctx)
	})
	waiter := receive(t, ctx, "the job to suspend", event)
	eventually(t, ctx, "the worker to sleep", func() bool { return inState(s, workers.WorkerIdle) == 1 })
	gate, begun := make(chan struct{}), make(chan struct{})
	yielded := start(t, ctx, s, func(outer context.Context) error {
		preempted, err := s.Go(outer, func(ctx context.Context) error {
			if _, err := s.Go(ctx, func(context.Context) error { close(begun); <-gate; return nil },
				workers.WithPriority(workers.Critical)); err != nil {
				return err
			}
			workers.Current(ctx).Checkpoint()
			return onFiber(ctx)
		})
		if err != nil {
			return err
		}
		workers.Current(outer).Yield(workers.Low)
		if err := onFiber(outer); err != nil {
			return err
		}
		return preempted.Wait(outer)
	})
	receive(t, ctx, "the critical job", begun)
	if err := s.Stop(expired()); err == nil {
		t.Error("Stop returned no error although its context had ended")
	}
	close(gate)
	finish(t, ctx, yielded)
	waiter.Resume(nil, workers.Normal)
	finish(t, ctx, suspended)
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestForcedStopDropsWorkWithoutEnd stops two Runners that call each other.
func TestForcedStopDropsWorkWithoutEnd(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	var x, y *work
	var turns atomic.Int64
	x = newWork(func(f *workers.Fiber, p workers.Priority) { turns.Add(1); f.Submit(&y.Node, p) })
	y = newWork(func(f *workers.Fiber, p workers.Priority) { f.Submit(&x.Node, p) })
	if err := s.Submit(&x.Node, workers.Normal); err != nil {
		t.Fatal(err)
	}
	eventually(t, ctx, "the first turns", func() bool { return turns.Load() > 10 })
	if err := s.Stop(expired()); err == nil {
		t.Error("Stop returned no error although its context had ended")
	}
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestStoppingWorkMayNeedTheOthers has work that runs during a stop submit more
// and block until that is done: no worker may have left before.
func TestStoppingWorkMayNeedTheOthers(t *testing.T) {
	for _, width := range []int{1, 2, 4} {
		ctx := guarded(t)
		s := newScheduler(t, workers.Config{Workers: width})
		begun, gate := make(chan struct{}), make(chan struct{})
		submit(t, s, workers.Normal, func(f *workers.Fiber, p workers.Priority) {
			close(begun)
			<-gate
			done := make(chan struct{})
			f.Submit(&newWork(func(*workers.Fiber, workers.Priority) { close(done) }).Node, p)
			<-done
		})
		receive(t, ctx, "the work", begun)
		stopped := make(chan error, 1)
		go func() { stopped <- s.Stop(ctx) }()
		eventually(t, ctx, "the stop to begin", s.Stopping)
		eventually(t, ctx, "the others to sleep", func() bool {
			return inState(s, workers.WorkerIdle) == width-1
		})
		close(gate)
		if err := receive(t, ctx, "the stop", stopped); err != nil {
			t.Fatalf("%d workers: %v", width, err)
		}
	}
}

// TestWhatSubmitAcceptsRuns has submissions meet a stop at every moment.
func TestWhatSubmitAcceptsRuns(t *testing.T) {
	ctx := guarded(t)
	for round := range 300 {
		s, err := workers.New(workers.Config{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		var accepted, ran atomic.Int64
		var all sync.WaitGroup
		for i := range 2 {
			all.Go(func() {
				for range round % 20 {
					runtime.Gosched()
				}
				for {
					var err error
					if i == 0 {
						err = s.Submit(&newWork(func(*workers.Fiber, workers.Priority) { ran.Add(1) }).Node, workers.Normal)
					} else {
						_, err = s.Go(ctx, func(context.Context) error { ran.Add(1); return nil })
					}
					if err != nil {
						return
					}
					accepted.Add(1)
				}
			})
		}
		if err := s.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		if accepted.Load() != ran.Load() {
			t.Fatalf("round %d: %d accepted, %d ran", round, accepted.Load(), ran.Load())
		}
	}
}

func TestStopInJobEndsWithItsContext(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	j := start(t, ctx, s, func(context.Context) error { return s.Stop(expired()) })
	if err := j.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("Stop inside a job returned %v", err)
	}
}

// TestGoexitDuringStop ends a worker's goroutine while the scheduler stops.
func TestGoexitDuringStop(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	release := occupy(t, ctx, s)
	var jobs []*workers.Job
	for range 5 {
		jobs = append(jobs, start(t, ctx, s, func(context.Context) error { runtime.Goexit(); return nil }))
	}
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(ctx) }()
	eventually(t, ctx, "the stop to begin", s.Stopping)
	release()
	if err := receive(t, ctx, "the stop", stopped); err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if err := j.Wait(ctx); !errors.Is(err, workers.ErrGoexit) {
			t.Errorf("got %v, want ErrGoexit", err)
		}
	}
}

// TestLastJobSettlesTheStop counts a job to its end after all workers have
// fallen asleep, as a submission does that is refused in the last moment.
func TestLastJobSettlesTheStop(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	s.JobBegun()
	s.Worker(0).EnterIdle()
	s.Worker(1).EnterIdle()
	_ = s.Stop(expired())
	if s.Settled() {
		t.Fatal("the workers may leave although a job is left")
	}
	s.JobEnded()
	if !s.Settled() {
		t.Fatal("the workers sleep on although no job is left")
	}
	if !s.Worker(0).Token() || !s.Worker(1).Token() {
		t.Error("the workers were not woken")
	}
}

// abandonedRunner is a Runner that reports that it was abandoned.
type abandonedRunner struct {
	work
	abandoned chan struct{}
}

func (o *abandonedRunner) Abandon() { o.abandoned <- struct{}{} }

// TestForcedStopTellsRunners gives up work that is not a job: in the queues, and
// in the hands of a worker.
func TestForcedStopTellsRunners(t *testing.T) {
	ctx := guarded(t)
	s, err := workers.New(workers.Config{Workers: 1, MaxSpares: -1})
	if err != nil {
		t.Fatal(err)
	}
	release := occupy(t, ctx, s)
	o := &abandonedRunner{abandoned: make(chan struct{}, 3)}
	o.Do = func(*workers.Fiber, workers.Priority) { t.Error("it was run nevertheless") }
	o.Init(o)
	for _, p := range []workers.Priority{workers.Critical, workers.Low} {
		if err := s.Submit(&o.Node, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Stop(expired()); err == nil {
		t.Error("the forced stop returned nil")
	}
	if n := len(o.abandoned); n != 2 {
		t.Errorf("it was told %d times of 2 entries", n)
	}
	release()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}
