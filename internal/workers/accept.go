package workers

import (
	"context"
	"fmt"
)

// accept counts a job that is submitted from outside, or refuses it.
func (s *Scheduler) accept(ctx context.Context, j *Job) error {
	if s.bound.IsBounded() {
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
		s.bound.Leave()
		s.jobGone()
		return ErrStopped
	}
	return nil
}

// waitForRoom takes a place, waiting for it if that is the policy.
func (s *Scheduler) waitForRoom(ctx context.Context) error {
	b := &s.bound
	if b.TryEnter() {
		return nil
	}
	if b.Rejects() {
		return s.full()
	}
	var w submitter
	w.Arm(ctx, s)
	defer w.Disarm()
	b.Add(&w)
	defer b.Remove(&w)
	for {
		switch {
		case s.stopping.Load():
			return ErrStopped
		case b.TryEnter():
			return nil
		case !w.Wait(ctx):
			return context.Cause(ctx)
		}
	}
}

// submitter waits for room.
type submitter struct{ Waiter }

// WakeUp has it try again.
func (w *submitter) WakeUp() { w.Wake(nil, Normal) }

// full is what a submitter gets that does not wait for room.
func (s *Scheduler) full() error {
	return fmt.Errorf("%w: %d jobs are queued, and Config.MaxQueued is %d", ErrFull, s.bound.Queued(), s.bound.Limit())
}
