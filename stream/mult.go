package stream

import (
	"context"

	"github.com/troupe-go/troupe/actor"
)

// Outputs are actors that get copies of a topic's messages, made by [Mult]. They are added, removed,
// paused, muted and soloed while messages flow. All methods are safe for concurrent use.
type Outputs[T any] struct{ desk mixDesk[actor.Ref[T]] }

// Mult has each of the actors get a copy of each message of the topic. It is [Live.Subscribe] for a set of
// actors. An actor that ends is removed.
func Mult[T any](ctx context.Context, from *Live[T], to ...actor.Ref[T]) (*Outputs[T], error) {
	if from.isVoid() {
		return nil, ErrNoLive
	}
	o := &Outputs[T]{}
	o.desk.begin = func(ctx context.Context, to actor.Ref[T]) (*Subscription, error) {
		return subscribe(ctx, from, Subscriber[T, T]{To: to}, liveBegin{state: subPaused})
	}
	if err := o.Add(ctx, to...); err != nil {
		return nil, err
	}
	return o, nil
}

func (o *Outputs[T]) isVoid() bool { return o == nil || o.desk.begin == nil }

// Add makes actors members. One that is a member already stays as it is. With an error, of [Subscribe], none
// of the others has become one.
func (o *Outputs[T]) Add(ctx context.Context, to ...actor.Ref[T]) error {
	if o.isVoid() {
		return ErrNoLive
	}
	return o.desk.add(ctx, to)
}

// Remove makes actors members no longer. Other actors are passed over.
func (o *Outputs[T]) Remove(members ...actor.Ref[T]) {
	if !o.isVoid() {
		o.desk.remove(members...)
	}
}

// Pause makes publishers wait for a member until it is resumed, or has it go on. It returns
// [ErrNoMember] for an actor that is none, as Mute and Solo do.
func (o *Outputs[T]) Pause(member actor.Ref[T], on bool) error {
	return o.change(member, func(m *mixMember) { m.paused = on })
}

// Mute drops the messages for a member, and counts them, or has it get them again. A member
// that is both is paused.
func (o *Outputs[T]) Mute(member actor.Ref[T], on bool) error {
	return o.change(member, func(m *mixMember) { m.muted = on })
}

// Solo has only this member get messages, and others that are soloed too, even if they are paused or
// muted. SoloMode decides about the messages for the others. A message that is being
// published at the moment may go by the modes of before.
func (o *Outputs[T]) Solo(member actor.Ref[T], on bool) error {
	return o.change(member, func(m *mixMember) { m.soloed = on })
}

func (o *Outputs[T]) change(member actor.Ref[T], change func(m *mixMember)) error {
	if o.isVoid() {
		return ErrNoLive
	}
	return o.desk.change(member, change)
}

// SoloMode says what becomes of the messages of members that are not soloed while others are. It is SoloMutes at first.
func (o *Outputs[T]) SoloMode(mode SoloMode) error {
	if o.isVoid() {
		return ErrNoLive
	}
	return o.desk.setSolo(mode)
}

// Stats returns a snapshot of each member, in no order.
func (o *Outputs[T]) Stats() []SubscriptionStats {
	if o.isVoid() {
		return nil
	}
	return o.desk.stats()
}

// Close removes all members. The topic goes on.
func (o *Outputs[T]) Close() {
	if !o.isVoid() {
		o.desk.close()
	}
}
