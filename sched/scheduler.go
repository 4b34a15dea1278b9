package sched

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/groups"
)

// Scheduler runs jobs on a set of workers. [New] makes and starts one; its
// methods are safe for concurrent use.
type Scheduler workers.Scheduler

// workers is the scheduler as the packages that build on it know it.
func (s *Scheduler) workers() *workers.Scheduler { return (*workers.Scheduler)(s) }

// Go runs fn as a job and returns its handle. The context that fn receives is
// derived from ctx, and it also knows the worker: where a job waits by means of
// this module with that context, it suspends and holds no worker. It may as well
// block by any other means; a spare worker then takes over. The context ends
// with the job, as the context of a request does. Give [context.WithoutCancel] of it to
// work that shall outlive the job.
//
// The job is accepted even if ctx has ended; fn sees it. Without an option it
// has priority [Normal], no kind, and the timeout of Config.JobTimeout.
//
// Go waits only when there are as many jobs queued as Config.MaxQueued allows;
// Config.WhenFull says what it does then. It may be called by a job, with the
// job's context, to stay on the same worker, and then never waits. It returns
// [ErrStopped] when the scheduler is stopping, unless a running job calls it
// with its context: what was accepted is allowed to finish. A job costs one
// allocation.
func (s *Scheduler) Go(ctx context.Context, fn func(ctx context.Context) error, opts ...JobOption) (*Job, error) {
	j, err := s.workers().Go(ctx, fn, opts...)
	return (*Job)(j), err
}

// NewGroup returns an empty group, whose functions are given a context derived
// from ctx that also knows the worker, as [Scheduler.Go] has it.
func (s *Scheduler) NewGroup(ctx context.Context) (*Group, error) {
	g, err := groups.New(ctx, s.workers())
	return (*Group)(g), err
}

// Stop drains the scheduler: it refuses new jobs, lets those that were accepted
// end, and returns when all workers have left. Meanwhile workers that are at work
// are [WorkerDraining]. If ctx ends first, jobs that have not begun end with
// [ErrStopped], other work that has not begun is dropped, and Stop returns an error that wraps the cause of ctx and
// says how many jobs are left; the workers leave when those have ended. Stop may
// be called again, also at the same time; each call waits.
//
// By a job of the same scheduler, which would wait for itself, Stop returns
// [ErrSelfWait] at once, unless ctx has ended, and the stop goes on when the job
// returns.
func (s *Scheduler) Stop(ctx context.Context) error { return s.workers().Stop(ctx) }

// Stopping reports whether Stop was called: the scheduler takes no more work.
func (s *Scheduler) Stopping() bool { return s.workers().Stopping() }

// Workers returns how many workers are awake when none is blocked.
func (s *Scheduler) Workers() int { return s.workers().Workers() }

// LeastLoadedWorker returns the id of the worker with least to do among those
// that take work of priority p, for [WithWorker] and [WithAffinity]: work that belongs
// together goes to one. It returns false if all of them are blocked, or the
// priority does not exist. It costs a look at every worker.
func (s *Scheduler) LeastLoadedWorker(p Priority) (id int, ok bool) {
	return s.workers().LeastLoadedWorker(p)
}
