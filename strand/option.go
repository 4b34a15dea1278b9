package strand

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// Option changes how a strand is started; see [Go].
type Option func(*options)

type options struct {
	s        *workers.Scheduler
	onNil    bool // On was given nil.
	name     string
	kind     string
	priority workers.Priority
}

// On says on which scheduler the strand runs. The default is the one on which
// the context is at home.
func On(s *sched.Scheduler) Option {
	return func(o *options) { o.s, o.onNil = (*workers.Scheduler)(s), s == nil }
}

// Name names the strand, in listings of what waits and in traces of simulations.
// The default is its number.
func Name(name string) Option { return func(o *options) { o.name = name } }

// Kind is the kind of the strand's job in the scheduler's statistics. The default
// is none.
func Kind(kind string) Option { return func(o *options) { o.kind = kind } }

// Priority says how urgent the strand is, also each time it goes on. The default
// is [sched.Normal].
func Priority(p sched.Priority) Option { return func(o *options) { o.priority = p } }

// apply returns what the options say together.
func apply(opts []Option) (o options, err error) {
	o.priority = workers.Normal
	if len(opts) == 0 {
		return o, nil
	}
	changed := o // On the heap, unlike o.
	for i, opt := range opts {
		if opt == nil {
			return o, fmt.Errorf("strand: option %d is nil", i)
		}
		opt(&changed)
	}
	switch o = changed; {
	case o.onNil:
		err = errors.New("strand: On was given a nil scheduler; make one with sched.New")
	case o.priority > workers.Low:
		err = fmt.Errorf("strand: unknown priority %d; use Critical, High, Normal or Low", o.priority)
	}
	return o, err
}
