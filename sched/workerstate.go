package sched

import "github.com/troupe-go/troupe/internal/workers"

// WorkerState says what a worker does at the moment. Its method String returns the name in
// lower case.
type WorkerState = workers.WorkerState

// The states of a worker.
const (
	// WorkerIdle has found no work and sleeps.
	WorkerIdle WorkerState = workers.WorkerIdle
	// WorkerWorking runs work from its own queues or the shared ones.
	WorkerWorking WorkerState = workers.WorkerWorking
	// WorkerStealing has no work of its own and looks for some elsewhere.
	WorkerStealing WorkerState = workers.WorkerStealing
	// WorkerPreempting runs critical work to which other work has given way at
	// a checkpoint.
	WorkerPreempting WorkerState = workers.WorkerPreempting
	// WorkerDraining finishes what was accepted before Stop was called.
	WorkerDraining WorkerState = workers.WorkerDraining
	// WorkerShutDown has left: the scheduler has nothing to do any more.
	WorkerShutDown WorkerState = workers.WorkerShutDown
	// WorkerBlocked is held by one piece of work, and was replaced by a spare.
	WorkerBlocked WorkerState = workers.WorkerBlocked
	// WorkerRetired is a spare that waits until it is needed again.
	WorkerRetired WorkerState = workers.WorkerRetired
)
