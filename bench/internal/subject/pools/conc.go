package pools

import (
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/pool"

	"github.com/troupe-go/troupe/bench/internal/suite"
	"github.com/troupe-go/troupe/bench/internal/workload"
)

// Conc is github.com/sourcegraph/conc.
var Conc = suite.Subject{
	Name:     "conc",
	About:    "conc v0.3.0, pool.Pool with GOMAXPROCS goroutines for flat jobs, conc.WaitGroup for forks",
	Families: jobs,
	Runs: map[string]suite.Func{
		workload.Flat: flat(func(k int, job func()) error {
			p := pool.New().WithMaxGoroutines(procs())
			for range k {
				p.Go(job)
			}
			p.Wait()
			return nil
		}),
		workload.ForkJoin: forkJoin(concFib),
		workload.StartIdle: func(r *suite.Run) (int64, error) {
			p := pool.New().WithMaxGoroutines(procs())
			defer p.Wait()
			return startIdle(func(job func()) error { p.Go(job); return nil })(r)
		},
	},
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
