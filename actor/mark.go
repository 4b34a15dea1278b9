package actor

import "github.com/troupe-go/troupe/internal/workers"

// mark is something with its place among the messages of a lane: a signal, in
// Data, or a tick, which is the message of a timer. Its turn has come when as many
// messages as at says were taken.
//
// The messages themselves carry no number. The consumer counts them batch by
// batch, and a mark can only be placed behind the batch that it has in hand. So a
// mark costs a message nothing, and an actor without marks one load for each
// batch. Since Control and Management are handled before Data, what was accepted
// there is before a signal as well.
//
// A signal is handled between two messages. A tick becomes a message when its turn
// has come: the first of those in hand, and nothing is handled before it. Until then
// it can be taken back, which is why it is not among the messages from the
// beginning: there the consumer has them out of the mutex's reach. It takes room in
// the lane like a message.
//
// The alternative was a mark beside each tick in the lane, by which the consumer
// passes over those that were taken back. They would go on taking room, and places
// would have to be mended where messages are dropped, copied or put back.
type mark struct {
	at         int64 // How many messages of the lane are before it, other ticks apart.
	of         any   // A *signal, or a tick.
	listed     bool
	prev, next *mark
}

// marks are the marks of a lane, in the order of their places. Guarded by the mailbox's
// mutex.
type marks struct {
	first, last *mark
	// taken is how many ticks have become messages. The lane counts them, as it does
	// any message, and marks do not.
	taken int64
}

// append puts m last.
func (s *marks) append(m *mark) {
	if m.prev = s.last; m.prev != nil {
		m.prev.next = m
	} else {
		s.first = m
	}
	s.last, m.listed = m, true
}

// remove takes m out, which is among the marks.
func (s *marks) remove(m *mark) {
	if m.prev != nil {
		m.prev.next = m.next
	} else {
		s.first = m.next
	}
	if m.next != nil {
		m.next.prev = m.prev
	} else {
		s.last = m.prev
	}
	m.prev, m.next, m.listed = nil, nil, false
}

// marksOf returns the marks of a lane, or nil if there are none. The caller holds mu.
func (p *proc) marksOf(which Lane) *marks {
	if p.rare == nil || p.rare.marks == nil {
		return nil
	}
	return &p.rare.marks[which]
}

// place gives m its place behind all messages that the lane has accepted. The
// caller holds mu.
func (p *proc) place(m *mark, which Lane, l *lane) {
	r := p.rareLocked()
	if r.marks == nil {
		r.marks = &[numLanes]marks{}
	}
	s := &r.marks[which]
	m.at = l.arrived() - s.taken
	s.append(m)
	p.marked.Store(true)
}

// unmark takes m out of the marks. The caller holds mu.
func (p *proc) unmark(m *mark, which Lane) {
	all := p.rare.marks
	all[which].remove(m)
	p.marked.Store(all[Data].first != nil || all[Management].first != nil || all[Control].first != nil)
}

// mark places a signal behind all messages that the actor has accepted.
// It returns false if the actor is about to stop, or has stopped.
func (p *proc) mark(f *workers.Fiber, s *signal) bool {
	p.mu.Lock()
	if p.stopped.Load() || p.closed && p.phase.Load() == stopping && p.lanes[Data].Load() == nil {
		p.mu.Unlock()
		return false
	}
	s.mark.of = s
	p.place(&s.mark, Data, p.laneLocked(Data))
	p.mu.Unlock()
	p.announce(f, Data.bit())
	return true
}

// unmarkSignals forgets the signals that were to come. It keeps the signals of AfterBacklog: they
// are about messages, and messages outlive an incarnation. The caller holds mu.
func (p *proc) unmarkSignals() {
	p.eachSignal(func(s *signal) {
		if s.after == nil {
			p.unmark(&s.mark, Data)
		}
	})
}

// unmarkAfter takes out the signals of AfterBacklog, at the end of the actor, and returns
// what they call. The caller holds mu.
func (p *proc) unmarkAfter() (calls []func()) {
	p.eachSignal(func(s *signal) {
		if s.after != nil {
			p.unmark(&s.mark, Data)
			calls = append(calls, s.after)
		}
	})
	return calls
}

// eachSignal calls do with all signals that were to come. The caller holds mu.
func (p *proc) eachSignal(do func(s *signal)) {
	marks := p.marksOf(Data)
	if marks == nil {
		return
	}
	for m := marks.first; m != nil; {
		next := m.next
		if s, ok := m.of.(*signal); ok {
			do(s)
		}
		m = next
	}
}

// turnOf says whose turn it is in a lane.
type turnOf uint8

const (
	turnOfMessage turnOf = iota // The turn of the next message, if there is one.
	turnOfUrgent                // The turn of something more urgent.
	turnOfSignal
	turnOfTick   // It is the first message now.
	turnOfReader // The turn of a tick, if the tick only reads.
)

// handleMarks handles the signals whose turn it is, before the next message of the
// lane, or has a tick become that. It returns false if something else comes first.
func (a *activation) handleMarks(l *lane, which Lane) bool {
	var reads *mark
	for {
		m, turn := a.takeMark(l, which, reads)
		switch turn {
		case turnOfMessage:
			return true
		case turnOfUrgent:
			return false
		case turnOfTick:
			a.ticked, a.tickedAt = l, l.handled()
			m.of.(tick).timed().leaveOwner()
			return true
		case turnOfReader:
			if reads = m; !a.mayBegin(m.of.(tick), l) {
				return false
			}
		case turnOfSignal:
			a.leave()
			a.handleSignal(m.of.(*signal))
			if a.phase.Load() >= failing || !a.enter() {
				return false
			}
		}
	}
}

// takeMark takes the next mark if its turn has come. Otherwise it sets where the batch
// has to end. While readers run, it takes a tick only if the tick is known to be a reader.
func (a *activation) takeMark(l *lane, which Lane, reads *mark) (*mark, turnOf) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mu.Load()&termBits != a.term {
		return nil, turnOfUrgent // The next activation gets the marks, like all messages that were not in hand.
	}
	defer a.limit(which, l)
	s := a.marksOf(which)
	if s == nil || s.first == nil || s.first.at > l.reached()-s.taken {
		return nil, turnOfMessage
	}
	if a.mu.Load()&interrupts[which] != 0 { // It may have been sent earlier.
		return nil, turnOfUrgent
	}
	m := s.first
	t, ok := m.of.(tick)
	switch {
	case !ok:
		a.unmark(m, which)
		return m, turnOfSignal
	case a.reentrancy == sharedReads && m != reads && !t.timed().untold && len(a.turnsLocked().away) > 0:
		return m, turnOfReader
	}
	t.timed().leaveLane(l)
	s.taken++
	t.putFirst(l)
	l.join(t.timed().since)
	return m, turnOfTick
}

// limit ends the batch that the consumer of a lane has in hand at the first
// mark. The caller holds mu.
func (p *proc) limit(which Lane, l *lane) {
	l.end = l.size
	if s := p.marksOf(which); s != nil && s.first != nil {
		l.end = min(l.end, l.head+int(max(0, s.first.at-(l.reached()-s.taken))))
	}
}
