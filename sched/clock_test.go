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
