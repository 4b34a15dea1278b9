package workers

import (
	"fmt"
	"time"
)

// JobOption changes how one job is run.
type JobOption func(*jobOptions)

type jobOptions struct {
	priority Priority
	place    Place
	kind     string
	cost     time.Duration
	timeout  time.Duration
	timed    bool // WithTimeout was given.
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

// WithKind says what kind of work the job is. See sched.WithKind.
func WithKind(name string) JobOption {
	return func(o *jobOptions) { o.kind = name }
}

// WithCost says for how long the job will hold its worker, by estimate. See sched.WithCost.
func WithCost(d time.Duration) JobOption {
	return func(o *jobOptions) { o.cost = d }
}

// WithTimeout bounds the time of the job, from its beginning on; see
// Config.JobTimeout, which is the default. 0 means that it has none.
func WithTimeout(d time.Duration) JobOption {
	return func(o *jobOptions) { o.timeout, o.timed = d, true }
}

// apply returns what the options say together. It is a function of its own so
// that a job without options needs no memory for them.
func apply(opts []JobOption) (o jobOptions, err error) {
	changed := jobOptions{priority: Normal}
	for i, opt := range opts {
		if opt == nil {
			return o, fmt.Errorf("sched: job option %d is nil", i)
		}
		opt(&changed)
	}
	switch o = changed; {
	case o.priority >= numPriorities:
		err = fmt.Errorf("sched: unknown priority %d; use Critical, High, Normal or Low", o.priority)
	case o.cost < 0:
		err = fmt.Errorf("sched: the job's cost is %v; it must be positive, or 0 if it is not known", o.cost)
	case o.timeout < 0:
		err = fmt.Errorf("sched: the job's timeout is %v; it must be positive, or 0 for none", o.timeout)
	}
	return o, err
}
