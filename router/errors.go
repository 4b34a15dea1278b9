package router

import "errors"

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
