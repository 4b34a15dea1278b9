package workers_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

const age = 5 * time.Second

// newAgeing returns a still scheduler of one worker, and a function that lets
// time pass for it, with as many looks of the monitor as there would be.
func newAgeing(t *testing.T, cfg workers.Config) (s *workers.Scheduler, pass func(time.Duration)) {
	t.Helper()
	var clock workers.Clock
	cfg.Workers, cfg.MaxSpares = 1, -1
	s = workers.NewStill(cfg)
	s.SetClock(&clock)
	return s, func(d time.Duration) {
		const step = 100 * time.Millisecond
		for ; d > 0; d -= step {
			clock.Advance(min(d, step))
			s.Look()
		}
	}
}

// queued submits a node to the shared queue, or to the worker's own queue.
func queued(t *testing.T, s *workers.Scheduler, own bool, p workers.Priority) *work {
	t.Helper()
	x := newWork(func(*workers.Fiber, workers.Priority) {})
	if own {
		s.Worker(0).Push(&x.Node, p)
	} else if err := s.Submit(&x.Node, p); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestWorkRisesWithAge lets low work wait, and sees it rise one priority at a
// time.
func TestWorkRisesWithAge(t *testing.T) {
	for name, own := range map[string]bool{"shared queue": false, "queue of a worker": true} {
		t.Run(name, func(t *testing.T) {
			s, pass := newAgeing(t, workers.Config{})
			pass(time.Minute) // The time before counts for nothing.
			for range 100 {
				queued(t, s, own && workers.LocalCapacity > 100, workers.Low)
			}
			const step = age / 50
			for p := workers.Low; p > workers.Critical; p-- {
				var waited time.Duration
				for s.Stats().Queued[p] == 100 && waited < time.Hour {
					pass(step)
					waited += step
				}
				if waited < age || waited > age+age/8+step {
					t.Errorf("%v work has risen after %v", p, waited)
				}
				if n := s.Stats().Queued[p-1]; n != 100 {
					t.Fatalf("%d of 100 have risen from %v", n, p)
				}
			}
			if pass(4 * age); s.Stats().Aged != 300 {
				t.Errorf("%d rises, want 300", s.Stats().Aged)
			}
		})
	}
}

// TestOnlyOldWorkRises queues more while the first has waited for some time.
func TestOnlyOldWorkRises(t *testing.T) {
	s, pass := newAgeing(t, workers.Config{})
	for i, own := range []bool{false, true} {
		queued(t, s, own, workers.Normal)
		pass(age / 2)
		queued(t, s, own, workers.Normal)
		pass(age/2 + age/8)
		if got, want := s.Stats().Queued, [4]int{workers.High: 1, workers.Normal: 1}; got != want {
			t.Fatalf("round %d: queued is %v, want %v", i, got, want)
		}
		for n, _ := s.Worker(0).Poll(); n != nil; n, _ = s.Worker(0).Poll() {
		}
	}
	if n := s.Stats().Aged; n != 2 {
		t.Errorf("%d rises, want 2", n)
	}
}

// TestQueueThatMovesDoesNotAge keeps a queue at the same length while everything
// in it is new.
func TestQueueThatMovesDoesNotAge(t *testing.T) {
	s, pass := newAgeing(t, workers.Config{})
	queued(t, s, false, workers.Normal)
	queued(t, s, true, workers.Low)
	for range 100 {
		queued(t, s, false, workers.Normal)
		queued(t, s, true, workers.Low)
		s.Worker(0).TakeFrom(workers.Low)
		s.TakeShared(workers.Normal)
		pass(age / 4)
	}
	if n := s.Stats().Aged; n != 0 {
		t.Errorf("%d rises of work that has not waited", n)
	}
}

// TestRisenWorkStaysWhatItWas takes work that has risen. Its runner is told the
// priority of its submission: actors rely on it.
func TestRisenWorkStaysWhatItWas(t *testing.T) {
	s, pass := newAgeing(t, workers.Config{})
	told := workers.Critical
	x := newWork(func(_ *workers.Fiber, p workers.Priority) { told = p })
	if err := s.Submit(&x.Node, workers.Low); err != nil {
		t.Fatal(err)
	}
	pass(4 * age)
	n, p := s.Worker(0).Poll()
	if p != workers.Critical {
		t.Errorf("taken as %v, want critical", p)
	}
	if s.RunOn(n, p); told != workers.Low {
		t.Errorf("it runs as %v, want low", told)
	}
}

// TestInterruptedWorkRises keeps work that gave way to critical work from going
// on.
func TestInterruptedWorkRises(t *testing.T) {
	s, pass := newAgeing(t, workers.Config{})
	s.Worker(0).PushNext(&newWork(nil).Node)
	if pass(age + age/8); s.Stats().Queued[workers.Critical] != 1 {
		t.Errorf("queued is %v, want one critical", s.Stats().Queued)
	}
}

func TestAgeingSwitchedOff(t *testing.T) {
	s, pass := newAgeing(t, workers.Config{AgeAfter: -1})
	queued(t, s, false, workers.Low)
	queued(t, s, true, workers.Low)
	if pass(time.Hour); s.Stats().Queued[workers.Low] != 2 {
		t.Errorf("queued is %v, want two low", s.Stats().Queued)
	}
}

// TestNobodyStarves keeps one worker busy with work that submits itself again,
// and waits for less urgent work to be done nevertheless.
func TestNobodyStarves(t *testing.T) {
	for _, stream := range []workers.Priority{workers.Critical, workers.High} {
		t.Run(stream.String(), func(t *testing.T) {
			ctx := guarded(t)
			s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, AgeAfter: 20 * time.Millisecond})
			var over atomic.Bool
			defer over.Store(true)
			var flow func(f *workers.Fiber, p workers.Priority)
			flow = func(f *workers.Fiber, p workers.Priority) {
				if !over.Load() {
					f.Submit(&newWork(flow).Node, p)
				}
			}
			submit(t, s, stream, flow)
			submit(t, s, stream, flow)
			own := make(chan *workers.Job, 1)
			nop := func(context.Context) error { return nil }
			finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
				j, err := s.Go(ctx, nop, workers.WithPriority(workers.Low))
				own <- j
				return err
			}, workers.WithPriority(workers.Critical)))
			finish(t, ctx, start(t, ctx, s, nop, workers.WithPriority(workers.Low)), <-own)
		})
	}
}

