package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestHeldWorkersAreMarked has a worker give no sign of life while nothing waits:
// the monitor notes it, and sleeps.
func TestHeldWorkersAreMarked(t *testing.T) {
	var clock workers.Clock
	s := workers.NewStill(workers.Config{Workers: 2, BlockedAfter: 10 * time.Millisecond})
	s.SetClock(&clock)
	look := func() {
		s.Look()
		clock.Advance(10 * time.Millisecond)
		s.Look()
	}
	for n := range 2 {
		s.Worker(n).BeginWork(&newWork(nil).Node)
	}
	if look(); !s.Worker(0).Held() || !s.Worker(1).Held() {
		t.Fatal("a worker without a sign of life is not marked")
	}
	if !s.Quiet() {
		t.Error("the monitor goes on looking though nothing waits")
	}
	s.Worker(0).SignOfLife()
	if s.Worker(0).Held() || s.Quiet() {
		t.Error("a sign of life is not noticed")
	}
	s.Worker(0).SetResting(true)
	if look(); s.Worker(0).Held() {
		t.Error("a worker that rests is marked")
	}
	if len(s.Stats().Workers) != 2 {
		t.Error("a spare was started though nothing waits")
	}
}

// TestMonitorStaysUntilItKnowsWhatIsHeld marks a worker between two pieces of work,
// whose thread was put aside: it begins the second with the mark.
func TestMonitorStaysUntilItKnowsWhatIsHeld(t *testing.T) {
	var clock workers.Clock
	s := workers.NewStill(workers.Config{Workers: 1, BlockedAfter: 10 * time.Millisecond})
	s.SetClock(&clock)
	look := func() {
		s.Look()
		clock.Advance(10 * time.Millisecond)
		s.Look()
	}
	w := s.Worker(0)
	w.BeginWork(&newWork(nil).Node)
	if look(); len(s.Held()) != 1 || !s.Quiet() {
		t.Fatal("the monitor does not know what the worker is on")
	}
	w.BeginWork(nil)
	if s.Quiet() {
		t.Error("the monitor goes to sleep though the worker is on nothing")
	}
	w.BeginWork(&newWork(nil).Node)
	if s.Quiet() || len(s.Held()) != 0 {
		t.Error("the monitor goes to sleep though it has not seen what the worker is on now")
	}
	if look(); len(s.Held()) != 1 || !s.Quiet() {
		t.Error("the monitor does not know what the worker is on now")
	}
}

// TestThievesGiveNoSignOfLife takes from the queue of a held worker again and
// again.
func TestThievesGiveNoSignOfLife(t *testing.T) {
	var clock workers.Clock
	s := workers.NewStill(workers.Config{Workers: 2, MaxSpares: -1, BlockedAfter: 10 * time.Millisecond})
	s.SetClock(&clock)
	for range 3 {
		s.Worker(0).Push(&newWork(nil).Node, workers.Normal)
	}
	s.Look()
	for range 3 {
		clock.Advance(5 * time.Millisecond)
		if s.Worker(0).TakeFrom(workers.Normal) == nil {
			t.Fatal("nothing to take")
		}
		s.Look()
	}
	if !s.Worker(0).Held() {
		t.Error("the worker counts as alive since others take from its queue")
	}
}

// TestWorkerDoesNotRestWhileMarked marks a worker as it goes to sleep. It would
// count twice.
func TestWorkerDoesNotRestWhileMarked(t *testing.T) {
	var clock workers.Clock
	s := workers.NewStill(workers.Config{Workers: 1})
	s.SetClock(&clock)
	s.Look()
	clock.Advance(time.Second)
	s.Look()
	if !s.Worker(0).Sleep() || s.Sleeping() != 0 {
		t.Error("the worker went to sleep with a mark")
	}
}

// TestSubmitterPutsSpareIntoPlace holds all workers and looks at who starts a
// spare: there is no monitor.
func TestSubmitterPutsSpareIntoPlace(t *testing.T) {
	for _, p := range []workers.Priority{workers.Critical, workers.Low} {
		t.Run(p.String(), func(t *testing.T) {
			ctx := guarded(t)
			var clock workers.Clock
			s := workers.NewStill(workers.Config{Workers: 2})
			s.SetClock(&clock)
			clock.Advance(time.Second)
			s.Worker(0).Begin()
			s.Worker(1).Begin()
			s.Worker(1).ReadClock()
			ran := make(chan struct{}, 2)
			again := func() {
				submit(t, s, p, func(*workers.Fiber, workers.Priority) { ran <- struct{}{} })
			}
			if again(); len(s.Stats().Workers) != 2 {
				t.Fatal("a spare was started though a worker is at work")
			}
			clock.Advance(time.Second)
			if p != workers.Critical {
				s.Worker(0).Mark()
				s.Worker(1).Mark()
			}
			again()
			if n := len(s.Stats().Workers); n != 3 {
				t.Fatalf("%d workers, want 2 and a spare", n)
			}
			receive(t, ctx, "the first piece of work", ran)
			receive(t, ctx, "the second", ran)
			s.SettleNow()
		})
	}
}

// TestCriticalWorkDoesNotWaitForMonitor has all workers in endless loops.
func TestCriticalWorkDoesNotWaitForMonitor(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	for range 4 {
		hold, end := holdUps["loop"](t)
		defer end()
		start(t, ctx, s, func(context.Context) error { hold(); return nil })
	}
	for range 20 {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, workers.WithPriority(workers.Critical)))
	}
}

// TestMonitorSleepsBesideBlockedJob has one job that waits for long, and nothing
// else to do.
func TestMonitorSleepsBesideBlockedJob(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	release := occupy(t, ctx, s)
	eventually(t, ctx, "the monitor to sleep", s.MonitorAsleep)
	finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
	eventually(t, ctx, "the monitor to sleep again", s.MonitorAsleep)
	release()
}
