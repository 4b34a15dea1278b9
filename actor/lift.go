package actor

import (
	"slices"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// While critical work waits for an actor, by an ask, a stop, or for room in a full lane, the
// actor is lifted: it is queued and resumed as critical work is, for all its lanes. The same
// holds for all that its own handlers wait for, and so on along the graph of waits.
//
// # Protocol
//
// The waits that lift are in one list, under one mutex. Nothing of that is touched unless the
// waiting work is critical, or lifted itself. An actor counts the waits that lift it. The
// first sets a bit of its state, and the last takes it off: code that queues the actor goes by
// that bit. An actor that is queued already gets a second entry, among critical work. The
// fiber of a handler that runs, or waits, gets a mark; see [workers.Fiber.SetLifted].
//
// A wait comes into the list from two sides: its own, when it begins, and by the lift of the
// actor whose handler waits. The handler makes its wait known and then looks at the mark of its
// fiber; the lift sets the mark and then looks at the actor's waits. So one of them sees the
// other, and the list takes a wait once.
//
// A wait is taken out by its own side, after its round is over, if its flag is set. The flag is set
// before the round is seen to be open, so a wait that is over stays in the list in no case: either the
// flag was seen, or the round was not open any more. That is why the flag may lie in a slot that
// is used again.
//
// An ask that a handler sends on lifts the actor that has it now when that handler returns.

// lifting has all waits that lift an actor.
var lifting lifts

type lifts struct {
	mu xatomic.Mutex
	// The mutex guards these, and the bit lifted of all actors.
	waits  map[*asking]lift
	counts map[*proc]int       // How many waits lift an actor.
	behind map[*proc][]*asking // The waits of the handlers of an actor that is lifted.
}

// lift is a wait that lifts an actor.
type lift struct {
	round uint64
	from  *proc // The actor that waits and is lifted; nil if the work that waits is critical itself.
	to    *proc // The actor that is lifted, or nil if nobody knows who has to act.
}

// isLifted reports whether critical work waits for p.
func (p *proc) isLifted() bool { return p.mu.Load()&lifted != 0 }

// isUrgent reports whether the work on f, code of asker or else nil, is critical or may be lifted.
func isUrgent(f *workers.Fiber, asker *proc) bool {
	if f == nil {
		return false
	}
	own, inherited := f.Urgency()
	return own || inherited || asker != nil && asker.reentrancy != NoReentrancy && asker.isLifted()
}

// lift has the wait lift the actor that it is for, if the work on f, which waits, is urgent.
// The wait is known to searches by then.
func (s *asking) lift(f *workers.Fiber, asker *proc, round uint64) {
	if isUrgent(f, asker) {
		lifting.begin(f, asker, s, round)
	}
}

func (l *lifts) begin(f *workers.Fiber, asker *proc, s *asking, round uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch own, _ := f.Urgency(); {
	case own || asker == nil:
		l.add(s, lift{round: round})
	case l.counts[asker] > 0:
		l.add(s, lift{round: round, from: asker})
	}
}

// endLift is called by the waiting side when the round is over.
func (s *asking) endLift() {
	if s.lifts.Load() {
		lifting.mu.Lock()
		lifting.remove(s)
		lifting.mu.Unlock()
	}
}

// follow lifts the actor that has the message of the ask now, in place of the one before.
func (s *asking) follow(round uint64) {
	l := &lifting
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.waits[s]
	if !ok || one.round != round || !s.pin(round) {
		return
	}
	before := one.to
	one.to = s.holder
	s.unpin(round)
	if l.waits[s] = one; one.to == before {
		return
	}
	l.raise(one.to)
	l.lower(before)
}

// add has the wait count, unless it does. The caller holds mu, as for the other methods.
func (l *lifts) add(s *asking, one lift) {
	if before, ok := l.waits[s]; ok && before.round == one.round {
		return
	}
	s.lifts.Store(true)
	if !s.pin(one.round) {
		s.lifts.Store(false)
		return
	}
	one.to = s.holder
	s.unpin(one.round)
	if l.waits == nil {
		l.waits, l.counts, l.behind = map[*asking]lift{}, map[*proc]int{}, map[*proc][]*asking{}
	}
	l.waits[s] = one
	if one.from != nil {
		l.behind[one.from] = append(l.behind[one.from], s)
	}
	l.raise(one.to)
}

// remove has the wait count no longer.
func (l *lifts) remove(s *asking) {
	s.lifts.Store(false)
	one, ok := l.waits[s]
	if !ok {
		return
	}
	delete(l.waits, s)
	if at := slices.Index(l.behind[one.from], s); at >= 0 {
		l.behind[one.from] = slices.Delete(l.behind[one.from], at, at+1)
	}
	l.lower(one.to)
}

// raise adds to the waits that lift p.
func (l *lifts) raise(p *proc) {
	if p == nil {
		return
	}
	if l.counts[p]++; l.counts[p] > 1 {
		return
	}
	p.setLifted(true)
	for _, e := range p.EdgesFor(nil) {
		l.add(e.wait, lift{round: e.round, from: p})
	}
}

// lower takes one away.
func (l *lifts) lower(p *proc) {
	if p == nil {
		return
	}
	if l.counts[p]--; l.counts[p] > 0 {
		return
	}
	delete(l.counts, p)
	p.setLifted(false)
	behind := l.behind[p]
	delete(l.behind, p)
	for _, s := range behind {
		l.remove(s)
	}
}

// calmFiber takes the mark off a fiber whose work is over.
func calmFiber(f *workers.Fiber) {
	if f != nil && f.IsLifted() {
		f.SetLifted(false)
	}
}

// setLifted sets the bit, or takes it off, with all that follows for p itself.
func (p *proc) setLifted(is bool) {
	s := p.mu.Acquire()
	next, queue := s&^lifted, false
	var f *workers.Fiber
	if s&running != 0 {
		if f = p.frame.Fiber(); f != nil {
			f.SetLifted(is)
		}
	}
	if is {
		next |= lifted
		if queue = s&(running|dead|queuedUrgent) == 0 && p.runnable(s, s&pendingAny) != 0; queue {
			next |= queuedUrgent
		}
	}
	p.mu.Release(next)
	if queue {
		p.submit(nil, workers.Critical)
	}
	if f != nil {
		f.SettleLift()
	}
}
