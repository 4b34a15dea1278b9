// Package iterpull does what generators can do, with iter.Pull of the standard
// library: its coroutines switch directly, without a scheduler, and so on one
// processor.
package iterpull

import (
	"iter"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Subject is iter.Pull.
var Subject = suite.Subject{
	Name:  "iter.Pull",
	About: "iter.Pull of the standard library: a coroutine for each generator, and one thread",
	Runs: map[string]suite.Func{
		workload.PingPong: pingPong,
		workload.Tell:     tell,
		jobs.Yield:        jobs.RunYield(yield),
		savina.RadixSort:  radixSort,
		savina.Sieve:      sieve,
	},
	Notes: map[string]string{
		"":                "one thread, no queues: the puller waits until the other side yields",
		workload.PingPong: "a generator and its caller",
		savina.RadixSort:  "a chain of generators, each pulled by the next",
		savina.Sieve:      "a chain of generators, each pulled by the next",
	},
}

func pingPong(r *suite.Run) (int64, error) {
	var handled int64
	left := r.N
	play := func() {
		handled++
		left--
	}
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		for left > 0 {
			if play(); !yield(struct{}{}) {
				return
			}
		}
	})
	defer stop()
	r.Start()
	for left > 0 {
		if play(); left > 0 {
			next()
		}
	}
	r.Stop()
	return handled, nil
}

func tell(r *suite.Run) (int64, error) {
	next, stop := iter.Pull(numbers(r.N, func(i int) int { return i }))
	defer stop()
	var sum int64
	r.Start()
	for v, ok := next(); ok; v, ok = next() {
		sum += int64(v)
	}
	r.Stop()
	return sum, nil
}

func numbers(n int, value func(i int) int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(value(i)) {
				return
			}
		}
	}
}

// yield lets one party pull the other.
func yield(a, b jobs.Party) error {
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		b.Live(func() { yield(struct{}{}) })
	})
	defer stop()
	a.Live(func() { next() })
	return nil
}

func radixSort(r *suite.Run) (int64, error) {
	seq := numbers(r.N, func(i int) int { return savina.Value(i, r.Size) })
	for bit := range r.Size {
		seq = digit(savina.NewDigit(bit, r.N), seq)
	}
	order := savina.NewOrder(r.N)
	r.Start()
	for v := range seq {
		order.Take(v)
	}
	r.Stop()
	return order.Sum()
}

// digit pulls the numbers and yields them sorted by one bit.
func digit(d savina.Digit, seq iter.Seq[int]) iter.Seq[int] {
	return func(yield func(int) bool) {
		next, stop := iter.Pull(seq)
		defer stop()
		for v, ok := next(); ok; v, ok = next() {
			if d.Pass(v) && !yield(v) {
				return
			}
			for _, v := range d.Rest() {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// sieve grows its chain from the end: the last link is pulled, and gets a
// successor when it has kept as many primes as it may.
func sieve(r *suite.Run) (int64, error) {
	var sum int64
	r.Start()
	for range r.N {
		candidates := func(yield func(int) bool) {
			_ = savina.Candidates(r.Size, func(v int) error {
				if v != savina.LastNumber {
					yield(v)
				}
				return nil
			})
		}
		sum += int64(chain(savina.NewFilter(r.Size), candidates))
	}
	r.Stop()
	return sum, nil
}

// chain returns how many primes there are among what a sequence has left over
// and what f has kept so far.
func chain(f savina.Filter, seq iter.Seq[int]) int {
	next, stop := iter.Pull(seq)
	defer stop()
	for v, ok := next(); ok; v, ok = next() {
		if !f.Pass(v) {
			continue
		}
		return chain(f.Next(), func(yield func(int) bool) {
			for ; ok; v, ok = next() {
				if f.Pass(v) && !yield(v) {
					return
				}
			}
		})
	}
	return f.Count()
}
