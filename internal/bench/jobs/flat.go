package jobs

import (
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Flat is the name of the workload that submits many jobs and waits for all.
const Flat = "flat"

var flat = suite.Workload{
	Name: Flat, Family: suite.Jobs, Baseline: workers, Unit: "ns/job", Size: 100_000, TinySize: 100, TinyN: 200,
	About:   "one goroutine submits jobs that add 1, and waits for all, in batches of 100,000",
	Targets: []suite.Target{{Subject: troupe, Row: Flat, Of: suite.RatioToBaseline, AtMost: 1}},
}

// RunFlat makes a function for the workload flat of one that submits a job k
// times and waits for all.
func RunFlat(submitAll func(k int, job func()) error) suite.Func {
	return func(r *suite.Run) (int64, error) {
		var sum atomic.Int64
		job := func() { sum.Add(1) }
		err := r.Batches(func(k int) error {
			r.Start()
			defer r.Stop()
			return submitAll(k, job)
		})
		return sum.Load(), err
	}
}
