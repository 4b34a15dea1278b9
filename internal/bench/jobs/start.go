package jobs

import (
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// StartIdle is the name of the workload that submits to an idle pool.
const StartIdle = "start-idle"

var startIdle = suite.Workload{
	Name: StartIdle, Family: suite.Jobs, Baseline: goroutines, Unit: "ns", Kind: suite.Latency,
	Percentiles: []float64{50, 99}, TinyN: 10,
	About:   "from the submission of a job until it runs, when all have been idle for 200 µs",
	Targets: []suite.Target{{Subject: troupe, Row: StartIdle + "-p50", Of: suite.RatioToBaseline, AtMost: 1.5}},
}

// idleFor is long enough for every pool to let its workers sleep.
const idleFor = 200 * time.Microsecond

// RunStartIdle makes a function for the workload start-idle of one that submits
// a job.
func RunStartIdle(submit func(job func()) error) suite.Func {
	return func(r *suite.Run) (int64, error) { return sampleStarts(r, idleFor, submit) }
}

// sampleStarts measures how long submit takes to get a job running, N times,
// with a pause before each.
func sampleStarts(r *suite.Run, pause time.Duration, submit func(job func()) error) (int64, error) {
	var (
		ran      int64
		began    time.Time
		took     time.Duration
		finished = make(chan struct{}, 1)
	)
	job := func() {
		took = time.Since(began)
		ran++
		finished <- struct{}{}
	}
	r.Start()
	defer r.Stop()
	for range r.N {
		time.Sleep(pause)
		began = time.Now()
		if err := submit(job); err != nil {
			return ran, err
		}
		<-finished
		r.Sample(took)
	}
	return ran, nil
}
