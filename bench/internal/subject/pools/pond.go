package pools

import (
	"github.com/alitto/pond/v2"

	"github.com/troupe-go/troupe/bench/internal/suite"
	"github.com/troupe-go/troupe/bench/internal/workload"
)

// Pond is github.com/alitto/pond.
var Pond = suite.Subject{
	Name:     "pond",
	About:    "pond v2.7.1, a pool of GOMAXPROCS for flat jobs, an unlimited one for those that wait",
	Families: jobs,
	Runs: map[string]suite.Func{
		workload.Flat: func(r *suite.Run) (int64, error) {
			pool := pond.NewPool(procs())
			defer pool.StopAndWait()
			return flat(func(k int, job func()) error {
				group := pool.NewGroup()
				for range k {
					group.Submit(job)
				}
				return group.Wait()
			})(r)
		},
		workload.ForkJoin: func(r *suite.Run) (int64, error) {
			pool := pond.NewPool(0)
			defer pool.StopAndWait()
			return forkJoin(func(n int) int { return pondFib(pool, n) })(r)
		},
		workload.StartIdle: func(r *suite.Run) (int64, error) {
			pool := pond.NewPool(procs())
			defer pool.StopAndWait()
			return startIdle(pool.Go)(r)
		},
	},
	Notes: map[string]string{
		workload.Flat:     "a task group, its way to wait for all",
		workload.ForkJoin: "an unlimited pool, since a limited one deadlocks when jobs wait for jobs",
	},
}

func pondFib(pool pond.Pool, n int) int {
	if n < 2 {
		return n
	}
	var a int
	half := pool.Submit(func() { a = pondFib(pool, n-1) })
	b := pondFib(pool, n-2)
	if err := half.Wait(); err != nil {
		return -1 << 40 // The result will be found wrong.
	}
	return a + b
}
