package workers

import (
	"time"

	"github.com/troupe-go/troupe/internal/workers/queues"
)

// Stats is what sched.Stats documents.
type Stats struct {
	Workers           []WorkerStats
	Awake             int
	Queued            [numPriorities]int
	SpareLimitReached uint64
	Crowded           uint64
	Held              []Held
	Aged              uint64
	Rebalances, Moved uint64
	RebalanceInterval time.Duration
	Jobs              int
	Overdue           int
	Kinds             []KindStats
}

// WorkerStats is what sched.WorkerStats documents.
type WorkerStats struct {
	ID                int
	Spare             bool
	State             WorkerState
	CPU               int
	Tier              Priority
	Queued            [numPriorities]int
	Pinned, Preferred int
	Pace              time.Duration
	Jobs              uint64
	Stolen            uint64
	Steal             StealStats
	Parked            uint64
	Suspended         uint64
	Yielded           uint64
	Preempted         uint64
	Blocked           uint64
}

// publish makes the worker's counters visible to others.
func (w *Worker) publish() {
	w.published.Publish(&w.count)
	w.steals.Publish(&w.policy)
	w.kind.publish()
}

// Stats returns a snapshot. It stops nothing and costs about 100 ns a worker and
// as much for each kind of jobs.
func (s *Scheduler) Stats() Stats {
	workers := *s.workers.Load()
	st := Stats{
		Workers:           make([]WorkerStats, 0, len(workers)),
		Awake:             int(s.lot.Awake()),
		SpareLimitReached: s.monitor.limitReached.Load(),
		Crowded:           s.monitor.crowds.Load(),
		Held:              s.Held(),
		Aged:              s.ageing.Count(),
		Rebalances:        s.monitor.rebalance.rounds.Load(),
		Moved:             s.monitor.rebalance.moved.Load(),
		RebalanceInterval: time.Duration(s.monitor.rebalance.interval.Load()),
		Jobs:              max(0, s.jobsLeft()),
		Overdue:           int(max(0, s.overdue.Load())),
		Kinds:             s.kinds.stats(),
	}
	for _, w := range workers {
		ws := w.stats()
		for p, n := range ws.Queued {
			st.Queued[p] += n
		}
		st.Workers = append(st.Workers, ws)
	}
	for p := range Priority(numPriorities) {
		st.Queued[p] += s.shared.Len(queues.Priority(p))
	}
	return st
}

func (w *Worker) stats() WorkerStats {
	p := &w.published
	ws := WorkerStats{
		ID: w.id, Spare: w.spare, Queued: w.queues.Lengths(), State: w.state(), Tier: Priority(w.park.Tier().Least()), CPU: -1, Pace: w.pace.Known(),
		Pinned: w.queues.Inbox.Pinned(), Preferred: w.queues.Inbox.Preferred(),
		Jobs: p.Jobs.Load(), Stolen: p.Stolen.Load(), Parked: p.Slept.Load(),
		Suspended: p.Suspended.Load(), Yielded: p.Yielded.Load(),
		Preempted: p.Preempted.Load(), Blocked: p.Blocked.Load(), Steal: stealStats(&w.steals, w.s.StealStrategy()),
	}
	if cpu := w.location.CPU(); cpu != nil {
		ws.CPU = cpu.ID
	}
	if ws.State == WorkerIdle {
		ws.Steal.Backoff = time.Duration(w.steals.Backoff.Load())
	}
	return ws
}
