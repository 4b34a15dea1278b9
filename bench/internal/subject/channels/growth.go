package channels

import (
	"sync"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// growthRuns are the runs of the workloads about growth.
func growthRuns() map[string]suite.Func {
	runs := map[string]suite.Func{}
	for _, size := range workload.Crowds {
		runs[workload.GrowthName(workload.GrowMessage, size)] = hop
		runs[workload.GrowthName(workload.GrowActor, size)] = spawn
		runs[workload.GrowthName(workload.GrowMemory, size)] = func(r *suite.Run) (int64, error) { return memory(r, true) }
	}
	return runs
}

func hop(r *suite.Run) (int64, error) {
	places, counts := make([]chan int, r.Size), make([]int64, r.Size)
	for i := range places {
		// Together they have room for many more than there are, so not all can wait.
		places[i] = make(chan int, min(workload.Tokens(r.Size), 16))
	}
	var arrived, ended sync.WaitGroup
	arrived.Add(workload.Tokens(r.Size))
	for i, in := range places {
		next := places[workload.Hop(i, r.Size)]
		ended.Go(func() {
			for hops := range in {
				if counts[i]++; hops == 1 {
					arrived.Done()
				} else {
					next <- hops - 1
				}
			}
		})
	}
	r.Start()
	err := workload.Shares(r.N, r.Size, func(token, hops int) error { places[token] <- hops; return nil })
	arrived.Wait()
	r.Stop()
	for _, in := range places {
		close(in)
	}
	ended.Wait()
	return total(counts), err
}
