package stream

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// A Delivery is a message on its way to an actor, as Wrap of a [Consumer] gets it. It has an
// actor.Reply in it. So what ends an ask ends a delivery: if the actor drops the message, or
// its handler returns an error, panics or is killed, or its node is lost, the message is
// delivered again, as after Nack.
//
// A Delivery belongs to the message of the actor and may be kept by the actor, or handed on,
// until it is answered or Timeout has passed. See [actor.Reply] for where in a message it has to be.
type Delivery[T any] struct {
	Value T
	// Position is where the message was published first.
	Position Position
	// Key is the one that Config.Key has returned when the message was published.
	Key string
	// Attempt is 1 when the message is delivered to this consumer for the first time. It is
	// as true as the position: a node that crashes may forget the attempts of its last moment.
	Attempt int
	// Hops is how often the message was replayed from the dead letters.
	Hops int
	// Time is when the message was stored, by the clock of the engine.
	Time time.Time
	// Reply is where Ack and Nack answer.
	Reply actor.Reply[Settlement]
}

// Settlement is the answer to a [Delivery].
type Settlement struct {
	Nack   bool          // The message is to be delivered again.
	Delay  time.Duration // Until then; 0 means as Backoff says.
	Reason string        // Of a Nack, for the dead letters.
}

// Ack says that the message is done. It does not wait until that is stored: after a crash of
// this node the message may come again. It returns the errors of [actor.Reply.Send]:
// [actor.ErrLateReply] says that Timeout has passed and the message comes again.
func (d Delivery[T]) Ack(ctx context.Context) error { return d.Reply.Send(ctx, Settlement{}) }

// Nack has the message delivered again after the delay, or after the time that Backoff says
// if the delay is not positive. It counts as an attempt. It is otherwise like Ack.
func (d Delivery[T]) Nack(ctx context.Context, delay time.Duration) error {
	return d.Reply.Send(ctx, Settlement{Nack: true, Delay: max(delay, 0), Reason: "the handler has refused it"})
}

// Backoff says when a message is delivered again, and how often.
type Backoff struct {
	// Min is the pause before the second attempt. Each pause is twice the one before.
	// Defaults to 1 s.
	Min time.Duration
	// Max is the longest pause. Defaults to 1 minute, or to Min if that is longer.
	Max time.Duration
	// Times is how often a message is delivered until it becomes a dead letter, the first
	// time included. Defaults to 8. -1 means without limit.
	Times int
}

// pause returns the pause after so many attempts.
func (b Backoff) pause(attempts int) time.Duration {
	d := b.Min
	for range min(attempts-1, 62) {
		if d >= b.Max/2 {
			return b.Max
		}
		d *= 2
	}
	return min(d, b.Max)
}
