package workers

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// room counts the jobs that are queued, if that is bounded. An unbounded
// scheduler pays for it with one comparison.
type room struct {
	limit  int64 // 0 means none.
	reject bool
	// queued is how many jobs were accepted and have not begun. Written by
	// submitters and by workers.
	queued xatomic.Int64
	// waiting is how many submitters wait. Written under mu. It pairs with
	// queued: a submitter enters itself, then tries again; a worker makes room,
	// then looks for one that waits.
	waiting xatomic.Int64

	mu    xatomic.Mutex
	queue []*Waiter // The waiting submitters, the first one first.
}

// enter takes a place for what a job submits, beyond the bound unless that is to
// be rejected.
func (r *room) enter() bool {
	switch {
	case r.limit == 0:
	case r.reject:
		return r.tryEnter()
	default:
		r.queued.Add(1)
	}
	return true
}

func (r *room) full() error {
	return fmt.Errorf("%w: %d jobs are queued, and Config.MaxQueued is %d", ErrFull, r.queued.Load(), r.limit)
}

// tryEnter takes a place if one is free.
func (r *room) tryEnter() bool {
	for {
		n := r.queued.Load()
		if n >= r.limit {
			return false
		}
		if r.queued.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// leave gives a place back.
func (r *room) leave() {
	if r.limit != 0 {
		r.queued.Add(-1)
		r.wakeOne()
	}
}

func (r *room) wakeOne() {
	if r.waiting.Load() == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) > 0 && r.queued.Load() < r.limit {
		r.queue[0].Wake(nil, Normal)
	}
}

// wakeAll lets everybody who waits look at the scheduler's state.
func (r *room) wakeAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.queue {
		w.Wake(nil, Normal)
	}
}

// accept counts a job that is submitted from outside, or refuses it.
func (s *Scheduler) accept(ctx context.Context, j *Job) error {
	if s.room.limit != 0 {
		if err := s.waitForRoom(ctx); err != nil {
			return err
		}
	}
	return s.count(j)
}

// count counts a job that has its place, or refuses it.
func (s *Scheduler) count(j *Job) error {
	// Count first: a Stop in between either sees the job or is seen here.
	j.id = s.account.came.Add(1)
	if s.stopping.Load() {
		s.room.leave()
		s.jobGone()
		return ErrStopped
	}
	return nil
}

// waitForRoom takes a place, waiting for it if that is the policy.
func (s *Scheduler) waitForRoom(ctx context.Context) error {
	r := &s.room
	if r.tryEnter() {
		return nil
	}
	if r.reject {
		return r.full()
	}
	var w Waiter
	w.Arm(ctx, s)
	defer w.Disarm()
	r.add(&w)
	defer r.remove(&w)
	for {
		switch {
		case s.stopping.Load():
			return ErrStopped
		case r.tryEnter():
			return nil
		case !w.Wait(ctx):
			return context.Cause(ctx)
		}
	}
}

func (r *room) add(w *Waiter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, w)
	r.waiting.Add(1)
}

// remove takes w out. It may have been woken for a place that it does not take,
// or there may be more than one, so the next is woken too.
func (r *room) remove(w *Waiter) {
	r.mu.Lock()
	for i, other := range r.queue {
		if other == w {
			r.queue = append(r.queue[:i], r.queue[i+1:]...)
			break
		}
	}
	r.waiting.Add(-1)
	r.mu.Unlock()
	r.wakeOne()
}
