package sched

import "github.com/troupe-go/troupe/internal/workers"

// ErrStopped is returned when work is handed to a scheduler after Stop was
// called, and by Wait for a job that Stop gave up before it began.
var ErrStopped = workers.ErrStopped

// ErrGoexit is the result of a job that ended its goroutine by
// runtime.Goexit, as t.FailNow does, instead of returning.
var ErrGoexit = workers.ErrGoexit

// ErrJobTimeout is the result of a job whose time was up, and the cause with
// which its context ends. It wraps [context.DeadlineExceeded].
var ErrJobTimeout = workers.ErrJobTimeout

// ErrFull is returned by Go, with Config.WhenFull set to RejectWhenFull, when
// Config.MaxQueued jobs are queued.
var ErrFull = workers.ErrFull

// ErrSelfWait is returned by Wait to a job that waits for itself, to a function of
// a group that waits for its group, and by Stop to work of the scheduler that is
// to stop.
var ErrSelfWait = workers.ErrSelfWait

// ErrNoJob is returned by Wait when the handle is nil, or was not returned by
// Go.
var ErrNoJob = workers.ErrNoJob

// ErrRecording is returned by Record while another recorder is at work.
var ErrRecording = workers.ErrRecording

// PanicError is the result of a job that panicked. Its field Value is what was given
// to panic. Its method Stack returns the stack of the goroutine that panicked, up to 64
// calls, the last first: for each its function, and its file and line, as
// runtime/debug.Stack formats them, without arguments. Error returns the value without
// the stack, and Unwrap the value if that is an error.
type PanicError = workers.PanicError
