package supervise

import (
	"iter"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// State says what a child is doing, as its supervisor sees it.
type State uint8

// The states of a child.
const (
	Down     State = iota // It has no actor, and is not about to have one.
	Starting              // Its Started hook has not returned.
	Running               // It has started, and not ended.
	Waiting               // It is held until it is restarted; see Backoff.
	Stopping              // It was asked to end.

	numStates = 5
)

// String returns the state's name in lower case.
func (s State) String() string {
	if s < numStates {
		return [numStates]string{"down", "starting", "running", "waiting", "stopping"}[s]
	}
	return "unknown"
}

// slot is the place of a child with its supervisor. Slots are a list in the
// order in which children are started.
type slot struct {
	*plan
	seq        uint64
	prev, next *slot

	place
	known    actor.PID // Its actor, or the last one. A child without a name is called by it.
	state    State
	since    time.Time // Of the state.
	static   bool      // Is declared with the supervisor.
	begun    bool      // The actor has had an incarnation, or was to.
	forGood  bool      // Stopping: the actor ends for good, else it is held then.
	byItself bool      // Stopping: the child had ended by itself.
	parked   bool      // Somebody has stopped it, so only somebody starts it again.
	leaves   bool      // The slot is removed when the child is down.
	removed  bool      // It was.
	late     bool      // It was killed since its start took too long.
	killed   bool      // Stopping: it was killed since that took too long.
	forced   error     // Stopping: that it was, or some below it.
	rested   bool      // Stopping: its incarnation has ended, and noteForced has been called.
	tried    int       // The value of supervisorActor.sequences at its last start in a sequence.
	failures int       // In a row.
	restarts int
	reason   error // Of its last end.
	alarm    *alarm
	starter  *asker    // Waits for the start.
	starts   actor.PID // Starting: the actor that is being started, the child's own or one below.
	stops    actor.PID // Stopping: the actor that is being stopped, the child's own or one below.
	refusal  error     // The error for starter.
	onStart  func()    // Hands out the ref of a child that is being added.
	stoppers []*asker  // Wait for the end.
}

// hasActor reports whether there is an actor.
func (s *slot) hasActor() bool { return s.pid != actor.PID{} }

// called is the last part of the child's path.
func (s *slot) called() string { return who{s.name, s.known}.String() }

// slots are all children of a supervisor.
type slots struct {
	first, last *slot
	seq         uint64
	byPID       map[actor.PID]*slot
	byName      map[string]*slot
	running     int
	waiting     int
	total       int
	visits      int // How many slots walks have come by: what an event costs more than a fixed amount.
}

func newSlots() slots {
	return slots{byPID: map[actor.PID]*slot{}, byName: map[string]*slot{}}
}

// add makes a slot at the end of the order.
func (l *slots) add(p *plan) *slot {
	l.seq++
	s := &slot{plan: p, seq: l.seq, prev: l.last, since: time.Now()}
	if l.last != nil {
		l.last.next = s
	} else {
		l.first = s
	}
	l.last = s
	l.total++
	if p.name != "" {
		l.byName[p.name] = s
	}
	return s
}

// remove forgets a slot. Its own links stay, for who is just looking at it.
func (l *slots) remove(s *slot) {
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		l.first = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	} else {
		l.last = s.prev
	}
	l.total--
	s.removed = true
	if s.name != "" {
		delete(l.byName, s.name)
	}
}

// all returns the slots in order. The loop may remove the slot that it gets.
func (l *slots) all() iter.Seq[*slot] {
	return func(yield func(*slot) bool) {
		for s := l.first; s != nil; {
			next := s.next
			l.visits++
			if !yield(s) {
				return
			}
			s = next
		}
	}
}

// present returns the slot, or if it was removed, the last one before it.
func (l *slots) present(s *slot) *slot {
	l.visits++
	for ; s != nil && s.removed; s = s.prev {
		l.visits++
	}
	return s
}

// count counts who is in a state.
func (l *slots) count(state State, n int) {
	switch state {
	case Running:
		l.running += n
	case Waiting:
		l.waiting += n
	}
}

// become changes the state.
func (l *slots) become(s *slot, state State) {
	l.count(s.state, -1)
	l.count(state, 1)
	s.state, s.since = state, time.Now()
	if state == Stopping {
		s.stops = s.pid
	}
}
