package router

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// Stop ends the pool. Nothing is taken on any more; tasks that have not begun are
// dropped, and their askers get [actor.ErrStopped]; Stop returns when those that
// have begun are over. If ctx ends first, the contexts of these end, with the
// cause [actor.ErrForced], and Stop returns an error that wraps the cause of ctx;
// they are expected to return soon. Stop may be called again, and by several. In a
// task of the pool, with whatever context, it returns [actor.ErrWouldDeadlock], and
// the stop goes on.
//
// A pool also stops when its system does, or the actor below which it was made;
// that does not wait for tasks that have begun.
func (p *Pool[J, R]) Stop(ctx context.Context) error { return p.stop(ctx, false) }

// Drain is Stop, except that the tasks that were taken on are done first. If ctx
// ends before that, the rest is dropped.
func (p *Pool[J, R]) Drain(ctx context.Context) error { return p.stop(ctx, true) }

func (p *Pool[J, R]) stop(ctx context.Context, drain bool) error {
	if p.missing() {
		return ErrNoPool
	}
	return p.core().stop(ctx, drain)
}

func (c *pool[J, R]) stop(ctx context.Context, drain bool) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if c.s == nil {
		return c.stopped()
	}
	c.mu.Lock()
	c.draining = c.draining || drain
	c.mu.Unlock()
	if !drain {
		c.close()
	}
	end := c.front.Stop
	if drain {
		end = c.front.Drain
	}
	if c.stopsItself(ctx) {
		return c.stopFromTask(end)
	}
	err := end(ctx)
	if err == nil && c.awaitQuiet(ctx) {
		return nil
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	c.close()
	return fmt.Errorf("router: %s has not stopped, %d tasks are left: %w", c.cfg.Name, c.force(), context.Cause(ctx))
}

// stopFromTask goes on with a stop that the caller can't wait for.
func (c *pool[J, R]) stopFromTask(end func(context.Context) error) error {
	_, err := c.s.Go(context.Background(), end, workers.WithTimeout(0))
	return errors.Join(fmt.Errorf("stop of %s in one of its tasks: %w", c.cfg.Name, actor.ErrWouldDeadlock), err)
}

// frontStopped is called when the pool's actor has stopped.
func (c *pool[J, R]) frontStopped() {
	c.mu.Lock()
	c.frontGone = true
	drain := c.draining
	stoppers := c.quiet()
	c.mu.Unlock()
	for _, s := range stoppers {
		s.Wake(nil, workers.Own)
	}
	if !drain {
		c.close()
	}
}

// quiet returns whom to wake if all is over. The caller holds mu.
func (c *pool[J, R]) quiet() []*workers.Waiter {
	if over := c.closed || c.draining && c.frontGone; !over || c.left > 0 {
		return nil
	}
	c.closed = true
	stoppers := c.stoppers
	c.stoppers = nil
	return stoppers
}

// awaitQuiet waits until all is over, and returns false if ctx has ended before.
func (c *pool[J, R]) awaitQuiet(ctx context.Context) bool {
	var waiter workers.Waiter
	waiter.Arm(ctx, c.s)
	defer waiter.Disarm()
	mine := new(workers.Waiter)
	*mine = waiter
	waiter.Explain(c.s, func() string { return "for the tasks of " + c.cfg.Name })
	for {
		c.mu.Lock()
		c.quiet()
		if c.closed && c.left == 0 {
			c.mu.Unlock()
			return true
		}
		c.stoppers = append(c.stoppers, mine)
		c.mu.Unlock()
		if !waiter.Wait(ctx) {
			return false
		}
	}
}

// close refuses everything, and drops what has not begun.
func (c *pool[J, R]) close() {
	c.mu.Lock()
	c.closed = true
	var woken []workers.Waiter
	for l := range c.senders {
		for w := c.senders[l].pop(); w != nil; w = c.senders[l].pop() {
			w.stage = fresh
			woken = append(woken, w.waiter)
		}
	}
	c.mu.Unlock()
	for _, w := range woken {
		w.Wake(nil, workers.Own)
	}
	for w := c.dropOne(); w != nil; w = c.dropOne() {
		c.settle(nil, w, c.stopped())
	}
}

// dropOne takes a task that has not begun out of its queue. Those behind it, with
// the same key, come forward when it is settled.
func (c *pool[J, R]) dropOne() *work[J, R] {
	c.mu.Lock()
	defer c.mu.Unlock()
	for l := range c.ready {
		if w := c.ready[l].pop(); w != nil {
			c.held[l]--
			w.stage = started
			return w
		}
	}
	for w := c.busy.first; w != nil; w = w.after {
		chain := c.keys[w.key]
		if chain == nil || !w.keyed {
			continue
		}
		if next := chain.pop(); next != nil {
			c.held[next.lane]--
			next.stage = started
			return next
		}
	}
	return nil
}

// force ends the contexts of the tasks that run, and returns how many there are.
func (c *pool[J, R]) force() int {
	c.mu.Lock()
	c.forced = true
	var jobs []*work[J, R]
	for w := c.busy.first; w != nil; w = w.after {
		if w.adopted {
			jobs = append(jobs, w)
		}
	}
	left := c.left
	c.mu.Unlock()
	for _, w := range jobs {
		w.Cancel(actor.ErrForced)
	}
	return left
}
