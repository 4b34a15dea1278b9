package router

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNoRoutees is returned when a router has nobody to hand a message to, and
	// Config.WhenEmpty says that it does not wait, or the call is one that never
	// waits. Where the wait was ended by the context, the error wraps both.
	ErrNoRoutees = errors.New("router: the router has no routees")

	// ErrNoKey is returned when a message has no key, but the router's strategy or
	// the pool goes by keys.
	ErrNoKey = errors.New("router: the message has no key")

	// ErrTaskTimeout is returned by [Pool.Ask] when a task has failed after its
	// time was up, see PoolConfig.Timeout. An asker whose own context ends first
	// gets the cause of that.
	ErrTaskTimeout = errors.New("router: the task's time was up")

	// ErrNoRouter is returned when the zero Router is used. Compare ErrNoRoutees.
	ErrNoRouter = errors.New("router: the router is zero; a valid one comes from New")

	// ErrNoPool is returned when a nil or zero Pool or Elastic is used. One that has
	// stopped returns actor.ErrStopped.
	ErrNoPool = errors.New("router: the pool is nil or zero; a valid one comes from NewPool or NewElastic")
)

// named puts the name of a router before an error, unless the error begins so.
func named(name string, err error) error {
	if strings.HasPrefix(err.Error(), name+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// TaskError says which task of [Pool.Map] or [Pool.MapUnordered] has failed, or was
// not done.
type TaskError struct {
	Index int   // The task's place in the sequence; the first has 0.
	Task  any   // The task itself.
	Err   error // What Pool.Ask would have returned.
}

// Error names the task by its index.
func (e *TaskError) Error() string {
	return fmt.Sprintf("router: task %d: %s", e.Index, strings.TrimPrefix(e.Err.Error(), "router: "))
}

// Unwrap returns Err.
func (e *TaskError) Unwrap() error { return e.Err }
