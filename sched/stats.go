package sched

import (
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// Stats is a snapshot of a scheduler. It is taken while the workers run, so
// the figures of a busy worker may be 50 us old, and the sums need not agree
// exactly. An idle worker's figures are exact. Counting costs less than 2% of the
// cheapest jobs.
type Stats struct {
	Workers []WorkerStats
	// Awake is the number of workers that are neither blocked nor retired.
	Awake int
	// Queued is the number of pieces of work that wait, by priority.
	Queued [4]int
	// SpareLimitReached counts how often a blocked worker could not be
	// replaced because Config.MaxSpares were there already, once for each piece
	// of work that blocked.
	SpareLimitReached uint64
	// Crowded counts how often the monitor, which watches the workers, had to queue
	// for a processor, since held workers kept all of them. Then it watches without a
	// pause, so that new work does not wait for one more time slice.
	Crowded uint64
	// Held tells what the workers are on that have been on one piece of work for
	// longer than Config.BlockedAfter; see [Scheduler.Held].
	Held []Held
	// Aged counts how often work has risen by one priority because it had waited
	// for Config.AgeAfter.
	Aged uint64
	// Rebalances counts the times that queues were evened out, Moved the pieces of
	// work that were handed over, and RebalanceInterval is the time between two
	// looks at present; 0 if nothing is ever rebalanced.
	Rebalances, Moved uint64
	RebalanceInterval time.Duration
	// Jobs is the number of jobs that were accepted by Go and whose functions have
	// not ended. Of a worker that is busy up to 16 that have just ended may be among
	// them; when all workers sleep it is exact.
	Jobs int
	// Overdue is the number of those that have timed out: their handles have a
	// result, but their functions still run.
	Overdue int
	// Kinds says what the jobs of each kind did, by name.
	Kinds []KindStats
}

// Total returns the sums of the workers' figures. ID and CPU are -1; what is no
// number of times or of pieces of work stays zero.
func (st Stats) Total() WorkerStats {
	sum := WorkerStats{ID: -1, CPU: -1}
	for i := range st.Workers {
		w := &st.Workers[i]
		for p := range sum.Queued {
			sum.Queued[p] += w.Queued[p]
		}
		sum.Jobs += w.Jobs
		sum.Stolen += w.Stolen
		sum.Parked += w.Parked
		sum.Suspended += w.Suspended
		sum.Yielded += w.Yielded
		sum.Preempted += w.Preempted
		sum.Blocked += w.Blocked
		sum.Steal.add(&w.Steal)
	}
	return sum
}

// WorkerStats says what one worker did since it was started.
type WorkerStats struct {
	ID    int
	Spare bool // Started to replace a worker that was blocked.
	State WorkerState
	// CPU is the processor on which the worker was last seen, or -1. It is known of
	// a pinned worker, and where the machine has places that are near and far.
	CPU int
	// Tier is the least urgent priority that the worker takes: Low unless it is
	// reserved.
	Tier Priority
	// Queued is the length of the worker's own queues, by priority. Work that
	// was interrupted counts as Normal.
	Queued [4]int
	// Pinned is how many of them wait for this worker and for no other, Preferred
	// how many wait for it as long as it can keep up.
	Pinned, Preferred int
	// Pace is the mean time of the worker's last pieces of work, give or take a
	// quarter; 0 until it was measured.
	Pace time.Duration
	// Jobs counts the pieces of work that the worker began or continued.
	Jobs uint64
	// Stolen counts those that it took from other workers.
	Stolen uint64
	// Steal says how it did so, and how often it tried.
	Steal StealStats
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

// KindStats says what the jobs of one kind did.
type KindStats struct {
	Name string // Empty for jobs without a kind.
	// Jobs counts the jobs that have begun.
	Jobs uint64
	// Failed counts the jobs that returned an error, panicked, called
	// runtime.Goexit, or timed out.
	Failed uint64
	// MeanCost is the moving average of the time for which a job holds a worker. Only
	// some jobs are measured, of short jobs at most one in 16. It is 0 before the first
	// measurement. If a job pauses more than 64 times, its time after the 64th pause
	// does not count.
	MeanCost time.Duration
}

// Stats returns a snapshot. It stops nothing and costs about 100 ns a worker and
// as much for each kind of jobs.
func (s *Scheduler) Stats() Stats {
	st := s.workers().Stats()
	return statsOf(&st)
}

func statsOf(from *workers.Stats) Stats {
	st := Stats{
		Workers: make([]WorkerStats, len(from.Workers)), Awake: from.Awake, Queued: from.Queued,
		SpareLimitReached: from.SpareLimitReached, Crowded: from.Crowded, Held: heldOf(from.Held), Aged: from.Aged,
		Rebalances: from.Rebalances, Moved: from.Moved, RebalanceInterval: from.RebalanceInterval,
		Jobs: from.Jobs, Overdue: from.Overdue, Kinds: make([]KindStats, len(from.Kinds)),
	}
	for i := range from.Workers {
		st.Workers[i] = workerStatsOf(&from.Workers[i])
	}
	for i, k := range from.Kinds {
		st.Kinds[i] = KindStats(k)
	}
	return st
}

func workerStatsOf(w *workers.WorkerStats) WorkerStats {
	return WorkerStats{
		ID: w.ID, Spare: w.Spare, State: w.State, CPU: w.CPU, Tier: w.Tier, Queued: w.Queued, Pinned: w.Pinned,
		Preferred: w.Preferred, Pace: w.Pace, Jobs: w.Jobs, Stolen: w.Stolen, Steal: StealStats(w.Steal), Parked: w.Parked,
		Suspended: w.Suspended, Yielded: w.Yielded, Preempted: w.Preempted, Blocked: w.Blocked,
	}
}
