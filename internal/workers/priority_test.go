package workers_test

import (
	"context"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

func TestNames(t *testing.T) {
	for p, want := range map[workers.Priority]string{
		workers.Critical: "critical", workers.High: "high", workers.Normal: "normal", workers.Low: "low", 9: "Priority(9)",
	} {
		if got := p.String(); got != want {
			t.Errorf("priority %d is called %q, want %q", p, got, want)
		}
	}
	for st, want := range map[workers.WorkerState]string{
		workers.WorkerIdle: "idle", workers.WorkerWorking: "working", workers.WorkerStealing: "stealing",
		workers.WorkerPreempting: "preempting", workers.WorkerDraining: "draining", workers.WorkerShutDown: "shut down",
		workers.WorkerBlocked: "blocked", workers.WorkerRetired: "retired", 9: "WorkerState(9)",
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
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	release := occupy(t, ctx, s)
	var order []workers.Priority
	var jobs []*workers.Job
	for _, p := range []workers.Priority{workers.Low, workers.Normal, workers.High, workers.Critical} {
		for range 3 {
			jobs = append(jobs, start(t, ctx, s, func(context.Context) error {
				order = append(order, p)
				return nil
			}, workers.WithPriority(p)))
		}
	}
	release()
	finish(t, ctx, jobs...)
	if !slices.IsSorted(order) || len(order) != 12 {
		t.Errorf("order is %v", order)
	}
}
