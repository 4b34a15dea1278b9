package router

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// A pool's tasks wait in the pool and not with the scheduler: there they could
// neither be put in order by lane and key nor be taken back. Only as many as
// there are workers are jobs at one time, and the end of one brings on the next,
// on the same worker of the scheduler, from which idle ones steal. All of it is
// under one mutex, which is held for some 100 ns a task.

// submit takes a task on. If the lane is full it waits, or returns ErrFull. A task
// that submits another to its own pool never waits for room, since it might be
// the one that holds it.
func (c *pool[J, R]) submit(ctx context.Context, w *work[J, R], wait, front bool) error {
	c.mu.Lock()
	if c.closed || c.draining && !front && w.above == nil { // Tasks that a task needs to finish are let in.
		c.mu.Unlock()
		return c.stopped()
	}
	if lane := w.lane; w.above == nil && (c.held[lane] >= c.cfg.Capacity || c.senders[lane].n > 0) {
		if !wait {
			c.mu.Unlock()
			return fmt.Errorf("%s: %w: %d tasks wait in the %v lane", c.cfg.Name, actor.ErrFull, c.cfg.Capacity, lane)
		}
		w.stage = outside
		c.senders[lane].push(w)
		return c.awaitRoom(ctx, w)
	}
	c.accept(w)
	c.dispatch(workers.Current(ctx))
	return nil
}

// awaitRoom waits until the task was taken on. The caller holds mu, which
// awaitRoom unlocks.
func (c *pool[J, R]) awaitRoom(ctx context.Context, w *work[J, R]) error {
	var waiter workers.Waiter
	waiter.Arm(ctx, c.s)
	defer waiter.Disarm()
	w.waiter = waiter
	waiter.Explain(c.s, func() string { return "for room in " + c.cfg.Name })
	for w.stage == outside {
		c.mu.Unlock()
		goOn := waiter.Wait(ctx)
		c.mu.Lock()
		if !goOn && w.stage == outside {
			w.leave()
			c.mu.Unlock()
			return fmt.Errorf("%s: the %v lane is full: %w", c.cfg.Name, w.lane, context.Cause(ctx))
		}
	}
	w.waiter = workers.Waiter{}
	refused := w.stage == fresh
	c.mu.Unlock()
	if refused {
		return c.stopped()
	}
	return nil
}

// accept queues a task, behind those with the same key. The caller holds mu.
func (c *pool[J, R]) accept(w *work[J, R]) {
	c.held[w.lane]++
	c.left++
	if c.cfg.Key != nil {
		if chain, busy := c.keys[w.key]; busy {
			if chain == nil {
				chain = &queue[J, R]{}
				c.keys[w.key] = chain
			}
			w.stage = behind
			chain.push(w)
			return
		}
		c.keys[w.key] = nil
		w.keyed = true
	}
	w.stage = ready
	c.ready[w.lane].push(w)
}

// freeKey lets the next task of w's key come forward. The caller holds mu.
func (c *pool[J, R]) freeKey(w *work[J, R]) {
	if !w.keyed {
		return
	}
	w.keyed = false
	var next *work[J, R]
	if chain := c.keys[w.key]; chain != nil {
		next = chain.pop()
	}
	if next == nil {
		delete(c.keys, w.key)
		return
	}
	next.keyed, next.stage = true, ready
	c.ready[next.lane].push(next)
}

// dispatch makes jobs of the most urgent tasks, as long as there are places, and
// wakes the senders for whom there is room. The caller holds mu, which dispatch
// unlocks. It runs on f, or on no fiber.
func (c *pool[J, R]) dispatch(f *workers.Fiber) {
	if f != nil && f.Scheduler() != c.s {
		f = nil
	}
	for {
		w := c.next()
		woken := c.admit()
		c.mu.Unlock()
		for _, waiter := range woken {
			waiter.Wake(f, workers.Own)
		}
		switch {
		case w != nil:
			c.start(f, w)
		case len(woken) == 0:
			return
		}
		c.mu.Lock()
	}
}

// next takes the next task that may start, and gives it a place. The caller
// holds mu.
func (c *pool[J, R]) next() *work[J, R] {
	if c.closed || c.running >= c.cfg.Workers { // A closed pool drops its ready tasks.
		return nil
	}
	for lane := len(c.ready) - 1; lane >= 0; lane-- {
		if w := c.ready[lane].pop(); w != nil {
			c.held[lane]--
			w.stage, w.place = started, true
			c.running++
			c.busy.push(w)
			return w
		}
	}
	return nil
}

// batch is for how many tasks there must be room before senders that wait get it.
// With a place at a time, each task woke a sender that fell asleep again. Tasks
// with keys may all wait for one that is at work, so there each place counts.
func (c *pool[J, R]) batch() int {
	if c.cfg.Key != nil {
		return 1
	}
	return max(1, c.cfg.Capacity/64)
}

// admit takes on the tasks of waiting senders, as long as there is room. The
// caller holds mu, and wakes them.
func (c *pool[J, R]) admit() (woken []workers.Waiter) {
	for lane := range c.senders {
		if c.held[lane] > c.cfg.Capacity-c.batch() {
			continue
		}
		for c.held[lane] < c.cfg.Capacity && c.senders[lane].n > 0 {
			w := c.senders[lane].pop()
			woken = append(woken, w.waiter)
			c.accept(w)
		}
	}
	return woken
}

// start makes a job of a task.
func (c *pool[J, R]) start(f *workers.Fiber, w *work[J, R]) {
	priority := c.cfg.Priority
	if w.lane == actor.Control {
		priority = workers.Critical
	}
	if err := c.s.Adopt(w, workers.Admission{Kind: c.cfg.Name, Priority: priority, From: f}); err != nil {
		c.settle(f, w, err) // The loop in dispatch goes on with the next.
		return
	}
	c.mu.Lock()
	w.adopted = true
	forced := c.forced
	c.mu.Unlock()
	if forced {
		w.Cancel(actor.ErrForced)
	}
	c.s.Enqueue(f, w)
}

// settle gives a task its result, and tells who waits for it.
func (c *pool[J, R]) settle(f *workers.Fiber, w *work[J, R], err error) {
	if err != nil {
		c.report(w, err)
	}
	c.mu.Lock()
	w.leave()
	if w.place {
		w.place = false
		c.running--
	}
	w.stage, w.err = over, err
	c.left--
	c.tally(w, err)
	c.freeKey(w)
	waiter, stoppers := w.waiter, c.quiet()
	c.mu.Unlock()
	waiter.Wake(f, workers.Own)
	for _, s := range stoppers {
		s.Wake(f, workers.Own)
	}
}
