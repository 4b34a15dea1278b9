// Package channels does the workloads with goroutines and channels alone, as one
// would write them by hand: it is the baseline of the actor workloads.
package channels

import (
	"github.com/troupe-go/troupe/bench/internal/beside"
	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// capacity is the capacity of a mailbox, the same as troupe's default.
const capacity = 1024

// Subject is plain Go with channels.
var Subject = suite.Subject{
	Name:     "channels",
	About:    "a goroutine with a buffered channel for each actor",
	Families: []suite.Family{suite.Actors},
	Runs: suite.Merge(savinaRuns, growthRuns(), map[string]suite.Func{
		workload.PingPong:     pingPong,
		workload.Tell:         func(r *suite.Run) (int64, error) { return tell(r, 1) },
		workload.Tell4:        func(r *suite.Run) (int64, error) { return tell(r, 4) },
		workload.AskOutside:   askOutside,
		workload.AskInside:    askInside,
		workload.Ring:         ring,
		workload.Spawn:        spawn,
		workload.SpawnNew:     spawn,
		workload.Stop:         stop,
		workload.Memory:       func(r *suite.Run) (int64, error) { return memory(r, false) },
		workload.MemoryUsed:   func(r *suite.Run) (int64, error) { return memory(r, true) },
		workload.MemoryStrand: memoryStrand,
		workload.Big:          big,
		workload.Skynet:       skynet,
		workload.UrgentFlood:  urgentFlood,
		workload.UrgentBusy:   urgentBusy,
		workload.UrgentEvent:  urgentBusy,
		beside.Flood:          besideTicks,
		beside.Ticks:          besideTicks,
		beside.Halt:           besideHalt,
		beside.HTTP:           besideHTTP,
	}),
	Notes: suite.Merge(savinaNotes, map[string]string{
		"":                    "no lifecycle, supervision, panic containment or statistics: less is done than by a library",
		workload.Spawn:        "channels of capacity 1, the cheapest that does the work",
		workload.SpawnNew:     "channels of capacity 1, the cheapest that does the work",
		workload.Memory:       "channels of capacity 1; a channel of 1,024 would take 8 KB more",
		workload.MemoryUsed:   "channels of capacity 1; a channel of 1,024 would take 8 KB more",
		workload.MemoryStrand: "a goroutine that waits for one channel of all",
		workload.UrgentFlood:  "a second channel, looked at before the first",
		workload.UrgentBusy: "the Go scheduler hands the processor from the sender straight to the receiver; " +
			"see urgent-event for the wait before that",
	}),
}
