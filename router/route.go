package router

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/troupe-go/troupe/actor"
)

// Send hands m to the routee that the strategy chooses, or to all under
// [Broadcast]. It is otherwise like [actor.Ref.Send]: it waits while that one's
// lane is full, as Config.WhenFull says, or there is no routee, as
// Config.WhenEmpty says, until ctx ends, and in a handler, with its Context, a
// wait holds no worker.
//
// A routee that has stopped is passed over, and m goes to another. If Send
// returns an error, nobody has got m, which is no dead letter: [ErrNoRoutees],
// [ErrNoKey], [actor.ErrStopped] if the router has stopped, or an error that
// wraps the cause of ctx.
//
// Under Broadcast the error joins the errors of the routees that have not got m;
// the others have. Routees that have stopped don't count; if all have, the error is
// ErrNoRoutees.
//
// A message that is routed costs no allocation.
func (r Router[M]) Send(ctx context.Context, m M) error {
	if r.route == nil {
		return ErrNoRouter
	}
	return r.route.send(ctx, m, true)
}

// TrySend is Send, except that it never waits: it returns [actor.ErrFull] or
// [ErrNoRoutees] instead.
func (r Router[M]) TrySend(ctx context.Context, m M) error {
	if r.route == nil {
		return ErrNoRouter
	}
	return r.route.send(ctx, m, false)
}

func (r *route[M]) send(ctx context.Context, m M, wait bool) error {
	c := r.core
	if c.cfg.Strategy == Broadcast {
		return r.broadcast(ctx, m, wait)
	}
	_, err := r.deliver(ctx, m, mayWaitIf(wait), actor.PID{})
	return err
}

// Deliver routes the message of an ask. It is called by [actor.AskBy].
func (r *route[M]) Deliver(ctx context.Context, m M) (actor.Ref[M], error) {
	self := actor.PID{}
	if x, ok := ctx.(interface{ PID() actor.PID }); ok {
		self = x.PID()
	}
	return r.deliver(ctx, m, asks, self)
}

// waiting says whether a message waits for routees, or for room.
type waiting uint8

const (
	never waiting = iota
	always
	asks // Not longer than its ask; see [actor.System.LimitAsk].
)

func mayWaitIf(wait bool) waiting {
	if wait {
		return always
	}
	return never
}

// limit returns the context in which a message waits, and the end of its use.
func (c *core[M]) limit(ctx context.Context, wait waiting) (context.Context, context.CancelFunc) {
	if wait == asks {
		return c.sys.LimitAsk(ctx)
	}
	return ctx, func() {}
}

// deliver hands m to one routee, and returns which one. It passes over the
// actor that must not get it.
func (r *route[M]) deliver(ctx context.Context, m M, wait waiting, not actor.PID) (actor.Ref[M], error) {
	c := r.core
	for {
		t := c.members.Load()
		if len(t.refs) == 0 {
			limited, cancel := c.limit(ctx, wait)
			err := c.awaitRoutees(limited, t, wait != never)
			if cancel(); err != nil {
				return actor.Ref[M]{}, err
			}
			continue
		}
		i, err := c.choose(t, m)
		if err != nil {
			return actor.Ref[M]{}, c.refuse(err)
		}
		ref := t.refs[i].On(r.lane)
		if not != (actor.PID{}) && ref.PID() == not {
			if c.cfg.Strategy.hashes() || len(t.refs) == 1 {
				return actor.Ref[M]{}, c.refuse(fmt.Errorf("ask %s: %w: it would ask itself", ref, actor.ErrAskCycle))
			}
			i = (i + 1) % len(t.refs)
			ref = t.refs[i].On(r.lane)
		}
		if err = ref.TryOffer(ctx, m); err == nil {
			return ref, nil
		}
		if errors.Is(err, actor.ErrFull) {
			ref, err = r.deliverFull(ctx, t, i, m, wait, not)
		}
		if err == nil {
			return ref, nil
		}
		if !errors.Is(err, actor.ErrStopped) {
			return actor.Ref[M]{}, c.refuse(err)
		}
		c.lost(ref.PID()) // Its keeper may not have been told yet.
		c.rerouted.Add(1)
	}
}

// deliverFull hands m to another routee than the chosen one, whose lane is full,
// or waits for that. It returns the ref that the error is about.
func (r *route[M]) deliverFull(ctx context.Context, t *members[M], chosen int, m M, wait waiting, not actor.PID) (actor.Ref[M], error) {
	c := r.core
	if c.cfg.WhenFull == TryOthers && c.cfg.Strategy != ConsistentHash {
		for k := 1; k < len(t.refs); k++ {
			ref := t.refs[(chosen+k)%len(t.refs)].On(r.lane)
			if ref.PID() == not {
				continue
			}
			err := ref.TryOffer(ctx, m)
			switch {
			case err == nil:
				c.rerouted.Add(1)
				return ref, nil
			case !errors.Is(err, actor.ErrFull):
				return ref, err
			}
		}
	}
	ref := t.refs[chosen].On(r.lane)
	if wait == never {
		return ref, fmt.Errorf("%s: %w: %s, of %d routees", c.cfg.Name, actor.ErrFull, ref, len(t.refs))
	}
	limited, cancel := c.limit(ctx, wait)
	defer cancel()
	return ref, ref.Offer(limited, m)
}

// refuse counts a message that nobody gets.
func (c *core[M]) refuse(err error) error {
	c.refused.Add(1)
	return err
}

func (c *core[M]) stopped() error {
	return fmt.Errorf("%s: %w", c.cfg.Name, actor.ErrStopped)
}

// choose returns the index of the routee that the strategy chooses. There is
// one at least.
func (c *core[M]) choose(t *members[M], m M) (int, error) {
	n := uint64(len(t.refs))
	switch c.cfg.Strategy {
	case Random:
		return c.random(n), nil
	case SmallestMailbox:
		return c.smallest(t), nil
	case LeastOfTwo:
		return c.leastOfTwo(t), nil
	case ConsistentHash, BoundedHash:
		hash, err := c.cfg.Key.of(m)
		if err != nil {
			return 0, err
		}
		i := t.ring().owner(hash)
		if c.cfg.Strategy == BoundedHash {
			i = c.bounded(t, i, hash)
		}
		return i, nil
	default:
		return int((c.turn.Add(1) - 1) % n), nil
	}
}

// random returns a number below n: the next of SplitMix64, whose state many may
// advance at the same time. Scaled down instead of divided, a large n is
// preferred by less than n in 2^32.
func (c *core[M]) random(n uint64) int {
	return int(mix(c.turn.Add(golden)) >> 32 * n >> 32)
}

// leastOfTwo returns the one with the smaller backlog of two different routees.
func (c *core[M]) leastOfTwo(t *members[M]) int {
	n := uint64(len(t.refs))
	if n == 1 {
		return 0
	}
	draw := mix(c.turn.Add(golden))
	i, j := draw>>32*n>>32, (draw&math.MaxUint32)*(n-1)>>32
	if j >= i {
		j++
	}
	if b := t.refs[i].Backlog(); b > 0 && t.refs[j].Backlog() < b {
		return int(j)
	}
	return int(i)
}
