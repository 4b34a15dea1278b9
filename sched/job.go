package sched

import (
	"context"
	"fmt"
	"sync"
)

// Job is the handle of a function that was given to [Scheduler.Go].
type Job struct {
	node  Node
	s     *Scheduler
	fn    func(ctx context.Context) error
	ctx   context.Context
	frame Frame

	mu      sync.Mutex
	ended   bool
	err     error
	waiters []*Waiter
}

// JobOption changes how one job is run.
type JobOption func(*jobOptions)

type jobOptions struct {
	priority Priority
	place    Place
}

// WithPriority gives the job a priority. The default is [Normal].
func WithPriority(p Priority) JobOption {
	return func(o *jobOptions) { o.priority = p }
}

// WithWorker pins the job to a worker; see [Pinned]. By default it runs anywhere.
func WithWorker(id int) JobOption {
	return func(o *jobOptions) { o.place = Pinned(id) }
}

// WithAffinity lets the job run on a worker as long as that one can keep up; see
// [Preferred]. By default it runs anywhere.
func WithAffinity(id int) JobOption {
	return func(o *jobOptions) { o.place = Preferred(id) }
}

// Go runs fn as a job and returns its handle. The context that fn receives is
// ctx, and it also knows the worker: where a job waits by means of this module
// with that context, it suspends and holds no worker. It may as well block by
// any other means; a spare worker then takes over.
//
// Go never waits. It may be called by a job, with the job's context, to stay
// on the same worker. It returns [ErrStopped] when the scheduler is stopping,
// unless a running job calls it with its context: what was accepted is allowed
// to finish. A job costs three allocations.
func (s *Scheduler) Go(ctx context.Context, fn func(ctx context.Context) error, opts ...JobOption) (*Job, error) {
	if fn == nil {
		return nil, fmt.Errorf("sched: Go was given a nil function")
	}
	o := jobOptions{priority: Normal}
	for _, opt := range opts {
		opt(&o)
	}
	if o.priority >= numPriorities {
		return nil, fmt.Errorf("sched: unknown priority %d; use Critical, High, Normal or Low", o.priority)
	}
	to, err := s.resolve(o.place)
	if err != nil {
		return nil, err
	}
	from := Current(ctx)
	if from != nil && from.s != s {
		from = nil
	}
	if from == nil {
		s.AwaitTurn()
	}
	// Count first: a Stop in between either sees the job or is seen here.
	s.jobs.Add(1)
	if from == nil && s.stopping.Load() {
		s.jobEnded()
		return nil, ErrStopped
	}
	j := &Job{s: s, fn: fn}
	j.ctx = &jobContext{Context: ctx, frame: &j.frame}
	j.node.Init(j)
	s.enqueueAt(from, &j.node, o.priority, to)
	return j, nil
}

// jobContext is the caller's context with the job's own frame.
type jobContext struct {
	context.Context
	frame *Frame
}

func (c *jobContext) Value(key any) any {
	if key == FrameKey {
		return c.frame
	}
	return c.Context.Value(key)
}

// Run runs the job. It is called by the scheduler.
func (j *Job) Run(f *Fiber, _ Priority) {
	j.frame.Enter(f)
	returned := false
	var err error
	defer func() {
		if !returned {
			err = caught(recover())
		}
		j.end(Current(j.ctx), err)
	}()
	err = j.fn(j.ctx)
	returned = true
}

// abandon ends a job that has not begun.
func (j *Job) abandon() { j.end(nil, ErrStopped) }

func (j *Job) end(f *Fiber, err error) {
	j.mu.Lock()
	j.ended, j.err = true, err
	waiters := j.waiters
	j.waiters = nil
	j.mu.Unlock()
	for _, w := range waiters {
		w.Wake(f, Normal)
	}
	j.fn = nil
	j.s.jobEnded()
}

// Wait waits until the job has ended, and returns what its function returned:
// also a [*PanicError] if it panicked, [ErrGoexit] if it called
// runtime.Goexit, and [ErrStopped] if it never began. If ctx ends first, Wait
// returns the cause of ctx, and the job goes on. Inside a job, with that job's
// context, Wait holds no worker. Any number of callers may wait.
func (j *Job) Wait(ctx context.Context) error {
	j.mu.Lock()
	if j.ended {
		j.mu.Unlock()
		return j.err
	}
	var w Waiter
	w.Arm(ctx, j.s)
	known := w // Whoever ends the job has a copy of its own.
	j.waiters = append(j.waiters, &known)
	j.mu.Unlock()
	defer w.Disarm()
	for {
		goOn := w.Wait(ctx)
		j.mu.Lock()
		if j.ended {
			j.mu.Unlock()
			return j.err
		}
		if !goOn {
			j.forget(&known)
			j.mu.Unlock()
			return context.Cause(ctx)
		}
		j.mu.Unlock()
	}
}

// forget removes a waiter. The caller holds mu.
func (j *Job) forget(w *Waiter) {
	for i, other := range j.waiters {
		if other == w {
			j.waiters = append(j.waiters[:i], j.waiters[i+1:]...)
			return
		}
	}
}
