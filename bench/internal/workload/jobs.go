package workload

import (
	"time"

	"github.com/troupe-go/troupe/bench/internal/suite"
)

// The names of the workloads that are jobs, without actors.
const (
	Flat      = "flat"
	ForkJoin  = "fib"
	StartIdle = "start-idle"
)

var flat = suite.Workload{
	Name: Flat, Family: suite.Jobs, Baseline: workers, Unit: "ns/job", Size: 100_000, TinySize: 100, TinyN: 200,
	About: "one goroutine submits jobs that add 1, and waits for all, in batches of 100,000",
}

var forkJoin = suite.Workload{
	Name: ForkJoin, Family: suite.Jobs, Baseline: goroutines, Unit: "ns/fork", Size: 20, TinySize: 8,
	About: "fib(20) without a cut-off: each call forks one half, computes the other, and joins; 10,945 forks",
	Ops:   func(n, size int) int { return n * (Fib(size+1) - 1) },
	Want:  func(n, size int) int64 { return int64(n) * int64(Fib(size)) },
}

// Fib computes what the workload fib computes, without forks.
func Fib(n int) int {
	a, b := 0, 1
	for range n {
		a, b = b, a+b
	}
	return a
}

var startIdle = suite.Workload{
	Name: StartIdle, Family: suite.Jobs, Baseline: goroutines, Unit: "ns", Kind: suite.Latency,
	Percentiles: []int{50, 99}, TinyN: 10,
	About: "from the submission of a job until it runs, when all have been idle for 200 µs",
}

// idleFor is long enough for every pool here to let its workers sleep.
const idleFor = 200 * time.Microsecond

// RunStartIdle measures how long submit takes to get a job running.
func RunStartIdle(r *suite.Run, submit func(job func()) error) (int64, error) {
	var (
		ran      int64
		began    time.Time
		took     time.Duration
		finished = make(chan struct{}, 1)
	)
	job := func() {
		took = time.Since(began)
		ran++
		finished <- struct{}{}
	}
	r.Start()
	for range r.N {
		time.Sleep(idleFor)
		began = time.Now()
		if err := submit(job); err != nil {
			return ran, err
		}
		<-finished
		r.Sample(took)
	}
	r.Stop()
	return ran, nil
}
