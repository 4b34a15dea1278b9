package sched_test

import (
	"context"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/sched"
)

func TestNames(t *testing.T) {
	for p, want := range map[sched.Priority]string{
		sched.Critical: "critical", sched.High: "high", sched.Normal: "normal", sched.Low: "low", 9: "Priority(9)",
	} {
		if got := p.String(); got != want {
			t.Errorf("priority %d is called %q, want %q", p, got, want)
		}
	}
	for st, want := range map[sched.WorkerState]string{
		sched.WorkerIdle: "idle", sched.WorkerWorking: "working", sched.WorkerStealing: "stealing",
		sched.WorkerPreempting: "preempting", sched.WorkerDraining: "draining", sched.WorkerShutDown: "shut down",
		sched.WorkerBlocked: "blocked", sched.WorkerRetired: "retired", 9: "WorkerState(9)",
	} {
		if got := st.String(); got != want {
			t.Errorf("state %d is called %q, want %q", st, got, want)
		}
	}
}

// TestOrderFollowsPriority queues jobs from outside, the least urgent first,
// for a worker that is busy.
func TestOrderFollowsPriority(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
	release := occupy(t, ctx, s)
	var order []sched.Priority
	var jobs []*sched.Job
	for _, p := range []sched.Priority{sched.Low, sched.Normal, sched.High, sched.Critical} {
		for range 3 {
			jobs = append(jobs, start(t, ctx, s, func(context.Context) error {
				order = append(order, p)
				return nil
			}, sched.WithPriority(p)))
		}
	}
	release()
	finish(t, ctx, jobs...)
	if !slices.IsSorted(order) || len(order) != 12 {
		t.Errorf("order is %v", order)
	}
}
