package sched

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// JobOption changes how one job is run.
type JobOption = workers.JobOption

// WithPriority gives the job a priority. The default is [Normal].
func WithPriority(p Priority) JobOption { return workers.WithPriority(p) }

// WithWorker pins the job to the worker with this id: it runs there and nowhere else,
// also after each suspension, yield and checkpoint. If that worker is held by other
// work, the job waits for it, whatever happens: a spare worker does not take it. Workers
// have the ids 0 to [Scheduler.Workers]-1; spare workers can't be chosen. By default a
// job runs anywhere.
func WithWorker(id int) JobOption { return workers.WithWorker(id) }

// WithAffinity lets the job run on the worker with this id as long as that one can keep
// up. Others take it when more than 4 pieces of work that prefer the worker wait, and
// it has more than twice as much to do as the others have on average, or when the
// worker is held by other work for longer than [Config].BlockedAfter. Critical work does
// not wait for its preferred worker. By default a job runs anywhere.
func WithAffinity(id int) JobOption { return workers.WithAffinity(id) }

// WithKind says what kind of work the job is. The scheduler measures the cost
// of each kind, steals by it, and shows it in [Stats].Kinds. The first 1,024
// names of a scheduler are told apart; jobs with others share the kind "other".
// The default, also for an empty name, is a kind without a name.
func WithKind(name string) JobOption { return workers.WithKind(name) }

// WithCost says for how long the job will hold its worker, by estimate. Thieves
// take fewer jobs at a time the more they cost. It need not be exact, and
// nothing happens when it is exceeded. The default, also for 0, is the mean of
// what was measured of the job's kind.
func WithCost(d time.Duration) JobOption { return workers.WithCost(d) }

// WithTimeout bounds the time of the job, from its beginning on; see
// Config.JobTimeout, which is the default. 0 means that it has none.
func WithTimeout(d time.Duration) JobOption { return workers.WithTimeout(d) }

// Place says on which worker work shall run; see [WithWorker] and [WithAffinity]. The
// zero Place is anywhere. Its method String returns "anywhere", "pinned to worker 1" or
// "preferably worker 1". Worker returns the id of the worker that it names, and false
// for the zero Place.
type Place = workers.Place

// WorkerOf returns the id of the worker that the caller runs on, as a job that was given
// ctx, or other work of a scheduler. It returns false elsewhere. The worker of a job
// without a place may be another one after each wait, yield and checkpoint. It costs
// about 5 ns.
func WorkerOf(ctx context.Context) (id int, ok bool) {
	if f := workers.Current(ctx); f != nil {
		return f.Worker(), true
	}
	return 0, false
}
