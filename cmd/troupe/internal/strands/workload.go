package strands

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Workloads are the workloads of the evaluation, in the order of the report.
var Workloads = []*suite.Workload{
	&switchTwo, &switchMany, &spawn, &spawnMillion, &growth, &idle, &million, &connections, &echo,
}

// Subjects are all of them, in the order of the tables.
var Subjects = []*suite.Subject{&ofStrands, &ofActors, &ofGoroutines}

// The names of the subjects.
const (
	strandsName    = "strands"
	actorsName     = "actors"
	goroutinesName = "goroutines"
)

const family suite.Family = "strands"

// half and whole are how many wait at the same time, as is asked of strands; many
// is how many take turns where their stacks shall be cold.
const (
	half  = 500_000
	whole = 1_000_000
	many  = manyAtMost
)

var switchTwo = suite.Workload{
	Name: "switch", Family: family, Baseline: goroutinesName, Unit: "ns/switch", TinyN: 200, Step: 2,
	About:   "two on one processor yield to each other",
	Targets: []suite.Target{{Subject: strandsName, Row: "switch", Of: suite.MedianFigure, AtMost: 100}},
}

var switchMany = suite.Workload{
	Name: "switch-many", Family: family, Baseline: goroutinesName, Unit: "ns/switch", Size: many, TinySize: 100, Step: many, TinyN: 1000,
	About:   "100,000 on one processor yield in turn: each finds its stack cold",
	Targets: []suite.Target{{Subject: strandsName, Row: "switch-many", Of: suite.MedianFigure, AtMost: 350}},
}

var spawn = suite.Workload{
	Name: "spawn", Family: family, Baseline: goroutinesName, Unit: "s", N: half, TinyN: 1000,
	About:   "start 500,000, until all of them wait",
	Per:     time.Second,
	Ops:     func(int, int) int { return 1 },
	Targets: []suite.Target{{Subject: strandsName, Row: "spawn", Of: suite.MedianFigure, AtMost: 2}},
}

var spawnMillion = suite.Workload{
	Name: "spawn-million", Family: family, Baseline: goroutinesName, Unit: "s", N: whole, TinyN: 2 * spawn.TinyN,
	About:   "start 1,000,000, until all of them wait",
	Per:     time.Second,
	Ops:     func(int, int) int { return 1 },
	Targets: []suite.Target{{Subject: strandsName, Row: "spawn-million", Of: suite.MedianFigure, AtMost: 4.4}},
}

// The figure of growth is no time, but a ratio of times, which lies in a run as so many seconds.
var growth = suite.Workload{
	Name: "growth", Family: family, Baseline: goroutinesName, Unit: "times", N: whole, TinyN: spawnMillion.TinyN,
	About: "how many times as long 1,000,000 take to start as 500,000: spawn-million to spawn, " +
		"each the best of two that take turns",
	Per:     time.Second,
	Ops:     func(int, int) int { return 1 },
	Targets: []suite.Target{{Subject: strandsName, Row: "growth", Of: suite.MedianFigure, AtMost: 2.2}},
}

var idle = memoryOf("idle", half, "heap and stacks of each of 500,000 that wait")

var million = memoryOf("million", whole, "heap and stacks of each of 1,000,000 that wait")

// memoryOf is a workload of so many that wait: 3.0 KB each are allowed.
func memoryOf(name string, n int, about string) suite.Workload {
	return suite.Workload{
		Name: name, Family: family, Baseline: goroutinesName, Kind: suite.Memory, Unit: "bytes", N: n, TinyN: 1000, About: about,
		Targets: []suite.Target{{Subject: strandsName, Row: name, Of: suite.MedianFigure, AtMost: 3 << 10}},
	}
}

var connections = suite.Workload{
	Name: "connections", Family: family, Baseline: goroutinesName, Kind: suite.Memory, Unit: "bytes", N: mostConnections(), TinyN: 20,
	About: fmt.Sprintf("resident memory of a server's process for each of %d idle connections, which have echoed a line%s",
		mostConnections(), fewer()),
	Targets: []suite.Target{{Subject: strandsName, Row: "connections", Of: suite.RatioToBaseline, AtMost: 0.7}},
}

