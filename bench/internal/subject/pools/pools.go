// Package pools has the subjects that run jobs: goroutines, channel workers and
// the pool libraries, one file each.
package pools

import (
	"runtime"
	"sync/atomic"

	"github.com/troupe-go/troupe/bench/internal/suite"
	"github.com/troupe-go/troupe/bench/internal/workload"
)

var jobs = []suite.Family{suite.Jobs}

// flat makes a workload function of one that submits job k times and waits for
// all.
func flat(submitAll func(k int, job func()) error) suite.Func {
	return func(r *suite.Run) (int64, error) {
		var sum atomic.Int64
		job := func() { sum.Add(1) }
		err := workload.Batches(r.N, r.Size, func(k int) error {
			r.Start()
			defer r.Stop()
			return submitAll(k, job)
		})
		return sum.Load(), err
	}
}

// forkJoin makes a workload function of one that computes a Fibonacci number.
func forkJoin(fib func(n int) int) suite.Func {
	return func(r *suite.Run) (int64, error) {
		var sum int64
		r.Start()
		for range r.N {
			sum += int64(fib(r.Size))
		}
		r.Stop()
		return sum, nil
	}
}

// startIdle makes a workload function of one that submits a job.
func startIdle(submit func(job func()) error) suite.Func {
	return func(r *suite.Run) (int64, error) { return workload.RunStartIdle(r, submit) }
}

// procs is how many jobs a limited pool runs at a time.
func procs() int { return runtime.GOMAXPROCS(0) }
