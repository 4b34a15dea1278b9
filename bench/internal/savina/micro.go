package savina

import (
	"math"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

var counting = suite.Workload{
	Name: Counting, Family: suite.Actors, Baseline: channels, Unit: "ns/message", TinyN: 100,
	About: "an actor sends increments to another and asks it at the end how many there were (Savina)",
}

var countingAll = suite.Workload{
	Name: CountingAll, Family: suite.Actors, Baseline: channels, Unit: "ms", Per: time.Millisecond,
	Size: 2_000_000, TinySize: 1000,
	About: "the same with 2,000,000 increments and an unbounded mailbox",
	Want:  func(n, size int) int64 { return int64(n) * int64(size) },
}

var throughput = suite.Workload{
	Name: Throughput, Family: suite.Actors, Baseline: channels, Unit: "ns/message", Size: 60, TinySize: 6, Step: 60,
	About: "a goroutine sends to 60 actors in turn, each of which computes a sine for every message (Savina); " +
		"the result is how many were handled",
}

var creation = suite.Workload{
	Name: Creation, Family: suite.Actors, Baseline: channels, Unit: "ns/actor", Size: 10_000, TinySize: 50, TinyN: 100,
	About: "start an actor, send it one message, for which it computes a sine and stops, 10,000 times (Savina); " +
		"until all messages were handled",
}

var threadRing = suite.Workload{
	Name: ThreadRing, Family: suite.Actors, Baseline: channels, Unit: "ns/hop", Size: 100, TinySize: 10, Step: 100,
	About: "100 actors in a ring pass a token on (Savina); the result is what all have handled",
}

// Sine is the work of one message of the fork-join workloads. It reports what is
// always true, so that it can't be left out.
func Sine(x float64) bool {
	s := math.Sin(x)
	return s*s >= 0
}

// Theta is the argument with which the suite calls Sine.
const Theta = 37.2
