package entity

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrHostStopped is returned by sends to a virtual actor whose host stops, and is why its stand-in ends. When the
	// host has stopped, sends return an actor.ErrStopped instead, as for any actor.
	ErrHostStopped = errors.New("entity: the host of the virtual actor stops, or has stopped")
	// ErrID is returned by the first use of a ref whose id is empty or too long; see MaxID.
	ErrID = errors.New("entity: the id is not valid")
	// ErrNoKind is returned by the use of a ref whose kind was not given to the host at its start.
	ErrNoKind = errors.New("entity: the host does not have the kind")
	// ErrActivation is what each ActivationError wraps.
	ErrActivation = errors.New("entity: the virtual actor can't be activated")
)

// ActivationError is returned by sends to a virtual actor that has failed too often in a row. It wraps [ErrActivation]
// and the last failure.
type ActivationError struct {
	Kind, ID string
	Failures int       // In a row.
	Retry    time.Time // Messages before that are refused.
	Cause    error     // The last failure.
}

// Error names the actor, the failure and the time of the next try.
func (e *ActivationError) Error() string {
	return fmt.Sprintf("entity: %s %.40q has failed %d times in a row, and is tried again from %v on: %v",
		e.Kind, e.ID, e.Failures, e.Retry.Format(time.RFC3339Nano), e.Cause)
}

// Unwrap returns ErrActivation and the cause.
func (e *ActivationError) Unwrap() []error { return []error{ErrActivation, e.Cause} }
