package router

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// members are a router's routees at one time. Except for the record of the
// last look at them, they are not changed: a sender loads the present members
// at once, and adding or removing replaces them by others. So a message may
// still go to a routee that has just been removed, which handles it like all that
// it has.
type members[M any] struct {
	refs   []actor.Ref[M]
	closed bool
	share  share
	look   look

	once sync.Once
	made *ring
}

// membersOf returns the members that these routees are.
func (c *core[M]) membersOf(refs []actor.Ref[M]) *members[M] {
	return &members[M]{refs: refs, share: shareOf(c.cfg.LoadFactor, len(refs)), look: newLook(len(refs))}
}

// ring is made for the first message that needs it: routees are often added one
// by one, and sorting the points costs about 10 us for each of them.
func (t *members[M]) ring() *ring {
	t.once.Do(func() {
		ids := make([]string, len(t.refs))
		for i, ref := range t.refs {
			ids[i] = ref.PID().String()
		}
		t.made = newRing(ids)
	})
	return t.made
}

func (t *members[M]) index(id actor.PID) int {
	return slices.IndexFunc(t.refs, func(r actor.Ref[M]) bool { return r.PID() == id })
}

// Add makes actors routees of the router. From now on they get messages; those that wait
// because there was no routee go on. A routee that stops for good leaves by itself; one
// that is restarted stays. An actor that is a routee already is passed over, and the lane
// of the refs does not matter.
//
// Add returns an error, and adds nobody, if one of the refs is zero, of another
// system, or of an actor that has stopped. It returns [actor.ErrStopped] if the
// router has.
func (r Router[M]) Add(ctx context.Context, refs ...actor.Ref[M]) error {
	if r.route == nil {
		return ErrNoRouter
	}
	return r.route.core.add(ctx, refs)
}

func (c *core[M]) add(ctx context.Context, refs []actor.Ref[M]) error {
	for i, ref := range refs {
		if err := c.check(ref); err != nil {
			return fmt.Errorf("%s: add routee %d of %d: %w", c.cfg.Name, i+1, len(refs), err)
		}
	}
	fresh, waiters, err := c.enter(refs)
	if err != nil {
		return err
	}
	for _, w := range waiters {
		w.Wake(nil, workers.Own)
	}
	for i, ref := range fresh {
		if err := c.keeper.Send(ctx, order{watch: ref.PID()}); err != nil {
			for _, rest := range fresh[i:] {
				c.drop(rest.PID())
			}
			return fmt.Errorf("%s: add %s: %w", c.cfg.Name, ref, err)
		}
	}
	return nil
}

// check finds out whether the actor can be a routee.
func (c *core[M]) check(ref actor.Ref[M]) error {
	if ref == (actor.Ref[M]{}) {
		return actor.ErrNoRef
	}
	if own, err := actor.Resolve[M](c.sys, ref.PID()); err == nil && own == ref.On(actor.Data) {
		return nil
	}
	if i, err := ref.Info(); err == nil && i.State == actor.Exited {
		return fmt.Errorf("%s: %w", ref, actor.ErrStopped)
	}
	return fmt.Errorf("%s belongs to another system, or ends right now", ref)
}

// enter adds the routees that are not there yet, and returns them, and whom to
// wake.
func (c *core[M]) enter(refs []actor.Ref[M]) (fresh []actor.Ref[M], waiters []*workers.Waiter, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.members.Load()
	if t.closed {
		return nil, nil, c.stopped()
	}
	next := slices.Clone(t.refs)
	for _, ref := range refs {
		if !slices.Contains(next, ref.On(actor.Data)) {
			next = append(next, ref.On(actor.Data))
		}
	}
	if fresh = next[len(t.refs):]; len(fresh) == 0 {
		return nil, nil, nil
	}
	c.members.Store(c.membersOf(next))
	return fresh, c.takeWaiters(), nil
}

// Remove makes actors routees no longer. They go on, and handle what they have been sent; a
// message that is being routed at this moment may still come to them. To end a routee
// without losing what it has, remove it, and then call its [actor.Ref.Drain]. An actor that
// is no routee is passed over.
func (r Router[M]) Remove(ctx context.Context, refs ...actor.Ref[M]) error {
	if r.route == nil {
		return ErrNoRouter
	}
	c := r.route.core
	for _, ref := range refs {
		if !c.drop(ref.PID()) {
			continue
		}
		if err := c.keeper.Send(ctx, order{forget: ref.PID()}); err != nil && !errors.Is(err, actor.ErrStopped) {
			return fmt.Errorf("%s: remove %s: %w", c.cfg.Name, ref, err)
		}
	}
	return nil
}

// drop takes a routee out, and reports whether it was there.
func (c *core[M]) drop(id actor.PID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.members.Load()
	i := t.index(id)
	if i < 0 {
		return false
	}
	c.members.Store(c.membersOf(slices.Delete(slices.Clone(t.refs), i, i+1)))
	return true
}

// lost takes out a routee that has stopped.
func (c *core[M]) lost(id actor.PID) {
	if c.drop(id) {
		c.died.Add(1)
	}
}

// close takes out all routees and ends all waits.
func (c *core[M]) close() {
	c.mu.Lock()
	c.members.Store(&members[M]{closed: true})
	waiters := c.takeWaiters()
	c.mu.Unlock()
	for _, w := range waiters {
		w.Wake(nil, workers.Own)
	}
}

func (r Router[M]) closed() bool { return r.route.core.members.Load().closed }

// Routees returns the present routees, in the order in which they were added.
func (r Router[M]) Routees() []actor.Ref[M] {
	if r.route == nil {
		return nil
	}
	return slices.Clone(r.route.core.members.Load().refs)
}