// The targets of echo are told in requests a second: 1.0 and 0.9 of the baseline's.
var echo = suite.Workload{
	Name: "echo", Family: family, Baseline: goroutinesName, Unit: "µs/request", Per: time.Microsecond, Step: clients, TinyN: 10 * clients,
	Duration: time.Second,
	About: "64 clients in another process send lines of 64 bytes, each when the last is back; " +
		"1.11 of the time is 0.9 of the requests a second",
	Targets: []suite.Target{
		{Subject: strandsName, Row: "echo", Of: suite.RatioToBaseline, AtMost: 1},
		{Subject: actorsName, Row: "echo", Of: suite.RatioToBaseline, AtMost: 1.11},
	},
}

var ofStrands = suite.Subject{
	Name: strandsName, About: "strands of package strand", Families: []suite.Family{family},
	Runs: map[string]suite.Func{
		switchTwo.Name:    runSwitches(yieldStrands),
		switchMany.Name:   runSwitches(yieldStrands),
		spawn.Name:        runIdle(idleStrands),
		spawnMillion.Name: runIdle(idleStrands),
		growth.Name:       runGrowth(strandsName, runIdle(idleStrands)),
		idle.Name:         runIdle(idleStrands),
		million.Name:      runIdle(idleStrands),
		connections.Name:  runConnections(strandsName),
		echo.Name:         runEcho(strandsName),
	},
	Notes: map[string]string{
		connections.Name: "a strand for each connection, which borrows a buffer while it has a line",
		echo.Name:        "a strand for each connection",
	},
}

var ofActors = suite.Subject{
	Name: actorsName, About: "an actor of package netio for each connection",
	Runs: map[string]suite.Func{
		connections.Name: runConnections(actorsName),
		echo.Name:        runEcho(actorsName),
	},
	Notes: map[string]string{
		"": "a supervised actor for each connection, which a strand reads for",
	},
}

var ofGoroutines = suite.Subject{
	Name: goroutinesName, About: "goroutines, and package net", Families: []suite.Family{family},
	Runs: map[string]suite.Func{
		switchTwo.Name:    runSwitches(yieldGoroutines),
		switchMany.Name:   runSwitches(yieldGoroutines),
		spawn.Name:        runIdle(idleGoroutines),
		spawnMillion.Name: runIdle(idleGoroutines),
		growth.Name:       runGrowth(goroutinesName, runIdle(idleGoroutines)),
		idle.Name:         runIdle(idleGoroutines),
		million.Name:      runIdle(idleGoroutines),
		connections.Name:  runConnections(goroutinesName),
		echo.Name:         runEcho(goroutinesName),
	},
	Notes: map[string]string{
		switchTwo.Name:   "runtime.Gosched with GOMAXPROCS 1",
		switchMany.Name:  "runtime.Gosched with GOMAXPROCS 1",
		connections.Name: "a goroutine with a bufio.Reader of 4 KB for each connection",
		echo.Name:        "a goroutine with a bufio.Reader of 4 KB for each connection",
	},
}

// runSwitches has Run.Size of them, or two, yield in turn.
func runSwitches(yield func(ctx context.Context, among, rounds int) (time.Duration, error)) suite.Func {
	return func(r *suite.Run) (int64, error) {
		among := max(r.Size, 2)
		rounds := max(r.N/among, 1)
		took, err := yield(context.Background(), among, rounds)
		r.Took(took)
		return int64(among * rounds), err
	}
}

// runIdle has Run.N wait at the same time.
func runIdle(wait func(ctx context.Context, cfg Config, f *Figures) error) suite.Func {
	return func(r *suite.Run) (int64, error) {
		var f Figures
		err := wait(context.Background(), Config{Count: r.N, Workers: runtime.GOMAXPROCS(0)}, &f)
		r.Took(time.Duration(f.SpawnSeconds * float64(time.Second)))
		r.Grew(uint64(max(f.BytesEach, 0) * float64(r.N)))
		return int64(r.N), err
	}
}
