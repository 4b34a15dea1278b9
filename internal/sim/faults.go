package sim

import (
	"slices"
	"time"
)

// Faults injects failures.
type Faults interface {
	// Handling is called before an actor handles a message. It may panic in the
	// handler's stead, with an Injected if that shall return an error.
	Handling(actor string) Fault
	// Full reports whether a message to the actor shall find its lane full.
	Full(actor string) bool
}

// Fault is what happens to an actor that is about to handle a message.
type Fault struct {
	Hold time.Duration // How long the handler is held up.
	Kill bool          // Whether the actor is killed as the handler begins.
}

// Inject has f injected from now on.
func (e *Engine) Inject(f Faults) { e.faults = f }

// Faults returns what is to be injected, or nil.
func (e *Engine) Faults() Faults { return e.faults }

// Injected is what Handling panics with for a handler that shall return Err.
type Injected struct{ Err error }

// OnFail has fail called by Fail. It reports whether it knows an actor with the id.
func (e *Engine) OnFail(fail func(id any, reason error) bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fails = append(e.fails, fail)
}

// Fail ends the present incarnation of an actor for a reason. It reports whether there
// is such an actor.
func (e *Engine) Fail(id any, reason error) bool {
	e.mu.Lock()
	fails := e.fails
	e.mu.Unlock()
	return slices.ContainsFunc(fails, func(fail func(any, error) bool) bool { return fail(id, reason) })
}
