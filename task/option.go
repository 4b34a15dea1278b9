package task

import (
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// Option changes a group; see [NewGroup].
type Option func(*options)

type options struct {
	s        *workers.Scheduler
	onNil    bool // On was given nil.
	name     string
	priority workers.Priority
	limit    int
	stagger  time.Duration
	discard  bool
	detached bool
}

// On says on which scheduler the tasks run. The default is the one on which the
// opener's context is at home.
func On(s *sched.Scheduler) Option {
	return func(o *options) { o.s, o.onNil = (*workers.Scheduler)(s), s == nil }
}

// Name names the group in listings and errors, and is the kind of its jobs in
// the scheduler's statistics. The default is no name.
func Name(name string) Option { return func(o *options) { o.name = name } }

// Limit bounds how many tasks of the group the scheduler has at a time. Go never
// waits: further tasks are queued in the group, and begin in the order of Go as
// others end. So a task may start tasks in its own group. While it waits for one
// of them in [Task.Join], with its own context, that one runs in its place. The
// default, also for 0, is no bound.
func Limit(n int) Option { return func(o *options) { o.limit = n } }

// Priority is the priority of the group's tasks. The default is [sched.Normal].
func Priority(p sched.Priority) Option { return func(o *options) { o.priority = p } }

// Discard lets the group forget tasks that have succeeded, for a group that is
// used for long: Join returns no values, and Next does not work. It does not go
// together with a joiner that needs them.
func Discard() Option { return func(o *options) { o.discard = true } }

// apply returns what the options say together.
func apply(opts []Option) (o options, err error) {
	o.priority = workers.Normal
	if len(opts) == 0 {
		return o, nil
	}
	changed := o // On the heap, unlike o.
	for i, opt := range opts {
		if opt == nil {
			return o, fmt.Errorf("task: option %d is nil", i)
		}
		opt(&changed)
	}
	switch o = changed; {
	case o.onNil:
		err = errors.New("task: On was given a nil scheduler; make one with sched.New")
	case o.limit < 0:
		err = fmt.Errorf("task: the limit is %d; it must be positive, or 0 for none", o.limit)
	case o.stagger < 0:
		err = fmt.Errorf("task: the delay of Staggered is %v; it must be positive, or 0 for none", o.stagger)
	case o.priority > workers.Low:
		err = fmt.Errorf("task: unknown priority %d; use Critical, High, Normal or Low", o.priority)
	}
	return o, err
}
