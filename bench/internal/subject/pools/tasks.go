package pools

import (
	"sync"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Workers is the subject of that name in package jobs, with more workloads.
var Workers = func() suite.Subject {
	w := jobs.Workers
	w.Runs = suite.Merge(w.Runs, workload.Pools(workersTasks))
	return w
}()

func workersTasks(workers, k int, task func()) error {
	in := make(chan func(), 1024)
	var ended sync.WaitGroup
	for range workers {
		ended.Go(func() {
			for do := range in {
				do()
			}
		})
	}
	for range k {
		in <- task
	}
	close(in)
	ended.Wait()
	return nil
}

func antsTasks(workers, k int, task func()) error {
	_, err := withAnts(workers, func(pool *ants.Pool) (int64, error) {
		var all sync.WaitGroup
		all.Add(k)
		counted := func() { task(); all.Done() }
		for range k {
			if err := pool.Submit(counted); err != nil {
				return 0, err
			}
		}
		all.Wait()
		return 0, nil
	})
	return err
}

func pondTasks(workers, k int, task func()) error {
	p := pond.NewPool(workers)
	defer p.StopAndWait()
	group := p.NewGroup()
	for range k {
		group.Submit(task)
	}
	return group.Wait()
}

func concTasks(workers, k int, task func()) error {
	p := pool.New().WithMaxGoroutines(workers)
	for range k {
		p.Go(task)
	}
	p.Wait()
	return nil
}

func errgroupTasks(workers, k int, task func()) error {
	var g errgroup.Group
	g.SetLimit(workers)
	for range k {
		g.Go(func() error { task(); return nil })
	}
	return g.Wait()
}
