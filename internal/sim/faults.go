package sim

import "time"

// Faults injects failures.
type Faults interface {
	// Handling is called before an actor handles a message. It may panic in the
	// handler's stead.
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
