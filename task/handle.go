package task

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// The methods of the job are spelled out, since the methods of an embedded job panic where
// the Task is nil.

// handle returns the job that the task is, or nil.
func (t *Task[T]) handle() *workers.Job {
	if t == nil {
		return nil
	}
	return &t.job
}

// known reports whether the handle is of a task.
func (t *Task[T]) known() bool { return t != nil && t.g != nil }

// ID is [sched.Job.ID].
func (t *Task[T]) ID() uint64 { return t.handle().ID() }

// State is [sched.Job.State].
func (t *Task[T]) State() sched.JobState { return t.handle().State() }

// Info is [sched.Job.Info].
func (t *Task[T]) Info() sched.JobInfo { return sched.JobInfo(t.handle().Info()) }

// Kind is [sched.Job.Kind].
func (t *Task[T]) Kind() string { return t.handle().Kind() }

// Priority is [sched.Job.Priority].
func (t *Task[T]) Priority() sched.Priority { return t.handle().Priority() }

// Label is [sched.Job.Label].
func (t *Task[T]) Label() sched.Label { return t.handle().Label() }

// String is [sched.Job.String].
func (t *Task[T]) String() string { return t.handle().String() }

// Cancel is [sched.Job.Cancel].
func (t *Task[T]) Cancel(cause error) bool { return t.handle().Cancel(cause) }

// Done is [sched.Job.Done].
func (t *Task[T]) Done() <-chan struct{} { return t.handle().Done() }

// Wait is [sched.Job.Wait]. It returns no value; Join does.
func (t *Task[T]) Wait(ctx context.Context) error { return t.handle().Wait(ctx) }
