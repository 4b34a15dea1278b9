package stream

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/strand"
)

// Reader is a consumer of a live topic that is no actor: a goroutine, a task, a strand.
type Reader[T any] struct {
	// Name is the reader's in errors and snapshots. Defaults to "reader".
	Name string
	// Where chooses the messages that come: those for which it returns true. It is called by
	// Publish, as Subscriber.Where is. A nil Where chooses all.
	Where func(T) bool
	// EndOnPanic ends the loop when Where panics. By default the message does not come, which is counted.
	EndOnPanic bool
	// Buffer is how many messages wait for the reader. Defaults to 64; -1 means none: each
	// publisher waits until the reader takes its message.
	Buffer int
	// WhenFull says what becomes of a message for which the buffer has no room. Defaults to
	// WaitForRoom.
	WhenFull WhenFull
}

// defaultReaderBuffer was picked out of thin air.
const defaultReaderBuffer = 64

// All returns what is published from the first step of the loop on, until the topic is closed
// or ctx ends. It is AllBy for the zero Reader: publishers wait for a loop that is behind by 64
// messages. A loop that is left has no subscription any more.
//
//	for v := range topic.All(ctx) {
//		...
//	}
//
// The loop must not publish to the same topic: with its buffer full, it would wait for itself.
func (l *Live[T]) All(ctx context.Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v, err := range l.AllBy(ctx, Reader[T]{}) {
			if err != nil || !yield(v) {
				return
			}
		}
	}
}

// AllBy is [Live.All] with settings. If the loop ends by something else than the close of the topic, its last step has the error:
// the cause of ctx, [ErrTooSlow], [ErrPanicked], or what is wrong with the Reader.
// After a close what is in the buffer still comes.
func (l *Live[T]) AllBy(ctx context.Context, r Reader[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if ctx == nil {
			ctx = context.Background()
		}
		var none T
		q, err := l.newReader(ctx, r)
		if err != nil {
			if !errors.Is(err, ErrLiveClosed) {
				yield(none, err)
			}
			return
		}
		defer q.leave()
		for {
			v, err := q.values.Receive(ctx)
			if err == nil {
				q.sub.topic.delivered.Add(1)
				q.sub.settled()
				if !yield(v, nil) {
					return
				}
				continue
			}
			if errors.Is(err, strand.ErrClosed) {
				err = q.sub.Err()
			}
			if err != nil && !errors.Is(err, ErrLiveClosed) {
				yield(none, fmt.Errorf("stream: read from %s: %w", l.name, err))
			}
			return
		}
	}
}

// liveQueue is the receiver of a Reader.
type liveQueue[T any] struct {
	sub    *Subscription
	values *strand.Chan[T]
}

func (l *Live[T]) newReader(ctx context.Context, r Reader[T]) (*liveQueue[T], error) {
	if l.isVoid() {
		return nil, ErrNoLive
	}
	buffer := r.Buffer
	switch buffer {
	case 0:
		buffer = defaultReaderBuffer
	case -1:
		buffer = 0
	}
	if err := r.WhenFull.check(buffer); err != nil {
		return nil, fmt.Errorf("read from %s: %w", l.name, err)
	}
	m := &liveMember[T]{where: r.Where}
	q := &liveQueue[T]{&m.Subscription, strand.NewChan[T](buffer)}
	m.topic, m.full, m.name, m.endOnPanic = &l.liveCore, r.WhenFull, r.Name, r.EndOnPanic
	if m.name == "" {
		m.name = "reader"
	}
	m.buffered, m.to, m.lag = true, q, q.lag
	m.remove = func() { l.leave(m) }
	m.atEnd = func(*Subscription) { _ = q.values.Close(context.Background()) } // It is closed once.
	if err := l.enter(ctx, m, actor.PID{}); err != nil {
		return nil, err
	}
	return q, nil
}

// leave ends the subscription of a loop that has ended.
func (q *liveQueue[T]) leave() { q.sub.end(nil) }

func (q *liveQueue[T]) lag() int { return q.values.Len() }

func (q *liveQueue[T]) offer(ctx context.Context, v T) (liveLate, error) {
	for {
		ok, err := q.values.TrySend(ctx, v)
		switch {
		case ok:
			q.sub.accept()
			return liveLate{}, nil
		case err != nil:
			return liveLate{}, q.gone(err)
		case q.sub.full != DropOldest:
			return liveLate{wait: func(ctx context.Context) error {
				err := q.values.Send(ctx, v)
				if err == nil {
					q.sub.accept()
				}
				return q.gone(err)
			}}, actor.ErrFull
		}
		if _, ok, _ := q.values.TryReceive(ctx); ok {
			q.sub.drop()
			q.sub.settled()
		}
	}
}

func (q *liveQueue[T]) gone(err error) error {
	if errors.Is(err, strand.ErrClosed) {
		return errGone
	}
	return err
}
