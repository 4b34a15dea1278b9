package router

import (
	"context"
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/internal/workers"
)

// awaitRoutees returns nil when the router may have other routees than t, which
// has none, or an error if it may not or shall not be waited for.
func (c *core[M]) awaitRoutees(ctx context.Context, t *members[M], wait bool) error {
	if t.closed {
		return c.refuse(c.stopped())
	}
	if !wait || c.cfg.WhenEmpty == FailWhenEmpty {
		return c.refuse(named(c.cfg.Name, ErrNoRoutees))
	}
	if ctx == nil {
		ctx = context.Background()
	}
	var w workers.Waiter
	w.Arm(ctx, (*workers.Scheduler)(c.sys.Scheduler()))
	defer w.Disarm()
	mine := new(workers.Waiter)
	*mine = w
	if !c.enqueue(t, mine) {
		return nil
	}
	w.Explain((*workers.Scheduler)(c.sys.Scheduler()), func() string { return "for a routee of " + c.cfg.Name })
	for c.members.Load() == t {
		if !w.Wait(ctx) && c.members.Load() == t {
			c.withdraw(mine)
			return c.refuse(named(c.cfg.Name, fmt.Errorf("%w: %w", ErrNoRoutees, context.Cause(ctx))))
		}
	}
	c.withdraw(mine)
	return nil
}

// enqueue enters a sender that waits, unless the members have changed.
func (c *core[M]) enqueue(t *members[M], w *workers.Waiter) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.members.Load() != t {
		return false
	}
	c.waiters = append(c.waiters, w)
	return true
}

func (c *core[M]) withdraw(w *workers.Waiter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiters = slices.DeleteFunc(c.waiters, func(other *workers.Waiter) bool { return other == w })
}

// takeWaiters returns whom to wake when the members have changed. The caller
// holds mu.
func (c *core[M]) takeWaiters() []*workers.Waiter {
	waiters := c.waiters
	c.waiters = nil
	return waiters
}
