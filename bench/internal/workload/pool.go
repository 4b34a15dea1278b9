package workload

import (
	"runtime"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// The names of the workloads with a pool that does tasks.
const (
	Pool    = "pool"
	PoolOne = "pool-one"
)

// workers is the name of the baseline of the pools.
const workers = "workers"

var pool = suite.Workload{
	Name: Pool, Family: suite.Jobs, Baseline: workers, Unit: "ns/task", Size: 2000, TinySize: 20, TinyN: 40,
	About: "a pool of GOMAXPROCS workers does tasks of about 20 µs for one goroutine, in batches of 2,000",
	Targets: []suite.Target{
		{Subject: troupe, Row: Pool, Of: suite.RatioToBaseline, AtMost: 1.1},
	},
}

var poolOne = suite.Workload{
	Name: PoolOne, Family: suite.Jobs, Baseline: workers, Unit: "ns/task", Size: 2000, TinySize: 20, TinyN: 40,
	About: "the same by one worker; on two free processors a pool of two should be 1.7 times as fast or more",
}

// Pools returns the workloads for a function that does k tasks by so many
// workers, waits for all, and returns what could not be done.
func Pools(doAll func(workers, k int, task func()) error) map[string]suite.Func {
	of := func(workers int) suite.Func {
		return func(r *suite.Run) (int64, error) {
			var sum atomic.Int64
			task := func() {
				twentyMicroseconds()
				sum.Add(1)
			}
			err := r.Batches(func(k int) error {
				r.Start()
				defer r.Stop()
				return doAll(workers, k, task)
			})
			return sum.Load(), err
		}
	}
	return map[string]suite.Func{Pool: of(jobs.Procs()), PoolOne: of(1)}
}

// twentyMicroseconds computes. It does not look at the clock, which would count
// the time for which the processor was somebody else's.
func twentyMicroseconds() {
	x := uint64(1)
	for range 20_000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x) // Else there would be nothing to compute.
}
