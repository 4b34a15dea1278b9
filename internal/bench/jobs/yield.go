package jobs

import (
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Yield is the name of the workload that switches between two of a kind.
const Yield = "yield"

var yield = suite.Workload{
	Name: Yield, Family: suite.Jobs, Baseline: goroutines, Unit: "ns/switch", TinyN: 2000, Step: 2,
	About: "two on one processor yield to each other; the result is the yields, " +
		"unless the other had too often not been there in between",
	Targets: []suite.Target{{Subject: troupe, Row: Yield, Of: suite.MedianFigure, AtMost: 100}},
}

// Party is one of those that yield to each other.
type Party struct {
	me   int64
	last *atomic.Int64 // The member that ran last.
	turn *atomic.Int64
	left int
}

// Live yields until the party's share is used up.
func (p Party) Live(yield func()) {
	for ; p.left > 0; p.left-- {
		if p.last.Load() != p.me {
			p.last.Store(p.me)
			p.turn.Add(1)
		}
		yield()
	}
}

// RunYield makes a function for the workload yield of one that runs two parties
// on one processor, both of them queued before either begins.
func RunYield(both func(a, b Party) error) suite.Func {
	return func(r *suite.Run) (int64, error) {
		var last, turn atomic.Int64
		a, b := Party{1, &last, &turn, r.N / 2}, Party{2, &last, &turn, r.N / 2}
		r.Start()
		err := both(a, b)
		r.Stop()
		// The Go scheduler looks into the shared queue out of turn, every 61st time.
		if turns := turn.Load(); turns*10 < int64(r.N)*9 {
			return turns, err
		}
		return int64(r.N), err
	}
}
