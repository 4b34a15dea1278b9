package sched_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
)

// TestRunningSchedulerGoesByItsClock replaces a blocked worker only when the
// test lets time pass.
func TestRunningSchedulerGoesByItsClock(t *testing.T) {
	ctx := guarded(t)
	var clock sched.Clock
	s, err := sched.NewWithClock(sched.Config{Workers: 1}, &clock)
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
	var clock sched.Clock
	s := sched.NewStill(sched.Config{Workers: 1})
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
