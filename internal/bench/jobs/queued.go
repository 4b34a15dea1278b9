package jobs

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Queued is the name of the workload about the memory of jobs that wait.
const Queued = "queued"

var queued = suite.Workload{
	Name: Queued, Family: suite.Jobs, Baseline: workers, Unit: "bytes/job", Kind: suite.Memory,
	N: 1_000_000, TinyN: 1000,
	About:   "heap and stacks of 1,000,000 jobs that are queued while every worker is held; that each runs is checked afterwards",
	Targets: []suite.Target{{Subject: troupe, Row: Queued, Of: suite.MedianFigure, AtMost: 100}},
}

// RunQueued runs the workload queued. SubmitAll submits a job k times while no
// worker takes any; finish lets them run and waits for all.
func RunQueued(r *suite.Run, submitAll func(k int, job func()) error, finish func() error) (int64, error) {
	var sum atomic.Int64
	err := r.InUse(func() error { return submitAll(r.N, func() { sum.Add(1) }) })
	early := sum.Load()
	if err = errors.Join(err, finish()); err == nil && early > 0 {
		err = fmt.Errorf("%d jobs ran while all were to be queued", early)
	}
	return sum.Load(), err
}
