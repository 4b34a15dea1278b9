package jobs

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// OneFlooded is the name of the workload that submits all jobs in one place.
const OneFlooded = "one-flooded"

var oneFlooded = suite.Workload{
	Name: OneFlooded, Family: suite.Jobs, Baseline: balanced, Unit: "ms", Per: time.Millisecond,
	Size: 10_000, TinySize: 100,
	About: "a job submits 10,000 jobs of 10 µs to its own worker while the others are idle; until all have run",
	Want:  func(n, size int) int64 { return int64(n) * int64(size) },
	Targets: []suite.Target{
		{Subject: troupe, Row: OneFlooded, Of: suite.RatioToBaseline, AtMost: 1.15},
	},
}

// RunOneFlooded runs the workload one-flooded. Flood has a job submit another k
// times.
func RunOneFlooded(r *suite.Run, flood func(k int, job func()) error) (int64, error) {
	var sum atomic.Int64
	for range r.N {
		if err := floodOnce(r, &sum, flood); err != nil {
			return sum.Load(), err
		}
	}
	return sum.Load(), nil
}

func floodOnce(r *suite.Run, sum *atomic.Int64, flood func(k int, job func()) error) error {
	var all sync.WaitGroup
	all.Add(r.Size)
	job := func() {
		spin(tenMicroseconds)
		sum.Add(1)
		all.Done()
	}
	r.Start()
	defer r.Stop()
	if err := flood(r.Size, job); err != nil {
		return err
	}
	all.Wait()
	return nil
}
