package jobs

import "github.com/troupe-go/troupe/internal/bench/suite"

// SpawnJoin is the name of the workload that starts trivial tasks and joins them.
const SpawnJoin = "spawn-join"

var spawnJoin = suite.Workload{
	Name: SpawnJoin, Family: suite.Jobs, Baseline: goroutines, Unit: "ns/task", Size: 1000, TinySize: 100, Step: 1000,
	About: "start 1,000 trivial tasks that note a value each, and join them, over and over; " +
		"the result is how many values were there after the join",
	Targets: []suite.Target{
		{Subject: troupe, Row: SpawnJoin, Of: suite.RatioToBaseline, AtMost: 1},
		{Subject: troupe, Row: SpawnJoin, Of: suite.RatioToBaseline, AtMost: 1, To: errgroups},
		{Subject: troupe, Row: SpawnJoin, Of: suite.RatioToBaseline, AtMost: 1, To: "conc"},
	},
}

// RunSpawnJoin makes a function for the workload spawn-join of one that starts
// k tasks, the i-th of which calls task(i), and joins them.
func RunSpawnJoin(startAndJoin func(k int, task func(i int)) error) suite.Func {
	return func(r *suite.Run) (int64, error) {
		var there int64
		values := make([]int, r.Size)
		err := r.Batches(func(k int) error {
			clear(values)
			task := func(i int) { values[i] = i + 1 }
			r.Start()
			if err := startAndJoin(k, task); err != nil {
				return err
			}
			for i, v := range values[:k] {
				if v == i+1 {
					there++
				}
			}
			return nil
		})
		r.Stop()
		return there, err
	}
}
