package workers

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/internal/workers/jobstate"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Job is the handle of a function that was given to [Scheduler.Go]. See sched.Job.
type Job struct {
	// node leads to the record that the job lies in: a function, or a Body.
	node Node
	// kind also leads to the scheduler. It is written before the job is queued.
	kind *jobKind
	// fiber is where the job runs, from its beginning to its end, unless rare.second is. Written
	// before the state says that it has begun, and read only after that was seen. See on.
	fiber *Fiber
	state jobstate.Word
	id    uint64
	// rare is what few jobs have. Written once, when it is first needed.
	rare xatomic.Pointer[jobRare]
}

// function is the job that [Scheduler.Go] makes.
type function struct {
	Job
	parent context.Context                 // The caller's.
	fn     func(ctx context.Context) error // The worker's, once the job is queued.
}

// jobRare is the part of a job that is made when it is needed: for an option, an
// error, or somebody who waits.
type jobRare struct {
	options *jobOptions // Nil, or written before the job is queued.
	// standard is the context that somebody has asked for. Written under mu.
	standard xatomic.Pointer[standardContext]
	// used has the reductions of the slices that the job has used up. Its fiber writes it.
	used xatomic.Uint64

	// second is the fiber of a job that its second entry begins; see Edge. Written before the
	// state says that it has begun.
	second xatomic.Pointer[Fiber]

	mu      xatomic.Mutex
	err     error // The error with which the function ended. Written before the state says so.
	cause   error // Of the first cancellation. Written before the state says so.
	waiters *jobWaiter
	urgent  int  // How many of these are urgent; see Edge.
	lifted  bool // The job's fiber has the mark for it.
	// twice says that one more entry of the job is queued than the one that counts. Written
	// under mu. It pairs with the state: the lifter sets it and then looks whether the job has
	// begun, and the worker begins the job and then looks at it.
	twice xatomic.Bool
	done  chan struct{}
	life  *jobLife // Holds the things that may end the job's context. Written once.
}

// jobLife is what is known of the end of a job's context.
type jobLife struct {
	timer *time.Timer
	// The family; see link. Next and previous are guarded by the job above.
	linked         bool
	unlink         func() bool
	children       *Job
	next, previous *Job
}

// lives returns the job's life. The caller holds mu.
func (r *jobRare) lives() *jobLife {
	if r.life == nil {
		r.life = &jobLife{}
	}
	return r.life
}

// Go runs fn as a job and returns its handle. See sched.Scheduler.Go.
func (s *Scheduler) Go(ctx context.Context, fn func(ctx context.Context) error, opts ...JobOption) (*Job, error) {
	switch {
	case fn == nil:
		return nil, errNilFunction
	case ctx == nil:
		return nil, errNilContext
	}
	own := &function{parent: ctx, fn: fn}
	j := &own.Job
	j.kind = &s.kinds.none
	j.node.Init(own)
	priority, to := Normal, home{}
	if len(opts) != 0 {
		o, err := apply(opts)
		if err != nil {
			return nil, err
		}
		if to, err = s.resolve(o.place, o.priority); err != nil {
			return nil, err
		}
		j.set(o)
		priority = o.priority
	}
	j.state.Init(priority)
	from := Current(ctx).Within(s)
	if from == nil {
		s.AwaitTurn()
		if err := s.accept(ctx, j); err != nil {
			return nil, err
		}
	} else {
		if !s.bound.Enter() {
			return nil, s.full()
		}
		j.id = from.w.jobAccepted()
	}
	if to.w != nil {
		j.id |= idPlaced
	}
	s.enqueueAt(from, &j.node, priority, to)
	return j, nil
}

// set takes over the options. The job must not be shared yet.
func (j *Job) set(o jobOptions) {
	if o.kind != "" {
		j.kind = j.kind.s.kinds.get(o.kind)
	}
	if o.cost != 0 || o.timed {
		j.rare.Store(&jobRare{options: &o})
	}
}

// timeout is for how long the job may run, or 0.
func (j *Job) timeout() time.Duration {
	if o := j.options(); o != nil && o.timed {
		return o.timeout
	}
	if j.id&idInBody != 0 {
		return 0
	}
	return j.kind.s.cfg.JobTimeout
}

// options returns what was said about the job, or nil.
func (j *Job) options() *jobOptions {
	if rare := j.rare.Load(); rare != nil {
		return rare.options
	}
	return nil
}

func (j *Job) rarely() *jobRare {
	if rare := j.rare.Load(); rare != nil {
		return rare
	}
	j.rare.CompareAndSwap(nil, &jobRare{})
	return j.rare.Load()
}

// known reports whether the handle is of a job.
func (j *Job) known() bool { return j != nil && j.kind != nil }
