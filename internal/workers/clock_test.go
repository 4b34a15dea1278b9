package workers_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestRunningSchedulerGoesByItsClock replaces a blocked worker only when the
// test lets time pass.
func TestRunningSchedulerGoesByItsClock(t *testing.T) {
	ctx := guarded(t)
	var clock workers.Clock
	s, err := workers.NewWithClock(workers.Config{Workers: 1}, &clock)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Stop(ctx); err != nil {
			t.Error(err)
		}
	}()
	release := occupy(t, ctx, s)
	var ran atomic.Bool
	j := start(t, ctx, s, func(context.Context) error { ran.Store(true); return nil })
	seen := clock.Read()
	eventually(t, ctx, "the monitor to look at it", func() bool { return clock.Read() >= seen+5 })
	if ran.Load() {
		t.Error("the worker was replaced though no time has passed")
	}
	clock.Advance(time.Second)
	finish(t, ctx, j)
	release()
}

// A nudge costs no look at the clock, however many there are, nor does it put one
// off: what is done between two looks is as much as without.
func TestNudgesLeaveTheClockAlone(t *testing.T) {
	var clock workers.Clock
	s := workers.NewStill(workers.Config{Workers: 1})
	s.SetClock(&clock)
	w := s.Worker(0)
	const budget = 100
	w.SetBudget(budget)
	seen := clock.Read()
	for i := range budget {
		if i%2 == 0 {
			w.Nudge()
			w.Nudge() // Before the next step, it is one.
		}
		if w.Tick(); clock.Read() != seen {
			t.Fatalf("the worker has looked at the clock after %d steps of %d", i+1, budget)
		}
	}
	if w.Tick(); clock.Read() == seen {
		t.Errorf("the worker has not looked at the clock after %d steps", budget+1)
	}
}

// giveWays counts how often a worker that has woken a goroutine lets it run at once, by rest.
// There is one processor, so a worker that gives way runs the goroutine. Every 61st time the
// Go scheduler prefers the goroutine that has given way.
func giveWays(w *workers.Worker, rest func()) (ran int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var all sync.WaitGroup
	for range 100 {
		var done atomic.Bool
		all.Go(func() { done.Store(true) })
		w.Nudge()
		if rest(); done.Load() {
			ran++
		}
		all.Wait()
	}
	return ran
}

// Whom a worker has woken runs first where nothing else is left to do.
func TestNudgedWorkerThatRestsGivesWay(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // One more than there are workers.
	s := workers.NewStill(workers.Config{Workers: 1})
	w := s.Worker(0)
	w.SetBudget(10_000)
	if ran := giveWays(w, w.Rest); ran < 50 {
		t.Errorf("without work: %d of 100 goroutines that were woken ran first", ran)
	}
	w.Push(names{}.node("work"), workers.Normal)
	if ran := giveWays(w, w.Rest); ran >= 50 {
		t.Errorf("with work: %d of 100 goroutines that were woken ran first", ran)
	}
	if ran := giveWays(w, w.Tick); ran >= 50 {
		t.Errorf("between two pieces: %d of 100 goroutines that were woken ran first", ran)
	}
}

// A search by who has woken a goroutine begins with giving way to it, and what that
// brings is found without a look at the others' queues.
func TestNudgedWorkerGivesWayBeforeItSearches(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := workers.NewStill(workers.Config{Workers: 2})
	w, all := s.Worker(0), names{}
	atOnce := 0
	for range 100 {
		var brought sync.WaitGroup
		brought.Go(func() { all.outside(t, s, workers.Normal, "brought") })
		w.Nudge()
		w.Publish()
		before := s.Stats().Workers[0].Steal
		if n, _ := w.Search(); all[n] != "brought" {
			t.Fatalf("found %q", all[n])
		}
		w.Found()
		brought.Wait()
		w.Publish()
		if s.Stats().Workers[0].Steal.Empty == before.Empty {
			atOnce++
		}
	}
	if atOnce < 50 {
		t.Errorf("%d of 100 searches found the work without attempts to steal", atOnce)
	}
}

// TestWorkerGivesWayBesideBusyGoroutines has one worker of two at work, while a goroutine
// of the program keeps the other processor. A goroutine that the work
// wakes must not wait until the Go runtime takes a processor away, every 10 ms.
func TestWorkerGivesWayBesideBusyGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	var over atomic.Bool
	var busy sync.WaitGroup
	busy.Go(func() {
		for !over.Load() {
		}
	})
	wake, rounds := make(chan struct{}), 0
	busy.Go(func() {
		for range wake {
			rounds++
		}
	})
	const pieces, each = 40_000, 5 * time.Microsecond
	done, left := make(chan struct{}), pieces
	var piece *work
	piece = newWork(func(f *workers.Fiber, _ workers.Priority) {
		for began := time.Now(); time.Since(began) < each; {
		}
		select {
		case wake <- struct{}{}:
		default:
		}
		if left--; left == 0 {
			close(done)
			return
		}
		f.Submit(&piece.Node, workers.Normal)
	})
	if err := s.Submit(&piece.Node, workers.Normal); err != nil {
		t.Fatal(err)
	}
	receive(t, ctx, "the work", done)
	over.Store(true)
	close(wake)
	busy.Wait()
	t.Logf("%d turns", rounds)
	// 200 ms are 500 times 400 µs, and 20 time slices.
	if rounds < 250 {
		t.Errorf("the goroutine had %d turns while 200 ms of work were done, want 250 at least", rounds)
	}
	checkAtRest(t, ctx, s)
}
