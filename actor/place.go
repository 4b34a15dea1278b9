package actor

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/internal/workers"
)

// An actor without a place runs wherever a worker has time for it: mostly on
// the sender's worker, else on the worker that steals it. One that has a place
// is queued in the inbox of its worker instead, which costs a lock for each
// activation, and nothing for the messages of a batch.

// WithWorker pins the actor to a worker of the scheduler: all its code runs
// there, also after a wait. If that worker is held by other work, the actor waits
// for it, its Control messages too, and a spare worker does not take it. Actors
// that are pinned to one worker never run at the same time. With
// [sched.Config].PinWorkers the actor stays on one processor.
//
// Workers have the ids 0 to sched.Scheduler.Workers-1. Spawn returns an error
// for another id, and for a worker that is reserved for more urgent work than
// an actor's messages, which have the priority Normal unless [WithPriority] says otherwise,
// or for a [Backend] besides.
// Children are not placed with their parent.
func WithWorker(id int) Option { return withPlace(workers.Pinned(id)) }

// WithAffinity lets the actor run on a worker as long as that one can keep up;
// others take it when more than a few pieces of work wait there, or it is
// held, see [sched.WithAffinity]. Control messages don't wait for the worker. It is
// otherwise like [WithWorker].
func WithAffinity(id int) Option { return withPlace(workers.Preferred(id)) }

func withPlace(at workers.Place) Option {
	return func(o *options) error {
		o.place, o.placed, o.near = at, true, nil
		return nil
	}
}

// Near lets the actor run close to another one, so that messages between the two
// stay on one worker and in its caches: if the other one has a place, this one
// prefers the same worker, and else the worker on which the other one ran last,
// or the one with least to do if it has not run yet. That is decided once, by
// the Spawn: a group of actors that belong together has one that was spawned
// [WithAffinity], and is Near to that.
//
// Spawn returns [ErrNoRef] for the zero Ref, and an error for an actor of
// another scheduler.
func Near[M any](other Ref[M]) Option {
	return func(o *options) error {
		if other.cell == nil {
			return fmt.Errorf("actor: Near was given the zero Ref: %w", ErrNoRef)
		}
		if p := &other.cell.proc; p.isStandIn() {
			return p.elsewhere("be near")
		}
		o.place, o.placed, o.near = workers.Place{}, false, &other.cell.proc
		return nil
	}
}

// settle decides about the place of an actor that is spawned in the system.
func (o *options) settle(s *System) error {
	if (o.placed || o.near != nil) && (o.backend != OnScheduler || o.host != nil) {
		return errors.New("actor: an actor with a place has to run on the scheduler; leave out its backend, or WithWorker, WithAffinity and Near")
	}
	if o.near != nil {
		if o.near.sys.scheduler != s.scheduler {
			return fmt.Errorf("actor: Near was given %s, which runs on another scheduler", o.near)
		}
		o.place, o.placed = o.near.vicinity(o.priority)
		o.near = nil
	}
	if !o.placed {
		return nil
	}
	if err := s.scheduler.CheckPlace(o.place, o.priority); err != nil {
		return fmt.Errorf("actor: spawn with a place: %w", err)
	}
	return nil
}

// vicinity is a place for work of the given priority, close to where the actor runs.
// There is none if all workers are held.
func (p *proc) vicinity(priority workers.Priority) (at workers.Place, ok bool) {
	s := p.sys.scheduler
	if id, ok := p.opts.place.Worker(); ok {
		return workers.Preferred(id), true
	}
	if f := p.frame.Fiber(); f != nil && p.opts.host == nil {
		// A spare worker can't be preferred, nor can one that takes Control only.
		if at = workers.Preferred(f.LastWorker()); s.CheckPlace(at, priority) == nil {
			return at, true
		}
	}
	id, ok := s.LeastLoadedWorker(priority)
	return workers.Preferred(id), ok
}

// submitTo queues an actor that has a place. That was checked by the spawn; as
// to what else can fail, see submit.
func (p *proc) submitTo(from *workers.Fiber, priority workers.Priority) {
	if from != nil && from.Scheduler() == p.sys.scheduler {
		_ = from.SubmitTo(&p.node, priority, p.opts.place)
		return
	}
	_ = p.sys.scheduler.SubmitTo(&p.node, priority, p.opts.place)
}
