package pools

import (
	"golang.org/x/sync/errgroup"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Errgroup is golang.org/x/sync/errgroup.
var Errgroup = suite.Subject{
	Name:     "errgroup",
	About:    "errgroup.Group, limited to GOMAXPROCS for flat jobs, a group for each fork",
	Families: families,
	Runs: suite.Merge(jobs.Errgroup.Runs, workload.Pools(errgroupTasks), map[string]suite.Func{
		jobs.Flat: jobs.RunFlat(func(k int, job func()) error {
			var g errgroup.Group
			g.SetLimit(jobs.Procs())
			failing := func() error { job(); return nil }
			for range k {
				g.Go(failing)
			}
			return g.Wait()
		}),
		jobs.ForkJoin: jobs.RunForkJoin(errgroupFib),
		jobs.StartIdle: func(r *suite.Run) (int64, error) {
			var g errgroup.Group
			g.SetLimit(jobs.Procs())
			n, err := jobs.RunStartIdle(func(job func()) error { g.Go(func() error { job(); return nil }); return nil })(r)
			if err == nil {
				err = g.Wait()
			}
			return n, err
		},
	}),
	Notes: jobs.Errgroup.Notes,
}

func errgroupFib(n int) int {
	if n < 2 {
		return n
	}
	var a int
	var half errgroup.Group
	half.Go(func() error { a = errgroupFib(n - 1); return nil })
	b := errgroupFib(n - 2)
	if err := half.Wait(); err != nil {
		return -1 << 40 // The result will be found wrong.
	}
	return a + b
}
