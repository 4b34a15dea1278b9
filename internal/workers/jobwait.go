package workers

import "context"

// jobWaiter is somebody who waits for the job's end.
type jobWaiter struct {
	Waiter
	next *jobWaiter
}

// Wait waits until the job has ended, and returns what its function returned. See
// sched.Job.Wait.
func (j *Job) Wait(ctx context.Context) error {
	switch {
	case !j.known():
		return ErrNoJob
	case j.state.State().Ended():
		return j.result()
	case ctx == nil:
		return errNilWait
	case j.isCaller():
		return ErrSelfWait
	}
	rare := j.rarely()
	var w Waiter
	w.Arm(ctx, j.kind.s)
	defer w.Disarm()
	var known *jobWaiter // The goroutine that ends the job has a copy of its own.
	var edge *Edge
	if w.fiber == nil {
		known = &jobWaiter{Waiter: w}
	} else {
		both := &struct {
			jobWaiter
			Edge
		}{jobWaiter: jobWaiter{Waiter: w}}
		known, edge = &both.jobWaiter, &both.Edge
		edge.Begin(w.fiber, (*awaitedJob)(j))
		defer edge.End()
	}
	rare.mu.Lock()
	known.next = rare.waiters
	rare.waiters = known
	rare.mu.Unlock()
	if edge != nil {
		edge.Raise()
	}
	w.Explain(j.kind.s, func() string { return "for the end of " + j.String() })
	for !j.state.State().Ended() { // Either it is seen here, or the waiter there.
		if !w.Wait(ctx) && !j.state.State().Ended() {
			rare.forget(known)
			if edge != nil {
				j.shift(edge.Leave)
			}
			return context.Cause(ctx)
		}
	}
	return j.result()
}

// result is what Wait returns of a job that has ended.
func (j *Job) result() error {
	st := j.state.State()
	if st == JobCompleted {
		return nil
	}
	if st == JobTimedOut {
		return ErrJobTimeout
	}
	if cut, ok := j.node.runner.(CutBody); ok {
		if err := cut.CutError(); err != nil {
			return err
		}
	}
	rare := j.rare.Load()
	if rare.err != nil {
		return rare.err
	}
	cause := rare.cause
	if cause == ErrStopped { //nolint:errorlint // Exactly this one is the stop's.
		return ErrStopped
	}
	return &cancelError{cause}
}

// isCaller reports whether the job itself calls.
func (j *Job) isCaller() bool {
	if j.state.State() != JobRunning {
		return false
	}
	f := j.on()
	return f.job.Load() == j && f.Here()
}

// forget removes a waiter.
func (r *jobRare) forget(w *jobWaiter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for at := &r.waiters; *at != nil; at = &(*at).next {
		if *at == w {
			*at = w.next
			return
		}
	}
}

// tell wakes everybody who waits for the job's end. f is the caller's fiber, or
// nil.
func (j *Job) tell(f *Fiber) {
	rare := j.rare.Load()
	if rare == nil {
		return
	}
	rare.mu.Lock()
	waiters := rare.waiters
	rare.waiters = nil
	lifted := rare.settleEnd(j)
	if rare.done != nil {
		closeOnce(rare.done)
	}
	rare.mu.Unlock()
	if lifted != nil && f == nil {
		lifted.settleEdge() // It is overdue, and may wait.
	}
	for ; waiters != nil; waiters = waiters.next {
		waiters.Wake(f, Normal)
	}
}

// Done returns a channel that is closed when the job has ended, for a select among several.
// See sched.Job.Done.
func (j *Job) Done() <-chan struct{} {
	if !j.known() {
		return closedChannel()
	}
	rare := j.rarely()
	rare.mu.Lock()
	defer rare.mu.Unlock()
	if rare.done == nil {
		rare.done = make(chan struct{})
	}
	if j.state.State().Ended() {
		closeOnce(rare.done)
	}
	return rare.done
}

// closeOnce closes done, which nobody sends to, unless it is closed. The caller
// holds the lock under which it is closed.
func closeOnce(done chan struct{}) {
	select {
	case <-done:
	default:
		close(done)
	}
}

func closedChannel() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}
