package workers

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/internal/workers/queues"
)

// Stop drains the scheduler. See sched.Scheduler.Stop.
func (s *Scheduler) Stop(ctx context.Context) error {
	if ctx == nil {
		return errNilStop
	}
	s.beginStop()
	if ctx.Err() == nil && s.Here() != nil {
		return fmt.Errorf("stop of the scheduler: %w", ErrSelfWait)
	}
	select {
	case <-s.ended:
		return nil
	default:
	}
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		s.force()
		s.tellForced()
		return fmt.Errorf("sched: stop gave up with %d jobs left: %w", s.owed(), context.Cause(ctx))
	}
}

// Retain has stops wait until Release is called, as they wait for the end of a job: for
// work that has begun, is no job, and may wait. It must be called while something else
// keeps the workers, as work that runs on one does.
func (s *Scheduler) Retain() { s.retained.Add(1) }

// Release is the end of Retain.
func (s *Scheduler) Release() {
	s.retained.Add(-1)
	s.settle()
}

// owed returns how many jobs, and pieces of work that are retained, have not ended.
func (s *Scheduler) owed() int { return s.jobsLeft() + int(s.retained.Load()) }

// Stopping reports whether Stop was called: the scheduler takes no more work.
func (s *Scheduler) Stopping() bool { return s.stopping.Load() }

func (s *Scheduler) beginStop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping.Load() {
		return
	}
	s.shared.Close() // First, since what it accepts afterwards might be missed by settle.
	for _, w := range *s.workers.Load() {
		w.queues.Inbox.Close()
	}
	s.stopping.Store(true)
	s.bound.WakeAll()
	if s.sim != nil {
		s.sim.engine.Nudge() // It ends the scheduler when nothing is left.
		return
	}
	go func() {
		s.running.Wait()
		living.Remove(s)
		s.alarms.Close()
		close(s.ended)
	}()
	s.settle()
}

// settle lets the workers leave if the scheduler is stopping, no job is left, nothing is
// retained, every worker rests and nothing is queued. Then nothing can come any more, so
// that it does not have to be checked twice. A goroutine that makes one of these true calls
// settle after it; the last of them sees all.
//
// Workers don't leave one by one, since what still runs may need the others: it
// may block until work that it submits is done.
func (s *Scheduler) settle() {
	if s.sim != nil || !s.stopping.Load() || !s.allDone() || !s.transitionToSettled() {
		return
	}
	s.lot.WakeAll()
	s.monitor.close()
}

// transitionToSettled returns false if the scheduler was settled before. After
// it no spare is started, since the last worker may have left.
func (s *Scheduler) transitionToSettled() bool {
	s.monitor.mu.Lock()
	defer s.monitor.mu.Unlock()
	return !s.settled.Swap(true)
}

// allDone reports whether every worker rests, nothing is queued and no job is
// left. It holds the lock without which no sleeper wakes up.
func (s *Scheduler) allDone() bool {
	s.lot.Lock()
	defer s.lot.Unlock()
	resting := int(s.monitor.resting.Load()) + s.lot.Sleepers()
	return resting == len(*s.workers.Load()) && !s.hasWork() && s.owed() == 0
}

// force gives up what has not begun. Work that a worker has in hand, or queues later, is
// given up by the worker; see [Worker.next].
func (s *Scheduler) force() {
	s.forced.Store(true)
	if s.sim != nil {
		s.sim.giveUp()
		return
	}
	s.account.came.Add(1) // Nothing settles while nodes are in the hands of this call.
	defer s.jobGone()
	var begun []*Node
	sift := func(n *Node) {
		if n != nil && !abandon(n) {
			begun = append(begun, n)
		}
	}
	for p := range Priority(numPriorities) {
		for range s.shared.Len(queues.Priority(p)) {
			sift(s.shared.Take(queues.Priority(p), nil, 0))
		}
	}
	for _, w := range *s.workers.Load() {
		w.queues.StealAll(sift)
	}
	for _, n := range begun {
		if f, ok := n.origin().runner.(*Fiber); ok {
			f.requeue(nil, Normal)
		} else {
			s.Share(n, Normal)
		}
	}
}

// abandon gives n up. It returns false if n has begun and is to be continued.
func abandon(n *Node) bool {
	switch r := n.origin().runner.(type) {
	case continuation:
		return false
	case abandoner:
		r.abandon()
	case Abandoner:
		r.Abandon()
	}
	return true
}

// Abandoner is a [Runner] that wants to know that it will not be run, since Stop
// has run out of time. Abandon is called once for each entry in a queue that is
// dropped, from Stop or from a worker. It must not wait.
type Abandoner interface {
	Runner
	Abandon()
}

// continuation is a Runner that is part of something that has begun.
type continuation interface{ continues() }

func (f *Fiber) continues() {}

// abandoner is a Runner that wants to know that it will not be run.
type abandoner interface{ abandon() }
