package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// Close ends the topic in good order. From the call on, publishing returns [ErrLiveClosed]. Close waits
// until the publishes under way have ended and all buffers have handed over what they
// have, and then ends all subscriptions. Messages in the lanes of the subscribers are
// theirs; loops of [Live.All] end when they have taken what is in their buffers.
//
// If ctx ends first, Close gives up what is left: publishers that still wait get
// ErrLiveClosed, what is in buffers is dropped and counted, and Close returns an error that says how
// much that was, and wraps the cause of ctx. A paused subscription holds up the
// close until it is resumed. In a handler of a subscriber for which messages wait, Close returns
// [actor.ErrWouldDeadlock], or [actor.ErrCycle] if they are in a buffer, in place of waiting
// for ever, and gives up the rest.
//
// Closing a topic again waits for the same. When the system stops, or the actor below which the topic
// was made, that is a close that waits for nothing.
func (l *Live[T]) Close(ctx context.Context) error {
	if l.isVoid() {
		return ErrNoLive
	}
	if ctx == nil {
		ctx = context.Background()
	}
	l.closed.Store(true)
	err := l.awaitPublishes(ctx, func() bool {
		return slices.ContainsFunc(l.members.Load().all, func(m *liveMember[T]) bool { return m.isAwaited(ctx) })
	})
	for _, m := range l.members.Load().all {
		if m.courier != nil && m.state.Load()&subEnded == 0 && err == nil {
			err = m.courier.drain(ctx)
		}
	}
	if err != nil {
		s := l.Stats()
		err = fmt.Errorf("stream: close %s: %d publishers waited, and %d messages were in buffers; the slowest subscriber is %s: %w", l.name, s.Waiting, s.Buffered, s.Slowest, err)
	}
	l.force()
	return errors.Join(err, l.keeper.Stop(context.WithoutCancel(ctx)))
}

// Done returns a channel that is closed when the topic has ended.
func (l *Live[T]) Done() <-chan struct{} {
	if l.isVoid() {
		return actor.Ref[int]{}.Done()
	}
	return l.keeper.Done()
}

// force ends all subscriptions at once.
func (l *Live[T]) force() {
	l.mu.Lock() // A new member has entered, or sees that it is closed.
	l.closed.Store(true)
	all := l.members.Load().all
	l.members.Store(&liveMembers[T]{})
	l.mu.Unlock()
	for _, m := range all {
		m.end(ErrLiveClosed)
	}
	l.wakeClosers()
}

// awaitPublishes waits until all publishes that have begun have ended, unless one of them waits for the
// caller.
func (l *liveCore) awaitPublishes(ctx context.Context, forCaller func() bool) error {
	scheduler := (*workers.Scheduler)(l.sys.Scheduler())
	var w workers.Waiter
	w.Arm(ctx, scheduler)
	defer w.Disarm()
	mine := new(workers.Waiter)
	*mine = w
	w.Explain(scheduler, func() string { return "for publishes to " + l.name })
	for {
		l.mu.Lock()
		l.closers = append(l.closers, mine)
		l.mu.Unlock()
		if ended := l.ended.Load(); ended == l.begun.Load() {
			l.wakeClosers()
			return nil
		}
		if forCaller() {
			l.wakeClosers()
			return actor.ErrWouldDeadlock
		}
		if !w.Wait(ctx) {
			l.wakeClosers()
			return context.Cause(ctx)
		}
	}
}

// wakeClosers wakes the calls of Close that wait for publishes. They look again.
func (l *liveCore) wakeClosers() {
	l.mu.Lock()
	closers := l.closers
	l.closers = nil
	l.mu.Unlock()
	for _, w := range closers {
		w.Wake(nil, workers.Own)
	}
}
