package actor

import (
	"fmt"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// WithPriority sets the class in which the scheduler queues the actor for its messages of
// Data and Management: [sched.High], [sched.Normal] or [sched.Low]. The default is Normal.
// Workers take work of a higher class first. Control and system messages are critical for
// every actor, so Spawn returns an error for [sched.Critical].
//
// A handler goes on with this priority after a wait, too. Its jobs, tasks and children do
// not inherit it. A job, a task or an actor is critical while a handler of Control
// waits for it, and so is what that waits for in turn. An actor of a low class does not starve: what
// has waited for [sched.Config].AgeAfter rises by one class.
//
// The priority orders actors on the scheduler's workers. Spawn returns an error for an
// actor with a [Backend] of its own and any other priority than Normal. It costs nothing
// per message.
func WithPriority(p sched.Priority) Option {
	return func(o *options) error {
		if p < workers.High || p > workers.Low {
			return fmt.Errorf("actor: priority %v; use High, Normal or Low, and send to Control what is critical", p)
		}
		o.priority = p
		return nil
	}
}

// settlePriority checks that the actor runs where priorities count.
func (o *options) settlePriority() error {
	if o.priority != workers.Normal && (o.backend != OnScheduler || o.host != nil) {
		return fmt.Errorf("actor: an actor with the priority %v has to run on the scheduler; leave out its backend, or WithPriority", o.priority)
	}
	return nil
}

// priorityOf returns how urgent a message of the lane is.
func (o *options) priorityOf(l Lane) workers.Priority {
	if l == Control {
		return workers.Critical
	}
	return o.priority
}
