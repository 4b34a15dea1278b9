package stream

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
)

// liveBuffer counts the messages of a buffer. A message that was accepted and not settled waits there, or
// was lost by it.
type liveBuffer struct{ accepted, settled atomic.Uint64 }

func (b *liveBuffer) open() uint64 {
	settled := b.settled.Load() // It is read first, so that it is not the larger one.
	return b.accepted.Load() - settled
}

func (s *Subscription) accept() {
	s.buffer.accepted.Add(1)
	s.topic.buffers.accepted.Add(1)
}

func (s *Subscription) settled() {
	s.buffer.settled.Add(1)
	s.topic.buffers.settled.Add(1)
}

// courier is the buffer of a subscription: an actor whose lane holds the messages, and which hands them
// over. As an actor it has the policies of lanes, and its waits are edges of the graph in
// which rings are found.
type courier[T, M any] struct {
	wrapper[T, M]
	to   actor.Ref[M]
	self actor.Ref[M]
}

// liveCourier is a courier, whatever the messages.
type liveCourier interface {
	start(ctx context.Context, keeper actor.Ref[liveOrder], capacity int) error
	stop()
	drain(ctx context.Context) error
	slid() uint64
}

// start spawns the courier below the keeper.
func (c *courier[T, M]) start(ctx context.Context, keeper actor.Ref[liveOrder], capacity int) error {
	kind := actor.Fixed
	if c.sub.full == DropOldest {
		kind = actor.Sliding
	}
	_, err := actor.Ask(ctx, keeper, func(r actor.Reply[struct{}]) liveOrder {
		return liveOrder{done: r, spawn: func(at actor.Spawner) (err error) {
			c.self, err = actor.Spawn(at, actor.Func(c.handOver), actor.WithName("buffer of "+c.sub.name),
				actor.WithCapacity(actor.Data, capacity), actor.WithBuffer(actor.Data, kind))
			return err
		}}
	})
	if errors.Is(err, actor.ErrStopped) {
		return ErrLiveClosed
	}
	return err
}

func (c *courier[T, M]) stop() { _ = c.sub.topic.sys.RequestStop(c.self.PID()) } // It may have ended.

func (c *courier[T, M]) drain(ctx context.Context) error { return c.self.Drain(ctx) }

// slid returns how many messages the lane has dropped while it is alive.
func (c *courier[T, M]) slid() uint64 {
	i, err := c.self.Info()
	if err != nil {
		return 0
	}
	return i.Dropped[actor.Data]
}

func (c *courier[T, M]) lag() int { return c.self.Backlog() + c.to.Backlog() }

// offer puts v into the buffer.
func (c *courier[T, M]) offer(ctx context.Context, v T) (liveLate, error) {
	m, ok := c.call(v)
	if !ok {
		return liveLate{}, errPanics
	}
	late, err := offerTo(ctx, c.self, m)
	switch {
	case err == nil:
		c.sub.accept()
	case errors.Is(err, actor.ErrFull):
		wait := late.wait
		late.wait = func(ctx context.Context) error {
			err := wait(ctx)
			if err == nil {
				c.sub.accept()
			}
			return c.gone(err)
		}
	}
	return late, c.gone(err)
}

// gone says of the end of the courier what it means.
func (c *courier[T, M]) gone(err error) error {
	if errors.Is(err, actor.ErrStopped) && c.sub.state.Load()&subEnded != 0 {
		return errGone
	}
	return err
}

// handOver gives a message to the subscriber.
func (c *courier[T, M]) handOver(ctx *actor.Context[M], m M) error {
	s := c.sub
	err := s.awaitOpen(ctx)
	if err == nil && s.state.Load()&subMuted != 0 {
		s.drop()
		s.settled()
		return nil
	}
	if err == nil {
		if err = c.to.TryOffer(ctx, m); errors.Is(err, actor.ErrFull) {
			err = s.await(ctx, func(ctx context.Context) error { return c.to.Offer(ctx, m) })
		}
	}
	switch {
	case err == nil:
		s.topic.delivered.Add(1)
		s.settled()
	case errors.Is(err, errGone): // It is lost with the rest of the buffer.
	case errors.Is(err, actor.ErrStopped):
		s.end(err)
	default:
		s.count(&s.missed, &s.topic.missed)
		s.settled()
		s.mu.Lock()
		s.fault = fmt.Errorf("stream: hand over to %s: %w", s.name, err)
		s.mu.Unlock()
	}
	return nil
}
