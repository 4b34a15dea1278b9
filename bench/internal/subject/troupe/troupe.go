// Package troupe does the workloads with this project's own packages, as their
// documentation shows it.
package troupe

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

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
		workload.BesideFlood:  besideTicks,
		workload.BesideTicks:  besideTicks,
		workload.BesideHalt:   besideHalt,
		workload.BesideHTTP:   besideHTTP,
	}),
	Notes: suite.Merge(jobs.Troupe.Notes, savinaNotes, map[string]string{
		workload.UrgentFlood: "the Control lane; Data has a capacity of 16,384 so that the flood fits in",
	}),
}

var background = context.Background()

// run calls do with a system of its own and stops that afterwards.
func run(do func(sys *actor.System) (int64, error)) (result int64, err error) {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		return 0, err
	}
	defer func() {
		if s := sys.Stats(); err == nil && s.DeadLetters > 0 {
			err = fmt.Errorf("%d messages became dead letters", s.DeadLetters)
		}
		err = errors.Join(err, sys.Stop(background))
	}()
	return do(sys)
}

// spawnN spawns n actors with what receive returns for each.
func spawnN[M any](
	at actor.Spawner, n int, receive func(i int) func(*actor.Context[M], M) error,
) ([]actor.Ref[M], error) {
	refs := make([]actor.Ref[M], n)
	for i := range refs {
		ref, err := actor.Spawn(at, actor.Func(receive(i)))
		if err != nil {
			return nil, err
		}
		refs[i] = ref
	}
	return refs, nil
}
