// Package jobs has the workloads that are jobs or tasks, without actors, and the
// subjects that do them with nothing but this module or what comes from the Go
// project. A workload
// is one file: what is done, and the driver that its subjects share.
package jobs

import (
	"runtime"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Workloads are the workloads of jobs, in the order in which they are reported.
var Workloads = []*suite.Workload{
	&forkJoin, &spawnJoin, &flat, &yield, &startIdle, &urgentCheckpoint, &urgentLoop, &oneFlooded, &queued,
}

// TaskWorkloads are the workloads of structured tasks, in the order in which they are
// reported.
var TaskWorkloads = []*suite.Workload{&spawnJoin, &firstSuccess, &cancelWaiting}

// All are the workloads of jobs and of structured tasks.
var All = append(Workloads[:len(Workloads):len(Workloads)], &firstSuccess, &cancelWaiting)

// TaskSubjects are the subjects that can run TaskWorkloads, in the order of the tables.
var TaskSubjects = []*suite.Subject{&Troupe, &Goroutines, &Errgroup}

// Subjects are all of them, in the order of the tables.
var Subjects = []*suite.Subject{&Troupe, &Goroutines, &Workers, &Balanced}

// The names of the subjects that are baselines.
const (
	goroutines = "goroutines"
	workers    = "workers"
	balanced   = "balanced"
	errgroups  = "errgroup"
)

// troupe is the name of the subject that the targets are for.
const troupe = "troupe"

var families = []suite.Family{suite.Jobs}

// Procs is how many jobs run at a time.
func Procs() int { return runtime.GOMAXPROCS(0) }

// tenMicroseconds is how many turns of spin take about 10 µs. It is not measured
// at the start of a run, since all runs shall do the same work.
const tenMicroseconds = 10_000

// spin computes for some turns. It does not look at the clock, which would count
// the time for which the processor was somebody else's.
func spin(turns int) {
	x := uint64(turns)
	for range turns {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x) // Else there would be nothing to compute.
}
