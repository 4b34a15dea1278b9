package pools

import (
	"sync"

	"github.com/panjf2000/ants/v2"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Ants is github.com/panjf2000/ants.
var Ants = suite.Subject{
	Name:     "ants",
	About:    "ants v2.12.1, a pool of GOMAXPROCS for flat jobs, an unlimited one for those that wait",
	Families: families,
	Runs: suite.Merge(workload.Pools(antsTasks), map[string]suite.Func{
		jobs.Flat: func(r *suite.Run) (int64, error) {
			return withAnts(jobs.Procs(), func(pool *ants.Pool) (int64, error) {
				return jobs.RunFlat(func(k int, job func()) error {
					var all sync.WaitGroup
					all.Add(k)
					counted := func() {
						job()
						all.Done()
					}
					for range k {
						if err := pool.Submit(counted); err != nil {
							return err
						}
					}
					all.Wait()
					return nil
				})(r)
			})
		},
		jobs.SpawnJoin: func(r *suite.Run) (int64, error) {
			return withAnts(jobs.Procs(), func(pool *ants.Pool) (int64, error) {
				return jobs.RunSpawnJoin(func(k int, task func(i int)) error {
					var all sync.WaitGroup
					all.Add(k)
					for i := range k {
						if err := pool.Submit(func() { task(i); all.Done() }); err != nil {
							return err
						}
					}
					all.Wait()
					return nil
				})(r)
			})
		},
		jobs.ForkJoin: func(r *suite.Run) (int64, error) {
			return withAnts(-1, func(pool *ants.Pool) (int64, error) {
				return jobs.RunForkJoin(func(n int) int { return antsFib(pool, n) })(r)
			})
		},
		jobs.StartIdle: func(r *suite.Run) (int64, error) {
			return withAnts(jobs.Procs(), func(pool *ants.Pool) (int64, error) { return jobs.RunStartIdle(pool.Submit)(r) })
		},
	}),
	Notes: map[string]string{
		jobs.ForkJoin: "an unlimited pool, since a limited one deadlocks when jobs wait for jobs",
	},
}

func withAnts(size int, do func(*ants.Pool) (int64, error)) (int64, error) {
	pool, err := ants.NewPool(size)
	if err != nil {
		return 0, err
	}
	defer pool.Release()
	return do(pool)
}

func antsFib(pool *ants.Pool, n int) int {
	if n < 2 {
		return n
	}
	half := make(chan int, 1)
	if err := pool.Submit(func() { half <- antsFib(pool, n-1) }); err != nil {
		return -1 << 40 // The result will be found wrong.
	}
	b := antsFib(pool, n-2)
	return <-half + b
}
