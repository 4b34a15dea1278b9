package sched

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers"
)

// Job is the handle of a function that was given to [Scheduler.Go]. Its methods
// are safe for concurrent use. A handle that is nil, or was not returned by Go,
// is of no job: its methods say so and do nothing.
//
// A queued job costs 80 bytes, and 8 in the queue.
type Job workers.Job

func (j *Job) job() *workers.Job { return (*workers.Job)(j) }

// ID returns a number that no other job of the scheduler has. It costs nothing.
func (j *Job) ID() uint64 { return j.job().ID() }

// State returns how far the job has come, which may have changed by the time
// that it is looked at. It costs a few loads.
func (j *Job) State() JobState { return j.job().State() }

// Kind returns the name of the job's kind.
func (j *Job) Kind() string { return j.job().Kind() }

// Priority returns the priority under which the job was submitted.
func (j *Job) Priority() Priority { return j.job().Priority() }

// String returns the job's number and its kind, if it has one.
func (j *Job) String() string { return j.job().String() }

// Wait waits until the job has ended, and returns what its function returned:
// also a [*PanicError] if it panicked, [ErrGoexit] if it called
// runtime.Goexit, [ErrJobTimeout] if its time was up, even if its function goes
// on, [ErrStopped] if it was given up by a stop before it began, and an error
// that wraps context.Canceled and the cause if it was cancelled before. If ctx
// ends first, Wait returns the cause of ctx, and the job goes on. Inside a job,
// also of another scheduler, with that job's context, Wait holds no worker. Any
// number of callers may wait. A job that waits for itself gets [ErrSelfWait].
func (j *Job) Wait(ctx context.Context) error { return j.job().Wait(ctx) }

// Done returns a channel that is closed when the job has ended, for a select
// among several. It is made when it is first asked for. A job that receives from
// it holds its worker, unlike one in Wait.
func (j *Job) Done() <-chan struct{} { return j.job().Done() }

// Cancel ends the job with a cause; nil means [context.Canceled]. A job that has
// not begun ends at once and never runs: Wait returns an error that wraps the
// cause and context.Canceled. For one that has begun, its context ends, with
// that cause, and it waits no longer by means of this module; the job ends as its
// function says. Cancel reports whether the job had not ended. It never waits.
func (j *Job) Cancel(cause error) bool { return j.job().Cancel(cause) }

// Info returns a snapshot of the job. It costs a few loads.
func (j *Job) Info() JobInfo { return JobInfo(j.job().Info()) }

// Label returns the job's number and the name of its kind, as recordings show them.
func (j *Job) Label() Label { return j.job().Label() }
