package demo

import (
	"runtime"
	"time"

	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
	"github.com/troupe-go/troupe/sched"
)

// A Report is what a run found and how it went.
type Report struct {
	Dir        string  `json:"dir"`
	Go         string  `json:"go"`
	Procs      int     `json:"procs"` // GOMAXPROCS.
	Tokenizers int     `json:"tokenizers"`
	Shards     int     `json:"shards"`
	FaultRate  float64 `json:"fault_rate"`
	Seed       uint64  `json:"seed"`
	Partial    bool    `json:"partial"` // The run was interrupted.

	Files   int          `json:"files"`
	Bytes   int64        `json:"bytes"`
	Words   int64        `json:"words"`
	Unique  int          `json:"unique"`
	Seconds float64      `json:"seconds"`
	MBPerS  float64      `json:"mb_per_s"` // Millions of bytes.
	Top     []word.Count `json:"top"`
	Skipped Skipped      `json:"skipped"`
	Workers []Worker     `json:"workers"`

	UrgentAsks int64   `json:"urgent_asks"`
	UrgentP50  float64 `json:"urgent_p50_us"`
	UrgentP99  float64 `json:"urgent_p99_us"`
	UrgentMax  float64 `json:"urgent_max_us"`
	IdleAsks   int64   `json:"idle_asks"`
	IdleP50    float64 `json:"idle_p50_us"`
	IdleP99    float64 `json:"idle_p99_us"`
	IdleMax    float64 `json:"idle_max_us"`

	Panics   int `json:"panics"` // Injected faults.
	Restarts int `json:"restarts"`
	Retries  int `json:"retries"`

	// The following are nil without Config.Verify, and when the recount was interrupted.
	Verified          *bool    `json:"verified"`
	Speedup           *float64 `json:"speedup"` // SequentialSeconds by Seconds.
	SequentialSeconds *float64 `json:"sequential_seconds"`
	// Differences says in what the recount differs, the first few of each kind.
	Differences []string `json:"differences"`
}

// A Worker says what a worker of the scheduler has done during the work.
type Worker struct {
	ID        int    `json:"id"`
	Spare     bool   `json:"spare"`     // It stood in for one that was blocked.
	Jobs      uint64 `json:"jobs"`      // Pieces of work that it began or continued.
	Stolen    uint64 `json:"stolen"`    // The part of Jobs that it took from other workers.
	Suspended uint64 `json:"suspended"` // Waits of its work that did not hold it.
	Preempted uint64 `json:"preempted"` // How often its work gave way to something critical.
	Parked    uint64 `json:"parked"`    // How often it fell asleep for want of work.
	Blocked   uint64 `json:"blocked"`   // How often it was held so long that another stood in for it.
}

// A Latency sums up how long queries took to be answered.
type Latency struct {
	Asks          int64
	P50, P99, Max time.Duration
}

func newReport(cfg Config) Report {
	return Report{
		Dir: cfg.Dir, Go: runtime.Version(), Procs: runtime.GOMAXPROCS(0), Tokenizers: cfg.Tokenizers,
		Shards: cfg.Shards, FaultRate: cfg.FaultRate, Seed: cfg.Seed,
		Top: []word.Count{}, Workers: []Worker{}, Differences: []string{},
	}
}

func (r *Report) setTally(t Tally, took time.Duration) {
	r.Files, r.Bytes, r.Words, r.Retries, r.Skipped = t.Files, t.Bytes, t.Words, t.Retries, t.Skipped
	r.Seconds = took.Seconds()
	if took > 0 {
		r.MBPerS = float64(t.Bytes) / 1e6 / took.Seconds()
	}
}

func (r *Report) setIndexes(indexes []*word.Index, limit int) {
	r.Unique = 0
	all := []word.Count{}
	for _, x := range indexes {
		r.Unique += x.Unique()
		all = append(all, x.Top()...)
	}
	r.Top = word.Top(all, limit)
}

func (r *Report) setWorkers(stats sched.Stats) {
	r.Workers = []Worker{}
	for _, w := range stats.Workers {
		r.Workers = append(r.Workers, Worker{
			ID: w.ID, Spare: w.Spare, Jobs: w.Jobs, Stolen: w.Stolen, Suspended: w.Suspended,
			Preempted: w.Preempted, Parked: w.Parked, Blocked: w.Blocked,
		})
	}
}

func (r *Report) setUrgent(l Latency) {
	r.UrgentAsks, r.UrgentP50, r.UrgentP99, r.UrgentMax = l.Asks, micros(l.P50), micros(l.P99), micros(l.Max)
}

func (r *Report) setIdle(l Latency) {
	r.IdleAsks, r.IdleP50, r.IdleP99, r.IdleMax = l.Asks, micros(l.P50), micros(l.P99), micros(l.Max)
}

func micros(d time.Duration) float64 {
	return float64(d) / float64(time.Microsecond)
}
