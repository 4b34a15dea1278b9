package sched

import (
	"errors"
	"fmt"
)

// ErrStopped is returned when work is handed to a scheduler after Stop was
// called, and by Wait for a job that Stop gave up before it began.
var ErrStopped = errors.New("sched: the scheduler is stopped")

// ErrGoexit is the result of a job that ended its goroutine by
// runtime.Goexit, as t.FailNow does, instead of returning.
var ErrGoexit = errors.New("sched: the job called runtime.Goexit")

// PanicError is the result of a job that panicked.
type PanicError struct {
	Value any    // What was given to panic.
	Stack []byte // The stack of the goroutine that panicked, as debug.Stack formats it.
}

// Error returns the value that was given to panic; Stack is not part of it.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if that is an error, else nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
