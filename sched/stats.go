package sched

import (
	"fmt"
	"sync/atomic"
)

// Stats is a snapshot of a scheduler. It is taken while the workers run, so
// the figures of a busy worker may be 50 us old, and the sums need not agree
// exactly. A sleeping worker's figures are exact.
type Stats struct {
	Workers []WorkerStats
	// Awake is the number of workers that are neither blocked nor retired.
	Awake int
	// Queued is the number of nodes that wait, by priority.
	Queued [numPriorities]int
	// SpareLimitReached counts how often a blocked worker could not be
	// replaced because Config.MaxSpares were there already, once for each time
	// that it was blocked.
	SpareLimitReached uint64
	// Jobs is the number of jobs that were accepted by Go and have not ended.
	Jobs int
}

// WorkerStats says what one worker did since it was started.
type WorkerStats struct {
	ID    int
	Spare bool // Started to replace a worker that was blocked.
	State WorkerState
	// Jobs counts the pieces of work that the worker began or continued.
	Jobs uint64
	// Stolen counts those that it took from other workers.
	Stolen uint64
	// Parked counts how often it fell asleep for want of work.
	Parked uint64
	// Suspended counts the waits of work that did not hold the worker.
	Suspended uint64
	// Yielded counts the times that work went to the end of the queue.
	Yielded uint64
	// Preempted counts the times that work gave way to critical work.
	Preempted uint64
	// Blocked counts how often the worker was held so long by one piece of work
	// that it was replaced.
	Blocked uint64
}

// WorkerState says what a worker does at the moment.
type WorkerState uint8

// The states of a worker.
const (
	WorkerWorking  WorkerState = iota // It runs or looks for work.
	WorkerSleeping                    // It has found no work, or is retired.
	WorkerBlocked                     // It is held by one piece of work and was replaced.
)

// String returns the state's name in lower case.
func (st WorkerState) String() string {
	if int(st) < len(workerStateNames) {
		return workerStateNames[st]
	}
	return fmt.Sprintf("WorkerState(%d)", uint8(st))
}

var workerStateNames = [...]string{"working", "sleeping", "blocked"}

// counters are a worker's own figures, written without synchronization.
type counters struct {
	jobs, stolen, slept, suspended, yielded, preempted uint64
}

// publishedCounters are the same for others to read. The worker copies them
// when it looks at the clock and before it sleeps, so that counting costs no
// atomic operation per piece of work. The monitor takes a change of jobs or
// ticks as a sign of life.
type publishedCounters struct {
	ticks, jobs, stolen, slept, suspended, yielded, preempted atomic.Uint64
	blocked                                                   atomic.Uint64 // Written by the monitor.
}

// publish makes the worker's counters visible to others.
func (w *Worker) publish() {
	p, c := &w.published, &w.count
	p.ticks.Store(p.ticks.Load() + 1)
	copyCounter(&p.jobs, c.jobs)
	copyCounter(&p.stolen, c.stolen)
	copyCounter(&p.slept, c.slept)
	copyCounter(&p.suspended, c.suspended)
	copyCounter(&p.yielded, c.yielded)
	copyCounter(&p.preempted, c.preempted)
}

// copyCounter saves the store, which is the dear part, if nothing has changed.
func copyCounter(to *atomic.Uint64, value uint64) {
	if to.Load() != value {
		to.Store(value)
	}
}

// Stats returns a snapshot. It stops nothing and costs about 100 ns a worker.
func (s *Scheduler) Stats() Stats {
	workers := *s.workers.Load()
	st := Stats{
		Workers:           make([]WorkerStats, 0, len(workers)),
		Awake:             int(s.awake.Load()),
		SpareLimitReached: s.monitor.limitReached.Load(),
		Jobs:              int(s.jobs.Load()),
	}
	for _, w := range workers {
		st.Workers = append(st.Workers, w.stats())
		for p := High; p < numPriorities; p++ {
			st.Queued[p] += w.local[p].Len()
		}
		st.Queued[Normal] += w.first.Len()
	}
	for p := range Priority(numPriorities) {
		st.Queued[p] += s.injector.length(p)
	}
	return st
}

func (w *Worker) stats() WorkerStats {
	p := &w.published
	ws := WorkerStats{
		ID: w.id, Spare: w.spare,
		Jobs: p.jobs.Load(), Stolen: p.stolen.Load(), Parked: p.slept.Load(),
		Suspended: p.suspended.Load(), Yielded: p.yielded.Load(),
		Preempted: p.preempted.Load(), Blocked: p.blocked.Load(),
	}
	switch {
	case w.blocked.Load():
		ws.State = WorkerBlocked
	case w.resting.Load():
		ws.State = WorkerSleeping
	}
	return ws
}
