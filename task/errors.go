package task

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrNoScheduler is returned when it is not known where tasks shall run: the context
// belongs to no job, task or actor, and [On] is not given.
var ErrNoScheduler = errors.New("task: no scheduler; pass the context of a job, a task or an actor, or the option On")

// ErrClosed is returned by Go after a Join of the group has returned its result.
// While Join still waits, Go works.
var ErrClosed = errors.New("task: the group is closed; its Join has returned")

// ErrDecided is the cause with which the tasks end that a joiner no longer
// needs. It is never the result of a Join.
var ErrDecided = errors.New("task: the group's result is decided")

// ErrNoSuccess is the result of a [FirstSuccess] group none of whose tasks
// succeeded. It comes with their errors.
var ErrNoSuccess = errors.New("task: no task succeeded")

// ErrQuorum is the result of a [Quorum] group in which too few tasks succeeded,
// or were started. It comes with the errors of those that failed.
var ErrQuorum = errors.New("task: the quorum can't be reached")

// ErrDeadline is the cause with which a scope ends whose own deadline has
// passed. It wraps [context.DeadlineExceeded]; one of the surrounding context
// keeps its own cause.
var ErrDeadline error = deadlineError{}

// ErrNoMore is returned by Next when every task has been returned once.
var ErrNoMore = errors.New("task: the group has no more tasks")

// ErrSelfJoin is returned to a task, or a method of a joiner, that waits for its own
// group.
var ErrSelfJoin = errors.New("task: a task, or a joiner, waits for the group that it belongs to")

// ErrNotEnded is returned by Result for a task that has not ended. Join waits
// for it.
var ErrNotEnded = errors.New("task: the task has not ended")

// ErrScopeClosed is the cause with which the context of a scope ends when its
// function has returned.
var ErrScopeClosed = errors.New("task: the scope's function has returned")

var (
	errNilContext  = errors.New("task: the context is nil; use context.Background()")
	errNilFunction = errors.New("task: the function is nil")
	errNoGroup     = errors.New("task: the group is nil or was not made by NewGroup")
	errDiscarded   = errors.New("task: Next was called on a group with the option Discard, which keeps no tasks")
)

type deadlineError struct{}

func (deadlineError) Error() string { return "task: the scope's deadline has passed" }
func (deadlineError) Unwrap() error { return context.DeadlineExceeded }
func (deadlineError) Timeout() bool { return true }

// CancelledError is the result of a task that was cancelled, where the task's
// own error does not tell both that and why.
type CancelledError struct {
	Cause error // Why the task, its group or a scope above was cancelled.
	Err   error // The error that the task returned; nil if it never began.
}

// Error tells the cause.
func (e *CancelledError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("task: cancelled before it began: %v", e.Cause)
	}
	if errors.Is(e.Err, e.Cause) {
		return fmt.Sprintf("task: cancelled: %v", e.Err)
	}
	return fmt.Sprintf("task: cancelled: %v", e.Cause)
}

// Is reports whether target is the cause or context.Canceled, so that [errors.Is]
// need not make the slice that Unwrap returns.
func (e *CancelledError) Is(target error) bool {
	return same(target, context.Canceled) || same(target, e.Cause)
}

// Unwrap returns the cause, context.Canceled and the task's error.
func (e *CancelledError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Cause, context.Canceled}
	}
	return []error{e.Cause, context.Canceled, e.Err}
}

// UnfinishedError is returned by a Join whose context ended while tasks ran.
// They go on; Join may be called again.
type UnfinishedError struct {
	Cause error  // Why the Join ended.
	Tasks []Info // The tasks that have not ended, in the order of Go.
}

// unfinishedNamed is how many tasks an UnfinishedError names in its text.
const unfinishedNamed = 8

// Error names the tasks.
func (e *UnfinishedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "task: %d not ended: ", len(e.Tasks))
	for i, t := range e.Tasks {
		if i == unfinishedNamed {
			fmt.Fprintf(&b, ", and %d more", len(e.Tasks)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(t.String())
	}
	fmt.Fprintf(&b, ": %v", e.Cause)
	return b.String()
}

// Unwrap returns the cause.
func (e *UnfinishedError) Unwrap() error { return e.Cause }
