package router

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

// Owners returns, for a router whose routees have these names, which one each of
// n keys belongs to.
func Owners(names []string, n int) []int {
	r := newRing(names)
	owners := make([]int, n)
	for i := range owners {
		owners[i] = r.owner(mix(uint64(i)))
	}
	return owners
}

// Slots returns how many slots each routee has.
func Slots(names []string) []int {
	counts := make([]int, len(names))
	for _, i := range newRing(names).slots {
		counts[i]++
	}
	return counts
}

const (
	NumSlots  = numSlots
	SlotShare = slotShare
)

// HashOf is the hash of a key.
func HashOf[K Hashable](k K) uint64 { return hasher[K]()(k) }

// Decide returns how many members an elastic pool should have.
func Decide[M any](c ElasticConfig[M], s Sample, changed time.Time) (to int, why ScaleReason, err error) {
	if c, err = c.withDefaults(1); err != nil {
		return 0, Unchanged, err
	}
	to, why = c.decide(s, changed)
	return to, why, nil
}

// PriorityOf returns the priority of the job that is the pool's task with this
// context.
func PriorityOf[J, R any](ctx context.Context, p *Pool[J, R]) sched.Priority {
	return p.core().own(ctx).Priority()
}

// StartForced takes a task on and gives it a place, then stops the pool by force,
// and starts the task only now: as a stop may come between the two.
func StartForced[J, R any](p *Pool[J, R], task J) error {
	c := p.core()
	w, err := c.newWork(context.Background(), p.lane, task, false)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.accept(w)
	next := c.next()
	c.mu.Unlock()
	ended, cancel := context.WithCancelCause(context.Background())
	cancel(actor.ErrForced)
	err = p.Stop(ended)
	c.start(nil, next)
	return err
}

// Interrupt begins a look at the backlogs of a router's routees, and returns a
// function that ends it, as if the sender who looks were interrupted in between.
func Interrupt[M any](r Router[M]) (goOn func()) {
	c := r.route.core
	t := c.members.Load()
	turn := c.turn.Add(1)
	if !t.look.mu.TryLock() {
		panic("somebody looks already")
	}
	if c.cfg.Strategy == BoundedHash {
		total := t.sum()
		return func() { t.keepSum(turn, total); t.look.mu.Unlock() }
	}
	i, backlog := t.smallest(turn, &t.look)
	return func() { t.look.keepPlan(turn, i, backlog); t.look.mu.Unlock() }
}

// Latency is the estimate of an elastic pool.
func Latency(backlog int, handled uint64, since time.Duration) time.Duration {
	return latency(backlog, handled, since)
}
