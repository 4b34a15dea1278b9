package stream

import (
	"errors"
	"fmt"
)

// Errors of topics that are stored. The errors that calls return wrap these, and errors
// of package engine.
var (
	// ErrConfig is returned for a setting that is not allowed.
	ErrConfig = errors.New("stream: not allowed")

	// ErrOtherTopic is returned by Open when the topic exists with another configuration, or
	// with messages of another type. ErrConfig is about a setting that no topic may have.
	ErrOtherTopic = errors.New("stream: the topic exists, and is another one")

	// ErrFull is returned by Publish when the topic is at its limit and refuses. Nothing of
	// the partition is stored then.
	ErrFull = errors.New("stream: the topic is full")

	// ErrTooLong is returned for a message, or a key, over its limit.
	ErrTooLong = errors.New("stream: too long")

	// ErrNoDead is returned by Replay and Drop for a dead letter that does not exist.
	ErrNoDead = errors.New("stream: there is no such dead letter")

	// ErrHops is returned by Replay for a message that was replayed [MaxHops] times.
	ErrHops = errors.New("stream: the message was replayed too often; mend its handler, then Drop it or publish it anew")

	// ErrActorEnded is why a consumption ends when its actor has ended for good. An actor
	// that its supervisor begins again has not. It wraps what the send has returned.
	ErrActorEnded = errors.New("stream: the actor that consumes has ended; consume again with another one")

	// ErrInUse is returned by Forget while a consumption of the name has a partition.
	ErrInUse = errors.New("stream: the consumer is at work; stop its consumptions first")

	// ErrStopped is why a consumption has ended that was stopped. [Consumption.Err] does not return
	// it; Seek and Info do.
	ErrStopped = errors.New("stream: the consumption has ended")
)

// A PartialError is returned by Publish when some partitions have stored their messages of
// the call, and others have not, or nobody knows.
type PartialError struct {
	Stored int // How many messages are stored.
	Of     int
	// Err says why the others are not. If it is [engine.ErrUnknownOutcome], some of them may be.
	Err error
}

// Error says how many messages are stored.
func (e *PartialError) Error() string {
	return fmt.Sprintf("stream: %d of %d messages are stored: %v", e.Stored, e.Of, e.Err)
}

// Unwrap returns Err.
func (e *PartialError) Unwrap() error { return e.Err }
