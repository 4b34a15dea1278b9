package jobs

import (
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Balanced is the perfect balance: nobody has to be given work. It is in no
// family, since it is there for this one comparison.
var Balanced = suite.Subject{
	Name:  balanced,
	About: "GOMAXPROCS goroutines that draw the numbers of the jobs from one counter: nothing is queued",
	Runs: map[string]suite.Func{
		OneFlooded: func(r *suite.Run) (int64, error) { return RunOneFlooded(r, drawAll) },
	},
}

func drawAll(k int, job func()) error {
	var drawn atomic.Int64
	var ended sync.WaitGroup
	for range Procs() {
		ended.Go(func() {
			for drawn.Add(1) <= int64(k) {
				job()
			}
		})
	}
	ended.Wait()
	return nil
}
