package actor

import (
	"iter"
	"runtime"
	"time"
)

// TimerInfo is a snapshot of a timer that is not over.
type TimerInfo struct {
	// Owner is who set it, or the zero PID for a timer of the [System].
	Owner     PID
	OwnerName string // Of WithName, or "".
	// Number is one that no other timer of the owner ever has; a later one has a
	// higher number.
	Number uint64

	To      PID
	ToName  string
	Lane    Lane
	Message string // The type.

	// Due is when the message is sent, or the next one. It has passed while a
	// single message waits in its lane, or for room there.
	Due    time.Time
	Every  time.Duration // 0 for a single message.
	Missed uint64        // See [Timer.Missed].
}

// Timers returns the timers that are under way: first the system's, and
// then its actors', in the order of the process table, for each the
// latest set first. Timers that are set or end meanwhile may or may not be among them,
// all others are, and each once.
//
// It stops nothing: an owner's lock is held for 1,000 timers at a time, some 20
// us. It takes about 150 ns for each actor, and for each timer.
func (s *System) Timers() iter.Seq[TimerInfo] {
	return func(yield func(TimerInfo) bool) {
		if s.missing() || !s.root.eachTimer(yield) {
			return
		}
		s.table.From(0, func(p *proc) bool { return p.eachTimer(yield) })
	}
}

// TimersOf returns the timers of the actor with the given PID, the latest set
// first, or the timers of the system for the zero PID; see [System.Timers]. Of an actor
// that has stopped there are none.
func (s *System) TimersOf(owner PID) iter.Seq[TimerInfo] {
	return func(yield func(TimerInfo) bool) {
		if s.missing() {
			return
		}
		p := s.root
		if owner != (PID{}) {
			p = s.lookup(owner)
		}
		if p != nil {
			p.eachTimer(yield)
		}
	}
}

// eachTimer calls f for the timers of p, without a lock, until it returns false.
//
// Between two parts the place in the list is kept by a timer that is over, which
// goes from part to part: whatever ends meanwhile, those behind it have not been
// looked at. If it is cancelled, all timers were.
func (p *proc) eachTimer(f func(TimerInfo) bool) bool {
	place := &timer{owner: p, over: true}
	defer p.removePlace(place)
	var some []*timer
	for more := true; more; {
		if some, more = p.someTimers(place, some[:0]); more {
			runtime.Gosched()
		}
		for _, t := range some {
			if i, ok := t.info(); ok && !f(i) {
				return false
			}
		}
	}
	return true
}

// someTimers appends the timers behind place, at the beginning all, or the first
// of them, and moves place behind these. It returns false if there are no more.
func (p *proc) someTimers(place *timer, some []*timer) (_ []*timer, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rare == nil {
		return some, false
	}
	next := p.rare.timers
	if place.isListed(p.rare) {
		next = place.next
		place.leaveList(p.rare)
	} else if place.number > 0 {
		return some, false // All timers were cancelled.
	}
	last := (*timer)(nil)
	for next != nil && len(some) < maxListed {
		if next.target != nil { // Else it is somebody's place.
			some = append(some, next)
		}
		last, next = next, next.next
	}
	if next == nil {
		return some, false
	}
	place.number = 1
	place.prev, place.next = last, next
	last.next, next.prev = place, place
	return some, true
}

func (p *proc) removePlace(place *timer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rare != nil && place.isListed(p.rare) {
		place.leaveList(p.rare)
	}
}

// isListed reports whether the timer is in its owner's list. The caller holds the
// owner's mu.
func (t *timer) isListed(r *rare) bool { return t.prev != nil || r.timers == t }

// leaveList takes a timer out of its owner's list, in which it is. The caller
// holds the owner's mu.
func (t *timer) leaveList(r *rare) {
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		r.timers = t.next
	}
	if t.next != nil {
		t.next.prev = t.prev
	}
	t.prev, t.next = nil, nil
}

// info returns a snapshot, or false if the timer is over.
func (t *timer) info() (TimerInfo, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	over := t.over
	if over && t.every == 0 {
		over = !t.isUnderWay()
	}
	return TimerInfo{
		Owner: t.owner.pid, OwnerName: t.owner.opts.name, Number: t.number, To: t.target.pid, ToName: t.target.opts.name, Lane: t.which,
		Message: t.target.impl.messageType().String(), Due: t.due, Every: t.every, Missed: t.missed,
	}, !over
}
