package pools

import (
	"sync"

	"github.com/troupe-go/troupe/bench/internal/suite"
	"github.com/troupe-go/troupe/bench/internal/workload"
)

// Workers is the pool that one would write by hand.
var Workers = suite.Subject{
	Name:     "workers",
	About:    "GOMAXPROCS goroutines that take functions from one channel of 1,024",
	Families: jobs,
	Runs: map[string]suite.Func{
		workload.Flat: func(r *suite.Run) (int64, error) {
			w := startWorkers()
			defer w.stop()
			return flat(w.runAll)(r)
		},
		workload.StartIdle: func(r *suite.Run) (int64, error) {
			w := startWorkers()
			defer w.stop()
			return startIdle(func(job func()) error { w.in <- job; return nil })(r)
		},
	},
	Notes: map[string]string{
		"": "no results, errors, panic containment, priorities or statistics; a job that waits for another deadlocks, hence no fib",
	},
}

type workers struct {
	in    chan func()
	ended sync.WaitGroup
}

func startWorkers() *workers {
	w := &workers{in: make(chan func(), 1024)}
	for range procs() {
		w.ended.Go(func() {
			for job := range w.in {
				job()
			}
		})
	}
	return w
}

func (w *workers) stop() {
	close(w.in)
	w.ended.Wait()
}

func (w *workers) runAll(k int, job func()) error {
	var all sync.WaitGroup
	all.Add(k)
	counted := func() {
		job()
		all.Done()
	}
	for range k {
		w.in <- counted
	}
	all.Wait()
	return nil
}
