package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

// liveMember is a subscription to a topic with messages of type T.
type liveMember[T any] struct {
	Subscription
	// plain says that ref takes the messages as they are, and nothing has to be asked or
	// counted for each one.
	plain bool
	ref   actor.Ref[T]
	where func(T) bool
	to    liveReceiver[T]
}

// liveReceiver takes the messages of a subscription.
type liveReceiver[T any] interface {
	// offer hands v over if there is room. With actor.ErrFull it returns what to do instead.
	offer(ctx context.Context, v T) (liveLate, error)
	// lag returns how many messages wait there.
	lag() int
}

// offer hands v to a member that is not plain, or whose state is not the usual one.
func (m *liveMember[T]) offer(ctx context.Context, v T, pass *livePass) {
	if m.state.Load()&subEnded != 0 || m.where != nil && !m.passes(v) {
		return
	}
	switch state := m.state.Load(); {
	case m.buffered: // The other side of the buffer knows of pauses.
		late, err := m.to.offer(ctx, v)
		m.settle(pass, late, err)
	case state&subPaused != 0:
		m.settle(pass, m.afterPause(v), actor.ErrFull)
	case state&subMuted != 0:
		m.drop()
	default:
		late, err := m.to.offer(ctx, v)
		m.settle(pass, late, err)
	}
}

// passes reports whether the member wants v, and counts it if not.
func (m *liveMember[T]) passes(v T) (wanted bool) {
	returned := false
	defer func() {
		if !returned {
			if r := recover(); r != nil {
				m.panics("Where", r)
			}
			wanted = false
		}
	}()
	wanted = m.where(v)
	returned = true
	if !wanted {
		m.count(&m.filtered, &m.topic.filtered)
	}
	return wanted
}

// notTaken deals with a plain member that has not taken v at once.
//
//go:noinline
func (m *liveMember[T]) notTaken(ctx context.Context, v T, pass *livePass, err error) {
	var late liveLate
	if errors.Is(err, actor.ErrFull) {
		late = lateOffer(m.ref, v)
	}
	m.settle(pass, late, err)
}

// lateOffer is what is left to do for an actor that had no room for v.
func lateOffer[M any](to actor.Ref[M], v M) liveLate {
	return liveLate{wait: func(ctx context.Context) error { return to.Offer(ctx, v) }}
}

// afterPause is what is left to do for v while the member is paused.
//
//go:noinline
func (m *liveMember[T]) afterPause(v T) liveLate {
	return liveLate{goesOn: true, wait: func(ctx context.Context) error {
		if err := m.awaitOpen(ctx); err != nil {
			return err
		}
		if m.state.Load()&subMuted != 0 {
			return errMuted
		}
		late, err := m.to.offer(ctx, v)
		if errors.Is(err, actor.ErrFull) {
			if err = m.waitFor(ctx, late); err != nil {
				late.abandon()
			}
		}
		return err
	}}
}

// settle notes what has become of a copy.
func (s *Subscription) settle(pass *livePass, late liveLate, err error) {
	switch {
	case err == nil:
		if !s.buffered {
			pass.got++
		}
	case errors.Is(err, actor.ErrFull):
		switch s.full {
		case WaitForRoom:
			pass.late = append(pass.late, lateCopy{s, late})
			return
		case EndSubscription:
			s.end(fmt.Errorf("%s: %w", s.name, ErrTooSlow))
		}
		late.abandon()
		s.drop()
	default:
		if err = s.failed(err); err != nil {
			pass.errs = append(pass.errs, err)
		}
	}
}

// settleLate notes what has become of a copy for which somebody has waited.
func (s *Subscription) settleLate(err error) error {
	if err != nil {
		return s.failed(err)
	}
	if !s.buffered {
		s.topic.delivered.Add(1)
	}
	return nil
}

// failed deals with a copy that was not taken. It returns the error that the publisher is to see, if any.
func (s *Subscription) failed(err error) error {
	switch {
	case errors.Is(err, errMuted):
		s.drop()
		return nil
	case errors.Is(err, errPanics): // It is counted.
		return nil
	case errors.Is(err, errGone): // Of a message that comes after the end nobody need know.
		if why := s.Err(); !errors.Is(why, ErrLiveClosed) {
			return nil
		}
		err = ErrLiveClosed
	case errors.Is(err, actor.ErrStopped):
		s.end(err)
		return nil
	}
	s.count(&s.missed, &s.topic.missed)
	return fmt.Errorf("stream: publish to %s: subscriber %s: %w", s.topic.name, s.name, err)
}

func (s *Subscription) drop() { s.count(&s.dropped, &s.topic.dropped) }

var (
	errMuted  = errors.New("stream: the subscription is muted")
	errPanics = errors.New("stream: Wrap has panicked")
)

// plainReceiver is an actor that takes the messages as they are.
type plainReceiver[T any] struct{ ref actor.Ref[T] }

func (r plainReceiver[T]) lag() int { return r.ref.Backlog() }

func (r plainReceiver[T]) offer(ctx context.Context, v T) (liveLate, error) {
	return offerTo(ctx, r.ref, v)
}

// offerTo offers v to an actor.
func offerTo[M any](ctx context.Context, to actor.Ref[M], v M) (liveLate, error) {
	err := to.TryOffer(ctx, v)
	if errors.Is(err, actor.ErrFull) {
		return lateOffer(to, v), err
	}
	return liveLate{}, err
}

// wrapper makes messages of an actor's type.
type wrapper[T, M any] struct {
	sub  *Subscription
	wrap func(T) M
}

// call returns false if the function has panicked, which is counted.
func (w *wrapper[T, M]) call(v T) (m M, ok bool) {
	defer func() {
		if !ok {
			if r := recover(); r != nil {
				w.sub.panics("Wrap", r)
			}
		}
	}()
	m = w.wrap(v)
	return m, true
}

// wrappedReceiver is an actor with messages of another type.
type wrappedReceiver[T, M any] struct {
	wrapper[T, M]
	ref actor.Ref[M]
}

func (r *wrappedReceiver[T, M]) lag() int { return r.ref.Backlog() }

func (r *wrappedReceiver[T, M]) offer(ctx context.Context, v T) (liveLate, error) {
	m, ok := r.call(v)
	if !ok {
		return liveLate{}, errPanics
	}
	return offerTo(ctx, r.ref, m)
}
