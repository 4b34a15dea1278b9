package troupe

import (
	"github.com/troupe-go/troupe/bench/internal/beside"
	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Inspected is this project with a default inspector and its page, which nobody has open.
var Inspected = suite.Subject{
	Name:  "inspected",
	About: "troupe with inspect.New and Inspector.Handler in their default configurations",
	Runs: map[string]suite.Func{
		workload.PingPong: func(r *suite.Run) (int64, error) { return playPingPong(r, true) },
		workload.Tell:     func(r *suite.Run) (int64, error) { return tellAll(r, 1, true) },
		workload.Tell4:    func(r *suite.Run) (int64, error) { return tellAll(r, 4, true) },
	},
}

// Subject is this project.
var Subject = suite.Subject{
	Name:     "troupe",
	About:    "actor.System and sched.Scheduler with their default configurations",
	Families: []suite.Family{suite.Actors, suite.Jobs},
	Runs: suite.Merge(jobs.Troupe.Runs, savinaRuns, growthRuns(), poolRuns, map[string]suite.Func{
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
		workload.Check:        checking(spend),
		workload.CheckCall:    checking(checkpoint),
		beside.Flood:          besideTicks,
		beside.Ticks:          besideTicks,
		beside.Halt:           besideHalt,
		beside.HTTP:           besideHTTP,
	}),
	Notes: suite.Merge(jobs.Troupe.Notes, savinaNotes, map[string]string{
		workload.UrgentFlood: "the Control lane; Data has a capacity of 16,384 so that the flood fits in",
		workload.Check:       "sched.Budget, in a job",
		workload.CheckCall:   "sched.Checkpoint, in a job",
	}),
}
