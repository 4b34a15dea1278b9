package workers

import (
	"context"
	"errors"
	"fmt"
)

// ErrStopped is returned when work is handed to a scheduler after Stop was
// called, and by Wait for a job that Stop gave up before it began.
var ErrStopped = errors.New("sched: the scheduler is stopped")

// ErrGoexit is the result of a job that ended its goroutine by
// runtime.Goexit, as t.FailNow does, instead of returning.
var ErrGoexit = errors.New("sched: the job called runtime.Goexit")

// ErrJobTimeout is the result of a job whose time was up, and the cause with
// which its context ends. It wraps [context.DeadlineExceeded].
var ErrJobTimeout error = timeoutError{}

// ErrFull is returned by Go, with Config.WhenFull set to RejectWhenFull, when
// Config.MaxQueued jobs are queued.
var ErrFull = errors.New("sched: the scheduler is full")

// ErrSelfWait is returned by Wait to a job that waits for itself, to a function of
// a group that waits for its group, and by Stop to work of the scheduler that is
// to stop.
var ErrSelfWait = errors.New("sched: the work waits for itself")

// ErrNoJob is returned by Wait when the handle is nil, or was not returned by
// Go.
var ErrNoJob = errors.New("sched: the handle is of no job; use the one that Go returns")

var (
	errNilFunction = errors.New("sched: Go was given a nil function")
	errNilContext  = errors.New("sched: Go was given a nil context; use context.Background()")
	errNilStop     = errors.New("sched: Stop was given a nil context; use context.Background()")
	errNilWait     = errors.New("sched: Wait was given a nil context; use context.Background()")
)

type timeoutError struct{}

func (timeoutError) Error() string { return "sched: the job's time is up" }
func (timeoutError) Unwrap() error { return context.DeadlineExceeded }
func (timeoutError) Timeout() bool { return true }

// cancelError is the result of a job that was cancelled before it began.
type cancelError struct{ cause error }

func (e *cancelError) Error() string {
	return fmt.Sprintf("sched: the job was cancelled before it began: %v", e.cause)
}

func (e *cancelError) Unwrap() []error { return []error{e.cause, context.Canceled} }
func (e *cancelError) NeverBegan()     {} // It tells package task that no function has returned the error.
