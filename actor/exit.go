package actor

import (
	"errors"
	"fmt"
)

// Exit tells of the end of an actor, or of one of its incarnations.
type Exit struct {
	PID  PID
	Name string // Of the actor, or "".
	// Reason is nil if the actor was asked to stop or stopped itself. Otherwise it has
	// the error that its handler returned, a [*PanicError], [ErrGoexit],
	// [ErrKilled], a [*TimeoutError], or a [*LinkedError]. An actor that was not there any more, or
	// never, has the reason [ErrStalePID].
	Reason error
	// Held says that the actor can be restarted, and waits, with its messages,
	// for its parent's [Context.Restart] or [Context.Release]. Else it has
	// stopped for good.
	Held bool
}

// Kind says in which of four ways the actor has ended.
func (e Exit) Kind() ExitKind {
	switch reason := e.Reason.(type) { //nolint:errorlint // What a reason wraps does not count: an actor may fail with an error that it was told.
	case nil:
		return Normal
	case *LinkedError:
		return Linked
	default:
		if reason == ErrKilled { //nolint:errorlint // As above.
			return Killed
		}
		return Failed
	}
}

// ExitKind is the kind of an [Exit].
type ExitKind uint8

// The kinds of exits.
const (
	Normal ExitKind = iota // It was asked to stop or stopped itself.
	Failed                 // Its code returned an error, panicked or called Goexit.
	Killed                 // It was killed, with the reason ErrKilled.
	Linked                 // An actor that it was linked to ended, and took it along.

	numKinds = 4
)

// String returns the kind's name in lower case.
func (k ExitKind) String() string {
	if k < numKinds {
		return [numKinds]string{"normal", "failed", "killed", "linked"}[k]
	}
	return fmt.Sprintf("ExitKind(%d)", uint8(k))
}

// LinkedError is the reason of an actor that has ended because another one
// did, to which it was linked. It wraps that one's reason, which may be a
// LinkedError in its turn.
type LinkedError struct {
	PID    PID    // Of the other one.
	Name   string // Of the other one, or "".
	Reason error  // Why the other one ended.
}

// Error names the other actor, and the reason with which it all began. The
// actors between them are left out, since there may be thousands.
func (e *LinkedError) Error() string {
	first := e
	for next := e; errors.As(first.Reason, &next); {
		first = next
	}
	if first == e {
		return fmt.Sprintf("actor: linked to %s%s, which has ended: %v", e.Name, e.PID, e.Reason)
	}
	return fmt.Sprintf("actor: linked to %s%s, and that in the end to %s%s, which has ended: %v",
		e.Name, e.PID, first.Name, first.PID, first.Reason)
}

// Unwrap returns why the other actor ended.
func (e *LinkedError) Unwrap() error { return e.Reason }
