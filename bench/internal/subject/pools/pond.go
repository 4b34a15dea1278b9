package pools

import (
	"github.com/alitto/pond/v2"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Pond is github.com/alitto/pond.
var Pond = suite.Subject{
	Name:     "pond",
	About:    "pond v2.7.1, a pool of GOMAXPROCS for flat jobs, an unlimited one for those that wait",
	Families: families,
	Runs: suite.Merge(workload.Pools(pondTasks), map[string]suite.Func{
		jobs.Flat: func(r *suite.Run) (int64, error) {
			pool := pond.NewPool(jobs.Procs())
			defer pool.StopAndWait()
			return jobs.RunFlat(func(k int, job func()) error {
				group := pool.NewGroup()
				for range k {
					group.Submit(job)
				}
				return group.Wait()
			})(r)
		},
		jobs.SpawnJoin: func(r *suite.Run) (int64, error) {
			pool := pond.NewPool(jobs.Procs())
			defer pool.StopAndWait()
			return jobs.RunSpawnJoin(func(k int, task func(i int)) error {
				group := pool.NewGroup()
				for i := range k {
					group.Submit(func() { task(i) })
				}
				return group.Wait()
			})(r)
		},
		jobs.ForkJoin: func(r *suite.Run) (int64, error) {
			pool := pond.NewPool(0)
			defer pool.StopAndWait()
			return jobs.RunForkJoin(func(n int) int { return pondFib(pool, n) })(r)
		},
		jobs.StartIdle: func(r *suite.Run) (int64, error) {
			pool := pond.NewPool(jobs.Procs())
			defer pool.StopAndWait()
			return jobs.RunStartIdle(pool.Go)(r)
		},
	}),
	Notes: map[string]string{
		jobs.Flat:     "a task group, its way to wait for all",
		jobs.ForkJoin: "an unlimited pool, since a limited one deadlocks when jobs wait for jobs",
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
