package supervise

import (
	"math"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// orphans are the children of a supervisor's incarnation that has ended out of order: it
// was killed, or its own code has failed. Then nobody stops them one by one. The actors are
// asked to end all at once, and nothing ends before the last of them has; so one that hangs
// would keep the supervisor from its end, or from its restart, for ever. Children that have
// not ended within their limits are killed, each with all below it.
type orphans struct {
	handle *Supervisor
	sys    *actor.System
	parent actor.PID
	term   int // Of the handle, as long as there is no later incarnation.
	since  time.Time
	// guest is who reaps, in a simulation: else the supervisor, which asks them to
	// end, and a goroutine that kills them would meet by chance.
	guest *workers.Guest
}

// orphans returns those that the given incarnation would leave. It is called by
// the supervisor, whose path is given: the handle may not have its ref yet.
func (s *Supervisor) orphans(parent actor.PID, path string, term int) *orphans {
	return &orphans{handle: s, sys: s.sys, parent: parent, term: term, guest: (*workers.Scheduler)(s.sys.Scheduler()).NewGuest("orphans of " + path)}
}

// begin takes care of them, from now on. More than one may do so.
func (o *orphans) begin() {
	o.since = time.Now()
	time.AfterFunc(0, o.come)
}

// come is called by a timer.
func (o *orphans) come() {
	o.guest.AwaitTurn()
	o.reap()
}

// reap kills the children whose time is up, and comes again for the others. It leaves alone
// the children that the next incarnation has started: they wait for mu first, see inherit.
func (o *orphans) reap() {
	s := o.handle
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, err := o.sys.Info(o.parent); err != nil || i.State == actor.Held || s.term != o.term {
		return
	}
	passed := time.Since(o.since)
	next := time.Duration(-1)
	o.each(o.parent, func(i actor.Info) {
		limit, own := s.limits[i.PID]
		if !own {
			limit = defaultShutdown
		}
		switch {
		case i.State == actor.Held || limit == Infinity:
			return
		case max(0, limit) <= passed:
			o.kill(i.PID)
			limit = passed + killAgain
		}
		if left := limit - passed; next < 0 || left < next {
			next = left
		}
	})
	if next >= 0 {
		time.AfterFunc(next, o.come)
	}
}

// kill kills an actor and all below it.
func (o *orphans) kill(id actor.PID) {
	_ = o.sys.Kill(id) // Else it has ended.
	o.each(id, func(i actor.Info) { o.kill(i.PID) })
}

// each calls do for the children of an actor. If the child has ended after which
// the list was to go on, the list starts over, and again only if that brought new children.
// A child that has ended is listed until its parent has taken note, which may take long.
func (o *orphans) each(parent actor.PID, do func(actor.Info)) {
	seen, found := map[actor.PID]bool{}, 0
	for after := (actor.PID{}); ; {
		some, err := o.sys.Children(parent, after, math.MaxInt)
		if err != nil && after != (actor.PID{}) {
			if found == len(seen) {
				return // The next call finds the rest.
			}
			after, found = actor.PID{}, len(seen)
			continue
		}
		if len(some) == 0 {
			return
		}
		for _, i := range some {
			if !seen[i.PID] {
				seen[i.PID] = true
				do(i)
			}
		}
		after = some[len(some)-1].PID
	}
}

// setLimit notes how long a child may take to stop. The default needs no note.
func (s *Supervisor) setLimit(id actor.PID, limit time.Duration) {
	if limit == defaultShutdown {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limits == nil {
		s.limits = map[actor.PID]time.Duration{}
	}
	s.limits[id] = limit
}

func (s *Supervisor) dropLimit(id actor.PID, limit time.Duration) {
	if limit == defaultShutdown {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.limits, id)
}