// TestStopWaitsForRisingWork stops a scheduler whose only work has risen, and
// would be lost if the workers left while it did.
func TestStopWaitsForRisingWork(t *testing.T) {
	ctx := guarded(t)
	s, err := workers.New(workers.Config{Workers: 2, MaxSpares: -1, AgeAfter: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	first, second := occupy(t, ctx, s), occupy(t, ctx, s)
	var ran atomic.Int64
	for range 1000 {
		submit(t, s, workers.Low, func(*workers.Fiber, workers.Priority) { ran.Add(1) })
	}
	eventually(t, ctx, "work to rise", func() bool { return s.Stats().Aged > 0 })
	first()
	second()
	if err := s.Stop(ctx); err != nil || ran.Load() != 1000 {
		t.Errorf("stop: %v after %d pieces of work", err, ran.Load())
	}
}

// TestRisenWorkIsGivenUp forces a stop on a job that has risen.
func TestRisenWorkIsGivenUp(t *testing.T) {
	ctx := guarded(t)
	s, err := workers.New(workers.Config{Workers: 1, MaxSpares: -1, AgeAfter: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	release := occupy(t, ctx, s)
	j := start(t, ctx, s, func(context.Context) error { return nil }, workers.WithPriority(workers.Low))
	eventually(t, ctx, "the job to rise", func() bool { return s.Stats().Queued[workers.Critical] == 1 })
	if err := s.Stop(expired()); err == nil {
		t.Error("the forced stop returned nil")
	}
	if err := j.Wait(ctx); err != workers.ErrStopped { //nolint:errorlint // The very one.
		t.Errorf("the job ended with %v", err)
	}
	release()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}
