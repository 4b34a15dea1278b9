package jobs

import (
	"runtime"
	"sync"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Goroutines starts a goroutine for each job.
var Goroutines = suite.Subject{
	Name:     goroutines,
	About:    "a goroutine for each job, sync.WaitGroup and a channel to wait",
	Families: families,
	Runs: map[string]suite.Func{
		Flat: RunFlat(func(k int, job func()) error {
			var all sync.WaitGroup
			for range k {
				all.Go(job)
			}
			all.Wait()
			return nil
		}),
		ForkJoin: RunForkJoin(goFib),
		SpawnJoin: RunSpawnJoin(func(k int, task func(i int)) error {
			var all sync.WaitGroup
			for i := range k {
				all.Go(func() { task(i) })
			}
			all.Wait()
			return nil
		}),
		FirstSuccess:     RunFirstSuccess(goFirstSuccess),
		Cancel:           RunCancel(goCancel),
		Yield:            RunYield(goYield),
		StartIdle:        RunStartIdle(spawn),
		UrgentCheckpoint: goUrgent,
		UrgentLoop:       goUrgent,
		OneFlooded: func(r *suite.Run) (int64, error) {
			return RunOneFlooded(r, func(k int, job func()) error {
				go func() {
					for range k {
						go job()
					}
				}()
				return nil
			})
		},
	},
	Notes: map[string]string{
		StartIdle:        "the submitter blocks, so the goroutine runs on the submitter's processor: nobody is woken",
		UrgentCheckpoint: "runtime.Gosched for a checkpoint; the submitter hands its processor to the goroutine, which has no priority",
		UrgentLoop:       "the submitter hands its processor to the goroutine, which has no priority",
		Yield:            "runtime.Gosched with GOMAXPROCS 1",
		Queued:           "left out, since a goroutine has a stack of 2 KB before it begins: a million would take 2.6 GB",
	},
}

func spawn(job func()) error {
	go job()
	return nil
}

// goYield has one processor, on which a goroutine yields to the other by way of
// the queue that all processors share.
func goYield(a, b Party) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var both sync.WaitGroup
	both.Go(func() { a.Live(runtime.Gosched) })
	both.Go(func() { b.Live(runtime.Gosched) })
	both.Wait()
	return nil
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

func goUrgent(r *suite.Run) (int64, error) {
	return RunUrgent(r, func(body func(checkpoint func())) error {
		go body(runtime.Gosched)
		return nil
	}, spawn)
}
