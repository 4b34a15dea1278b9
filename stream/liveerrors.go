package stream

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

var (
	// ErrLiveClosed is returned when a message is published to a live topic that was
	// closed, or somebody subscribes to it. A subscription that ended by it has it as its
	// Err.
	ErrLiveClosed = errors.New("stream: the live topic is closed")

	// ErrNoLive is returned when a nil or zero Live is used. ErrLiveClosed is about one that
	// was open.
	ErrNoLive = errors.New("stream: the live topic is nil or zero; a valid one comes from NewLive")

	// ErrSubscriber is returned for a subscription that makes no sense. The error says
	// which part of it.
	ErrSubscriber = errors.New("stream: wrong subscription")

	// ErrTooSlow is why a subscription has ended that had no room for a message; see
	// EndSubscription.
	ErrTooSlow = errors.New("stream: the subscriber had no room for a message, and its subscription ends then")

	// ErrPanicked is why a subscription has ended whose Where or Wrap has panicked; see
	// Subscriber.EndOnPanic.
	ErrPanicked = errors.New("stream: a function of the subscription has panicked")

	// ErrFeedsItself is returned when a topic would feed itself, by Mix, directly or through
	// others.
	ErrFeedsItself = errors.New("stream: the topic would feed itself")

	// errGone is told by a receiver that takes nothing any more, or by a wait that was ended
	// since the subscription is over.
	errGone = errors.New("stream: the subscription is over")
)

// FullError is returned by [Live.TryPublish] when subscribers had no room. They have not got
// the message; the others have. It wraps [actor.ErrFull].
type FullError struct {
	Topic string
	// Slowest is the name of the subscriber with the most messages to handle, of those that
	// had no room, and Lag is how many these are.
	Slowest string
	Lag     int
	// Full is how many subscribers had no room, and Subscribers how many there are.
	Full, Subscribers int
}

// Error names the slowest subscriber.
func (e *FullError) Error() string {
	return fmt.Sprintf("stream: publish to %s: %v: %d of %d subscribers have no room, the slowest of them is %s, with %d messages; Publish waits",
		e.Topic, actor.ErrFull, e.Full, e.Subscribers, e.Slowest, e.Lag)
}

// Unwrap returns [actor.ErrFull].
func (e *FullError) Unwrap() error { return actor.ErrFull }
