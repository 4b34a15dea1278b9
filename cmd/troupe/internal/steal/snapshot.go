package steal

import (
	"time"

	"github.com/troupe-go/troupe/sched"
)

// Snapshot is what is to be seen of a stage at a moment. Counts are since the
// beginning.
type Snapshot struct {
	At       time.Duration // Since the beginning.
	Strategy Strategy
	Load     float64
	Paused   bool
	Note     string // Says what the last act did.

	Workers []Worker // Retired spares are left out.
	// Shared is the length of the queues that all workers share, by priority.
	Shared     [4]int
	Unfinished int // Jobs that were submitted and have not ended.
	Awake      int
	Spares     int // How many were ever started.
	// SpareLimitReached counts the blocked workers for which there was no spare.
	SpareLimitReached uint64
	Total             sched.WorkerStats
	Critical          Latency
}

// Worker is what is to be seen of one worker.
type Worker struct {
	sched.WorkerStats
	Running string        // The kind of the job that it is on, or "".
	For     time.Duration // For how long.
	From    map[int]uint64
}

// Latency sums up how long critical jobs took to begin.
type Latency struct {
	Jobs          int64
	P50, P99, Max time.Duration
}

// Snapshot looks at the stage. It stops nothing.
func (st *Stage) Snapshot() Snapshot {
	stats := st.s.Stats()
	snap := Snapshot{
		At: time.Since(st.began), Shared: stats.Queued, Unfinished: stats.Jobs, Awake: stats.Awake,
		SpareLimitReached: stats.SpareLimitReached, Total: stats.Total(),
	}
	for _, ws := range stats.Workers {
		for p, n := range ws.Queued {
			snap.Shared[p] -= n
		}
		if ws.Spare {
			snap.Spares++
		}
		if ws.State == sched.WorkerRetired {
			continue
		}
		w := Worker{WorkerStats: ws, From: st.roster.takenBy(ws.ID)}
		w.Running, w.For = st.roster.on(ws.ID)
		snap.Workers = append(snap.Workers, w)
	}
	st.complete(&snap)
	return snap
}

// complete fills in what the stage itself knows.
func (st *Stage) complete(snap *Snapshot) {
	st.mu.Lock()
	defer st.mu.Unlock()
	snap.Strategy, snap.Load, snap.Paused, snap.Note = st.strategy, st.load, st.paused, st.note
	snap.Critical = Latency{
		Jobs: st.taken.TotalCount(),
		P50:  time.Duration(st.taken.ValueAtPercentile(50)),
		P99:  time.Duration(st.taken.ValueAtPercentile(99)),
		Max:  time.Duration(st.taken.Max()),
	}
}

// Rates are how much happened a second, between two snapshots.
type Rates struct {
	Jobs, Stolen float64
	Workers      map[int]WorkerRates
}

// WorkerRates are the same for one worker.
type WorkerRates struct {
	Jobs, Stolen float64
	From         map[int]float64 // Stolen by the worker it was taken from.
}

// RatesSince returns the rates from an earlier snapshot to this one; all are 0
// if there is no time between them.
func (s *Snapshot) RatesSince(earlier *Snapshot) Rates {
	seconds := (s.At - earlier.At).Seconds()
	each := func(now, before uint64) float64 {
		if seconds <= 0 || now < before {
			return 0
		}
		return float64(now-before) / seconds
	}
	before := map[int]Worker{}
	for _, w := range earlier.Workers {
		before[w.ID] = w
	}
	r := Rates{
		Jobs:    each(s.Total.Jobs, earlier.Total.Jobs),
		Stolen:  each(s.Total.Stolen, earlier.Total.Stolen),
		Workers: map[int]WorkerRates{},
	}
	for _, w := range s.Workers {
		b, known := before[w.ID]
		if !known { // It comes back from retirement, or is new.
			b = w
		}
		wr := WorkerRates{Jobs: each(w.Jobs, b.Jobs), Stolen: each(w.Stolen, b.Stolen), From: map[int]float64{}}
		for from, n := range w.From {
			if rate := each(n, b.From[from]); rate > 0 {
				wr.From[from] = rate
			}
		}
		r.Workers[w.ID] = wr
	}
	return r
}
