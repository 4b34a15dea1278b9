package sched

import "fmt"

// WorkerState says what a worker does at the moment.
type WorkerState uint8

// The states of a worker.
const (
	// WorkerIdle has found no work and sleeps.
	WorkerIdle WorkerState = iota
	// WorkerWorking runs work from its own queues or the shared ones.
	WorkerWorking
	// WorkerStealing has no work of its own and looks for some elsewhere.
	WorkerStealing
	// WorkerPreempting runs critical work to which other work has given way at
	// a checkpoint.
	WorkerPreempting
	// WorkerDraining finishes what was accepted before Stop was called.
	WorkerDraining
	// WorkerShutDown has left: the scheduler has nothing to do any more.
	WorkerShutDown
	// WorkerBlocked is held by one piece of work, and was replaced by a spare.
	WorkerBlocked
	// WorkerRetired is a spare that waits until it is needed again.
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

// turnTo publishes what the worker does from now on. Its callers are at turns
// that are rare beside the work itself: a search costs about 5 us, a retirement
// more. Sleeping and blocking show in fields that are there anyway.
func (w *Worker) turnTo(st WorkerState) { w.activity.Store(uint32(st)) }

// preempt says that the worker's work has given way to critical work.
func (w *Worker) preempt() {
	w.count.Preempted++
	w.preempting = true
	w.turnTo(WorkerPreempting)
}

// endPreemption is called for each piece of work, so the usual case comes first.
func (w *Worker) endPreemption(next Priority) {
	if w.preempting && next != Critical {
		w.preempting = false
		w.turnTo(WorkerWorking)
	}
}

// retired reports whether the worker is a spare that waits to be needed.
func (w *Worker) retired() bool { return WorkerState(w.activity.Load()) == WorkerRetired }

// state puts together what several fields say, some of which others write. Each
// is read once, so the answer was right at some moment or between two.
func (w *Worker) state() WorkerState {
	activity := WorkerState(w.activity.Load())
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
