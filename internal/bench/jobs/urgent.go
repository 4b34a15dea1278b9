package jobs

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// The names of the workloads with a critical job among busy ones.
const (
	UrgentCheckpoint = "urgent-checkpoint"
	UrgentLoop       = "urgent-loop"
)

var urgentCheckpoint = suite.Workload{
	Name: UrgentCheckpoint, Family: suite.Jobs, Baseline: goroutines, Unit: "µs", Per: time.Microsecond,
	Kind: suite.Latency, Percentiles: []float64{50, 99}, Step: 100, TinyN: 10, Duration: time.Second,
	About: "from the submission of a critical job until it runs, " +
		"while a job on each worker computes and passes a checkpoint every 10 µs",
	Targets: []suite.Target{{Subject: troupe, Row: UrgentCheckpoint + "-p99", Of: suite.MedianFigure, AtMost: 100}},
}

var urgentLoop = suite.Workload{
	Name: UrgentLoop, Family: suite.Jobs, Baseline: goroutines, Unit: "µs", Per: time.Microsecond,
	Kind: suite.Latency, Percentiles: []float64{50, 99}, Step: 50, TinyN: 5, Duration: 2 * time.Second,
	About:   "from the submission of a critical job until it runs, while each worker is in an endless loop",
	Targets: []suite.Target{{Subject: troupe, Row: UrgentLoop + "-p99", Of: suite.MedianFigure, AtMost: 20_000}},
}

// betweenUrgent is enough for whatever the last critical job has stirred up to
// settle.
const betweenUrgent = 2 * time.Millisecond

// RunUrgent makes a function for the workloads urgent-checkpoint and urgent-loop.
// Busy starts a job that calls body, which returns when the run is over and
// calls checkpoint meanwhile if there shall be checkpoints; critical submits a
// critical job.
func RunUrgent(r *suite.Run, busy func(body func(checkpoint func())) error, critical func(job func()) error) (int64, error) {
	u := urgency{checkpoints: r.Workload.Name == UrgentCheckpoint, begun: make(chan struct{}, Procs())}
	defer u.ended.Wait()
	defer u.stop.Store(true)
	for range Procs() {
		u.ended.Add(1)
		if err := busy(u.body); err != nil {
			u.ended.Done()
			return 0, err
		}
	}
	for range Procs() {
		<-u.begun
	}
	return sampleStarts(r, betweenUrgent, critical)
}

// urgency is what keeps all workers busy.
type urgency struct {
	checkpoints bool
	stop        atomic.Bool
	begun       chan struct{}
	ended       sync.WaitGroup
}

func (u *urgency) body(checkpoint func()) {
	defer u.ended.Done()
	u.begun <- struct{}{}
	for !u.stop.Load() {
		if u.checkpoints {
			spin(tenMicroseconds)
			checkpoint()
		}
	}
}
