package pools

import (
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/pool"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Conc is github.com/sourcegraph/conc.
var Conc = suite.Subject{
	Name:     "conc",
	About:    "conc v0.3.0, pool.Pool with GOMAXPROCS goroutines for flat jobs, conc.WaitGroup for forks",
	Families: families,
	Runs: suite.Merge(workload.Pools(concTasks), map[string]suite.Func{
		jobs.Flat: jobs.RunFlat(func(k int, job func()) error {
			p := pool.New().WithMaxGoroutines(jobs.Procs())
			for range k {
				p.Go(job)
			}
			p.Wait()
			return nil
		}),
		jobs.SpawnJoin: jobs.RunSpawnJoin(func(k int, task func(i int)) error {
			var all conc.WaitGroup
			for i := range k {
				all.Go(func() { task(i) })
			}
			all.Wait()
			return nil
		}),
		jobs.ForkJoin: jobs.RunForkJoin(concFib),
		jobs.StartIdle: func(r *suite.Run) (int64, error) {
			p := pool.New().WithMaxGoroutines(jobs.Procs())
			defer p.Wait()
			return jobs.RunStartIdle(func(job func()) error { p.Go(job); return nil })(r)
		},
	}),
}

func concFib(n int) int {
	if n < 2 {
		return n
	}
	var a int
	var half conc.WaitGroup
	half.Go(func() { a = concFib(n - 1) })
	b := concFib(n - 2)
	half.Wait()
	return a + b
}
