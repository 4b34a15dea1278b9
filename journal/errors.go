package journal

import (
	"errors"
	"fmt"
)

var (
	// ErrUnknownOutcome is returned when a commit has begun and nobody knows how it
	// ended: the events may be stored or not. The incarnation ends, and the next one
	// reads the truth from the store. Other errors of Persist mean that nothing is
	// stored.
	ErrUnknownOutcome = errors.New("journal: the outcome of the commit is unknown")

	// ErrDone is returned for a write whose command id is in the stream already. It
	// is about a command that was done; ErrUnknownOutcome is about one that may be.
	ErrDone = errors.New("journal: the command was done before")

	// ErrClosed is returned by a store that was closed, or that has closed itself
	// after a failure of its disk. In the latter case the error also wraps that
	// failure.
	ErrClosed = errors.New("journal: the store is closed")

	// ErrUnknownType is returned for an event that the set of events does not have:
	// by Persist before anything is stored, and by the recovery of an actor, which
	// then does not start. No event is ever skipped.
	ErrUnknownType = errors.New("journal: unknown type of event")

	// ErrSnapshotAhead is returned for a snapshot of a version that its stream does
	// not have.
	ErrSnapshotAhead = errors.New("journal: the snapshot is ahead of the events")

	// ErrGap is returned when events are missing in the middle of a stream.
	ErrGap = errors.New("journal: events are missing")

	// ErrNoStream is returned by Erase and Trim for a stream that has no events.
	ErrNoStream = errors.New("journal: there is no such stream")

	// ErrNoSnapshot is returned by Trim for a stream without a snapshot: all its events
	// are needed to make the state.
	ErrNoSnapshot = errors.New("journal: the stream has no snapshot to stand on; nothing is removed")

	// ErrAlive is returned by Erase while an actor of this process has the stream. One in
	// another process gets a [*ConflictError] later.
	ErrAlive = errors.New("journal: an actor has the stream")

	// ErrNoKeeper is returned by Erase and Trim for a store that is no [Keeper].
	ErrNoKeeper = errors.New("journal: the store can't delete events")

	// ErrMoved is returned when the position of a projection is not where its caller left
	// it: another one of the same name runs at the same time.
	ErrMoved = errors.New("journal: another projection of that name has moved the position; run one at a time")

	// ErrBusy is returned by Persist while another call of it is under way for the
	// same actor: by a second goroutine, or in a reentrant actor.
	ErrBusy = errors.New("journal: another Persist of this actor is under way; an event-sourced actor must not be reentrant")
)

// ConflictError is returned when a stream does not have the version that a write
// expected: another writer was first. Nothing of the write is stored.
type ConflictError struct {
	Stream           string
	Expected, Actual uint64
}

// Error says which versions were expected and found.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("journal: stream %q has version %d, not %d as expected: another writer was first; read the stream again",
		e.Stream, e.Actual, e.Expected)
}

// FencedError is returned when a write has a lower fence than the stream has seen: its
// writer has lost the stream to another one. Nothing of the write is stored.
type FencedError struct {
	Stream         string
	Fence, Highest uint64
}

// Error says which fences met.
func (e *FencedError) Error() string {
	return fmt.Sprintf("journal: stream %q has seen the fence %d, above %d: another writer owns it now",
		e.Stream, e.Highest, e.Fence)
}

// EventError tells that something is wrong with an event or a snapshot, and names it.
type EventError struct {
	Stream  string
	Version uint64
	Type    string
	Schema  int
	Err     error
}

// Error names the event and the reason.
func (e *EventError) Error() string {
	return fmt.Sprintf("journal: stream %q, version %d, type %q of schema %d: %v", e.Stream, e.Version, e.Type, e.Schema, e.Err)
}

// Unwrap returns the reason.
func (e *EventError) Unwrap() error { return e.Err }
