package workload

import (
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// The names of the workloads about the lives of actors.
const (
	Spawn      = "spawn"
	SpawnNew   = "spawn-new"
	Stop       = "stop"
	Memory     = "memory"
	MemoryUsed = "memory-used"
	// MemoryStrand is about what waits with a stack.
	MemoryStrand = "memory-strand"
	Skynet       = "skynet"
)

var spawn = suite.Workload{
	Name: Spawn, Family: suite.Actors, Baseline: channels, Unit: "ns/actor", Size: 10_000, TinySize: 50, TinyN: 100,
	About: "start actors until 10,000 live, and let each handle a first message, which proves that it does; " +
		"their end is not measured",
	Targets: []suite.Target{
		{Subject: troupe, Row: Spawn, Of: suite.RatioToBaseline, AtMost: 0.3},
	},
}

// A service that grows has no stacks left over from what has ended before, and
// neither has this: its process does it once, after a hundred actors to warm up.
var spawnNew = suite.Workload{
	Name: SpawnNew, Family: suite.Actors, Baseline: channels, Unit: "ns/actor",
	N: 100_000, NFor: 100 * time.Millisecond, Size: 100_000, TinySize: 50, TinyN: 100,
	About: "the same once, up to 100,000 actors, in a process that has had no more than a hundred before",
	Targets: []suite.Target{
		{Subject: troupe, Row: SpawnNew, Of: suite.RatioToBaseline, AtMost: 0.3},
	},
}

var stop = suite.Workload{
	Name: Stop, Family: suite.Actors, Baseline: channels, Unit: "ns/actor", Size: 10_000, TinySize: 50, TinyN: 100,
	About: "stop idle actors one after the other, and wait for the end of each; the result is how many have ended",
	Targets: []suite.Target{
		{Subject: troupe, Row: Stop, Of: suite.RatioToBaseline, AtMost: 0.9},
	},
}

var memory = suite.Workload{
	Name: Memory, Family: suite.Actors, Baseline: channels, Unit: "bytes/actor", Kind: suite.Memory,
	N: 20_000, TinyN: 100,
	About: "heap and stacks of 20,000 actors that have never had a message; that each lives is checked afterwards",
	Targets: []suite.Target{
		{Subject: troupe, Row: Memory, Of: suite.MedianFigure, AtMost: 400},
	},
}

var memoryUsed = suite.Workload{
	Name: MemoryUsed, Family: suite.Actors, Baseline: channels, Unit: "bytes/actor", Kind: suite.Memory,
	N: 20_000, TinyN: 100,
	About: "the same for actors that have handled a message and wait for the next",
	Targets: []suite.Target{
		{Subject: troupe, Row: MemoryUsed, Of: suite.MedianFigure, AtMost: 400},
	},
}

var memoryStrand = suite.Workload{
	Name: MemoryStrand, Family: suite.Actors, Baseline: channels, Unit: "bytes/strand", Kind: suite.Memory,
	N: 20_000, TinyN: 100,
	About:   "heap and stacks of 20,000 strands that wait to be woken, with a stack each; that each wakes is checked afterwards",
	Targets: []suite.Target{{Subject: troupe, Row: MemoryStrand, Of: suite.MedianFigure, AtMost: 3000}},
}

// SkynetFanOut is how many children an actor of the workload skynet has.
const SkynetFanOut = 10

var skynet = suite.Workload{
	Name: Skynet, Family: suite.Actors, Baseline: channels, Unit: "ms", Per: 1_000_000, Size: 100_000, TinySize: 1000,
	About: "an actor has ten children, those ten each, down to 100,000 leaves, whose numbers are added up on the way back",
	Want:  func(n, size int) int64 { return int64(n) * int64(size) * int64(size-1) / 2 },
	Targets: []suite.Target{
		{Subject: troupe, Row: Skynet, Of: suite.RatioToBaseline, AtMost: 0.6},
	},
}
