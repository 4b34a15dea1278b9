package jobs

import "github.com/troupe-go/troupe/internal/bench/suite"

// ForkJoin is the name of the workload that divides and conquers.
const ForkJoin = "fib"

var forkJoin = suite.Workload{
	Name: ForkJoin, Family: suite.Jobs, Baseline: goroutines, Unit: "ns/fork", Size: 27, TinySize: 8,
	About: "fib(27) without a cut-off: each call forks one half, computes the other, and joins; 317,810 forks",
	Ops:   func(n, size int) int { return n * (Fib(size+1) - 1) },
	Want:  func(n, size int) int64 { return int64(n) * int64(Fib(size)) },
	Targets: []suite.Target{
		{Subject: troupe, Row: ForkJoin, Of: suite.RatioToBaseline, AtMost: 0.05},
		// Not 0: the one job that begins it all costs something.
		{Subject: troupe, Row: ForkJoin, Of: suite.Allocs, AtMost: 0.001},
	},
}

// Fib computes what the workload fib computes, without forks.
func Fib(n int) int {
	a, b := 0, 1
	for range n {
		a, b = b, a+b
	}
	return a
}

// RunForkJoin makes a function for the workload fib of one that computes a
// Fibonacci number.
func RunForkJoin(fib func(n int) int) suite.Func {
	return func(r *suite.Run) (int64, error) {
		var sum int64
		r.Start()
		for range r.N {
			sum += int64(fib(r.Size))
		}
		r.Stop()
		return sum, nil
	}
}
