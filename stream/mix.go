package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
)

// Inputs are topics whose messages go to one other topic, made by [Mix]. They are added, removed,
// paused, muted and soloed while messages flow. All methods are safe for concurrent use.
type Inputs[T any] struct {
	into *Live[T]
	desk mixDesk[*Live[T]]
}

// Mix merges topics into one. Each publisher of an input publishes to the topic "into" as well, and
// waits for its subscribers. There is no actor and no buffer in between. Where several wait for
// room at a subscriber, they get it in the order in which they came, so none of the inputs
// keeps the others from it. Messages of one publisher stay in order. A message that some have goes to
// the others too, also if its input is removed meanwhile.
//
// An input that is closed is removed, and the end of "into" ends the Mix. Mix and [Inputs.Add]
// return [ErrFeedsItself] for an input that "into" feeds, directly or through others.
func Mix[T any](ctx context.Context, into *Live[T], from ...*Live[T]) (*Inputs[T], error) {
	if into.isVoid() {
		return nil, ErrNoLive
	}
	in := &Inputs[T]{into: into}
	in.desk.begin = in.subscribe
	if err := in.Add(ctx, from...); err != nil {
		return nil, err
	}
	return in, nil
}

// mixing guards the feeds of all topics.
var mixing sync.Mutex

// feed notes that from feeds into, unless that would close a ring.
func feed(from, into *liveCore) error {
	mixing.Lock()
	defer mixing.Unlock()
	if into.reaches(from, map[*liveCore]bool{}) {
		return fmt.Errorf("mix %s into %s: %w", from.name, into.name, ErrFeedsItself)
	}
	if from.feeds == nil {
		from.feeds = map[*liveCore]int{}
	}
	from.feeds[into]++
	return nil
}

func unfeed(from, into *liveCore) {
	mixing.Lock()
	defer mixing.Unlock()
	if from.feeds[into]--; from.feeds[into] <= 0 {
		delete(from.feeds, into)
	}
}

// reaches reports whether messages of l come to other. The caller holds mixing.
func (l *liveCore) reaches(other *liveCore, seen map[*liveCore]bool) bool {
	if l == other {
		return true
	}
	seen[l] = true
	for next := range l.feeds {
		if !seen[next] && next.reaches(other, seen) {
			return true
		}
	}
	return false
}

// subscribe makes a topic an input. It begins paused.
func (in *Inputs[T]) subscribe(ctx context.Context, from *Live[T]) (*Subscription, error) {
	into := in.into
	switch {
	case from.isVoid():
		return nil, ErrNoLive
	case into.closed.Load():
		return nil, fmt.Errorf("mix into %s: %w", into.name, ErrLiveClosed)
	}
	if err := feed(&from.liveCore, &into.liveCore); err != nil {
		return nil, err
	}
	m := &liveMember[T]{to: liveForward[T]{into}}
	m.topic, m.name, m.lag = &from.liveCore, into.name, liveForward[T]{into}.lag
	m.remove = func() { from.leave(m) }
	m.atEnd = func(*Subscription) { unfeed(&from.liveCore, &into.liveCore) }
	m.state.Store(subPaused)
	if err := from.enter(ctx, m, into.keeper.PID()); err != nil {
		m.end(err)
		return nil, fmt.Errorf("mix %s into %s: %w", from.name, into.name, err)
	}
	return &m.Subscription, nil
}

// liveForward is the receiver of an input.
type liveForward[T any] struct{ into *Live[T] }

func (f liveForward[T]) lag() int { return f.into.Stats().Lag }

func (f liveForward[T]) offer(ctx context.Context, v T) (liveLate, error) {
	late, err := f.into.offerAll(ctx, v)
	switch {
	case errors.Is(err, ErrLiveClosed) && late == nil && f.into.closed.Load():
		return liveLate{}, errGone
	case late == nil:
		return liveLate{}, err
	}
	var settled atomic.Bool
	return liveLate{
		goesOn: true, // Some have it, and others shall.
		wait: func(ctx context.Context) error {
			if settled.Swap(true) {
				return errGone
			}
			return f.into.finishAll(ctx, late, err)
		},
		drop: func() {
			if !settled.Swap(true) {
				f.into.forgoAll(late)
			}
		},
	}, actor.ErrFull
}

func (in *Inputs[T]) isVoid() bool { return in == nil || in.into == nil }

// Add makes topics inputs. One that is an input already stays as it is. With an error none
// of the others has become one.
func (in *Inputs[T]) Add(ctx context.Context, from ...*Live[T]) error {
	if in.isVoid() {
		return ErrNoLive
	}
	return in.desk.add(ctx, from)
}

// Remove makes topics inputs no longer. Other topics are passed over.
func (in *Inputs[T]) Remove(inputs ...*Live[T]) {
	if !in.isVoid() {
		in.desk.remove(inputs...)
	}
}

// Pause makes those wait who publish to an input until it is resumed, or has it go on. It returns
// [ErrNoMember] for a topic that is none, as Mute and Solo do.
func (in *Inputs[T]) Pause(input *Live[T], on bool) error {
	return in.change(input, func(m *mixMember) { m.paused = on })
}

// Mute drops the messages of an input, and counts them in the input's figures, or has them pass again. An input that is both is
// paused.
func (in *Inputs[T]) Mute(input *Live[T], on bool) error {
	return in.change(input, func(m *mixMember) { m.muted = on })
}

// Solo has only this input pass, and others that are soloed too, even if they are paused or muted.
// SoloMode decides about the messages of the others. A message that is being published
// at the moment may go by the modes of before.
func (in *Inputs[T]) Solo(input *Live[T], on bool) error {
	return in.change(input, func(m *mixMember) { m.soloed = on })
}

func (in *Inputs[T]) change(input *Live[T], change func(m *mixMember)) error {
	if in.isVoid() {
		return ErrNoLive
	}
	return in.desk.change(input, change)
}

// SoloMode says what becomes of the messages of inputs that are not soloed while others are. It is SoloMutes at first.
func (in *Inputs[T]) SoloMode(mode SoloMode) error {
	if in.isVoid() {
		return ErrNoLive
	}
	return in.desk.setSolo(mode)
}

// Stats returns a snapshot of each input, in no order. Its Name is the name of "into".
func (in *Inputs[T]) Stats() []SubscriptionStats {
	if in.isVoid() {
		return nil
	}
	return in.desk.stats()
}

// Close removes all inputs. The topics go on.
func (in *Inputs[T]) Close() {
	if !in.isVoid() {
		in.desk.close()
	}
}
