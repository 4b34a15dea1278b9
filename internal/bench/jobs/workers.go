package jobs

import (
	"sync"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Workers is the pool that one would write by hand.
var Workers = suite.Subject{
	Name:     workers,
	About:    "GOMAXPROCS goroutines that take functions from one channel of 1,024",
	Families: families,
	Runs: map[string]suite.Func{
		Flat: func(r *suite.Run) (int64, error) {
			w := startWorkers(usualCapacity)
			defer w.stop()
			return RunFlat(w.runAll)(r)
		},
		StartIdle: func(r *suite.Run) (int64, error) {
			w := startWorkers(usualCapacity)
			defer w.stop()
			return RunStartIdle(w.submit)(r)
		},
		OneFlooded: func(r *suite.Run) (int64, error) {
			w := startWorkers(r.Size)
			defer w.stop()
			return RunOneFlooded(r, func(k int, job func()) error {
				return w.submit(func() {
					for range k {
						w.in <- job
					}
				})
			})
		},
		Queued: workersQueued,
		SpawnJoin: func(r *suite.Run) (int64, error) {
			w := startWorkers(usualCapacity)
			defer w.stop()
			return RunSpawnJoin(w.startAndJoin)(r)
		},
	},
	Notes: map[string]string{
		"":               "no results, errors, panic containment, priorities or statistics",
		Yield:            "a job can't yield",
		ForkJoin:         "a job that waits for another deadlocks",
		UrgentCheckpoint: "a busy worker takes nothing, however urgent",
		UrgentLoop:       "a busy worker takes nothing, however urgent",
		OneFlooded:       "a channel of 10,000, since a job that submits to a full one deadlocks; there is one queue for all",
		Queued:           "a channel of 1,000,000, and one function for all, so that a job is a pointer",
	},
}

const usualCapacity = 1024

type channelWorkers struct {
	in    chan func()
	ended sync.WaitGroup
}

func startWorkers(capacity int) *channelWorkers {
	w := &channelWorkers{in: make(chan func(), capacity)}
	for range Procs() {
		w.ended.Go(func() {
			for job := range w.in {
				job()
			}
		})
	}
	return w
}

func (w *channelWorkers) stop() {
	close(w.in)
	w.ended.Wait()
}

func (w *channelWorkers) submit(job func()) error {
	w.in <- job
	return nil
}

func (w *channelWorkers) runAll(k int, job func()) error {
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

func (w *channelWorkers) startAndJoin(k int, task func(i int)) error {
	var all sync.WaitGroup
	all.Add(k)
	for i := range k {
		w.in <- func() {
			task(i)
			all.Done()
		}
	}
	all.Wait()
	return nil
}

// workersQueued makes the channel part of what is measured, and starts the
// workers when all are queued.
func workersQueued(r *suite.Run) (int64, error) {
	w := &channelWorkers{}
	submitAll := func(k int, job func()) error {
		w.in = make(chan func(), k)
		for range k {
			w.in <- job
		}
		return nil
	}
	return RunQueued(r, submitAll, func() error {
		w.ended.Go(func() {
			for job := range w.in {
				job()
			}
		})
		w.stop()
		return nil
	})
}
