package workers

import (
	"fmt"
	"sync/atomic"
)

// WorkerState says what a worker does at the moment. Package sched says what each is.
type WorkerState uint8

// The states of a worker.
const (
	WorkerIdle WorkerState = iota
	WorkerWorking
	WorkerStealing
	WorkerPreempting
	WorkerDraining
	WorkerShutDown
	WorkerBlocked
	WorkerRetired
)

var workerStateNames = [...]string{
	"idle", "working", "stealing", "preempting", "draining", "shut down", "blocked", "retired",
}

// String returns the state's name in lower case.
func (st WorkerState) String() string {
	if int(st) < len(workerStateNames) {
		return workerStateNames[st]
	}
	return fmt.Sprintf("WorkerState(%d)", uint8(st))
}

// activity is what a worker does by its own account: working, stealing, preempting,
// retired or shut down. Sleeping and blocking show in fields that are there anyway.
type activity struct {
	preempting bool          // The worker's.
	state      atomic.Uint32 // Written by the worker, read by Stats.
}

// turnTo publishes what the worker does from now on. Its callers are at turns
// that are rare beside the work itself: a search costs about 5 us, a retirement
// more.
func (a *activity) turnTo(st WorkerState) { a.state.Store(uint32(st)) }

// preempt says that the worker's work has given way to critical work.
func (a *activity) preempt() {
	a.preempting = true
	a.turnTo(WorkerPreempting)
}

// endPreemption is called for each piece of work, so the usual case comes first.
func (a *activity) endPreemption(next Priority) {
	if a.preempting && next != Critical {
		a.preempting = false
		a.turnTo(WorkerWorking)
	}
}

// retired reports whether the worker is a spare that waits to be needed.
func (a *activity) retired() bool { return WorkerState(a.state.Load()) == WorkerRetired }

// state puts together what several fields say. Other goroutines write some of them
// meanwhile. Each field is read once, so the parts may be from different moments.
func (w *Worker) state() WorkerState {
	activity := WorkerState(w.activity.state.Load())
	switch {
	case activity == WorkerShutDown || activity == WorkerRetired:
		return activity
	case w.replaced():
		return WorkerBlocked
	case w.park.Resting.Load():
		return WorkerIdle
	case w.s.stopping.Load():
		return WorkerDraining
	}
	return activity
}
