package sim

import "time"

// Faults injects failures.
type Faults interface {
	// Handling is called before an actor handles a message. It may panic in the
	// handler's stead, and returns how long the handler is to be held up.
	Handling(actor string) time.Duration
	// Full reports whether a message to the actor shall find its lane full.
	Full(actor string) bool
}

// Inject has f injected from now on.
func (e *Engine) Inject(f Faults) { e.faults = f }

// Faults returns what is to be injected, or nil.
func (e *Engine) Faults() Faults { return e.faults }
