package pools

import (
	"sync"

	"github.com/troupe-go/troupe/bench/internal/suite"
	"github.com/troupe-go/troupe/bench/internal/workload"
)

// Goroutines starts a goroutine for each job.
var Goroutines = suite.Subject{
	Name:     "goroutines",
	About:    "a goroutine for each job, sync.WaitGroup and a channel to wait",
	Families: jobs,
	Runs: map[string]suite.Func{
		workload.Flat: flat(func(k int, job func()) error {
			var all sync.WaitGroup
			for range k {
				all.Go(job)
			}
			all.Wait()
			return nil
		}),
		workload.ForkJoin:  forkJoin(goFib),
		workload.StartIdle: startIdle(func(job func()) error { go job(); return nil }),
	},
	Notes: map[string]string{
		workload.StartIdle: "the submitter blocks, so the goroutine runs on the submitter's processor: nobody is woken",
	},
}

func goFib(n int) int {
	if n < 2 {
		return n
	}
	half := make(chan int, 1)
	go func() { half <- goFib(n - 1) }()
	b := goFib(n - 2)
	return <-half + b
}
