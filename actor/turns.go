package actor

import "slices"

// turns is who takes turns in an incarnation of a reentrant actor. Guarded by
// proc.mu.
type turns struct {
	current *turn     // The turn whose code runs, or nil.
	away    []*turn   // The turns that wait, in the queue or for something else, the eldest first.
	queue   []entrant // The turns that are ready to run.
	// buried says that the incarnation was killed, and its handlers are ghosts.
	buried bool
	// Of an actor with readers, see reader.go: a write waits for them, and what its
	// handlers wait for, as far as it is not over.
	writer bool
	waits  []*asking
}

// entrant is who waits for the turn: a handler that comes back, or a message that
// was let in.
type entrant struct {
	back  *turn
	guest *guest
}

// newTurns returns what an incarnation needs, or nil.
func (p *proc) newTurns() *turns {
	if p.reentrancy == NoReentrancy {
		return nil
	}
	return &turns{}
}

// turnsLocked returns who takes turns in the present incarnation, or nil. The
// caller holds mu.
func (p *proc) turnsLocked() *turns {
	if p.rare == nil {
		return nil
	}
	return p.rare.turns
}

// suspended returns how many handlers wait.
func (p *proc) suspended() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.suspendedLocked()
}

func (p *proc) suspendedLocked() int {
	if t := p.turnsLocked(); t != nil {
		return len(t.away)
	}
	return 0
}

// isCrowded reports whether no message may begin while n handlers wait.
func (p *proc) isCrowded(n int) bool {
	return p.reentrancy == CallChainReentrancy && n > 0 || n >= p.opts.maxSuspended
}

// crowdLocked makes the state word know whether messages may begin. The caller
// holds mu.
func (p *proc) crowdLocked(n int) {
	s := p.mu.Load()
	switch is := s&crowded != 0; {
	case (p.isCrowded(n) || p.rare.turns.writer) == is:
	case is:
		p.mu.Replace(s &^ crowded)
	default:
		p.mu.Replace(s | crowded)
	}
}

// nextGhost returns who has the turn, if that was free. The caller holds mu.
func (t *turns) nextGhost() *turn {
	if !t.buried || t.current != nil || len(t.queue) == 0 {
		return nil
	}
	next := t.queue[0].back
	t.queue = slices.Delete(t.queue, 0, 1)
	t.current, next.granted = next, true
	return next
}

// comeBack removes t from away. The caller holds the proc's mu.
func (t *turns) comeBack(p *proc, who *turn) {
	t.away = slices.DeleteFunc(t.away, func(other *turn) bool { return other == who })
	p.crowdLocked(len(t.away))
}

// bury makes ghosts of the handlers of the incarnation that was killed. It returns
// the messages that they handle, and those that were let in.
func (a *activation) bury(seized bool) (lost []letters) {
	a.mu.Lock()
	t := a.turnsLocked()
	if t == nil || t.buried {
		a.mu.Unlock()
		return nil
	}
	if len(t.away) > 0 && !seized {
		s := a.mu.Load() + nextTerm // The handlers that are away are not in the next term.
		a.mu.Replace(s)
		a.term = s & termBits
	}
	t.buried = true
	if c := t.current; c != nil && c.inHandOf() != nil {
		lost = append(lost, c.inHandOf())
	}
	for _, ghost := range t.away {
		lost = append(lost, ghost.inHand)
		if !ghost.lost {
			ghost.stray = true
			a.sys.ghostCame()
		}
	}
	t.away, t.writer = nil, false
	t.queue = slices.DeleteFunc(t.queue, func(e entrant) bool {
		if e.guest != nil {
			lost = append(lost, e.guest.lane.part(0, 1))
		}
		return e.guest != nil
	})
	a.crowdLocked(0)
	next := t.nextGhost()
	a.mu.Unlock()
	next.resume(a.f)
	return lost
}

// inHandOf returns the message of the handler that runs, if its lane does not
// know it.
func (t *turn) inHandOf() letters {
	if t.guest != nil && t.inHand == nil {
		return t.guest.lane.part(0, 1)
	}
	return t.inHand
}

// handlersAway reports whether the end of the incarnation has to wait for
// handlers.
func (a *activation) handlersAway() bool {
	return a.reentrancy != NoReentrancy && a.suspended() > 0
}

// goOnEnding goes on with the end of the incarnation when its last handler has
// returned.
func (a *activation) goOnEnding() {
	if a.reentrancy == NoReentrancy {
		return
	}
	a.mu.Lock()
	due := !a.barred && a.suspendedLocked() == 0
	a.mu.Unlock()
	if due {
		a.leave()
		a.windDown()
	}
}

// admit gives the turn to the first who waits for it, or handles what was let in.
// It returns true if the activation has nothing to do any more.
func (a *activation) admit() (handedOver bool) {
	a.mu.Lock()
	t := a.turnsLocked()
	if t == nil || len(t.queue) == 0 || t.buried {
		a.mu.Unlock()
		a.todo &^= pendingTurn
		return false
	}
	s := a.mu.Load()
	switch {
	case s&termBits != a.term:
		a.mu.Unlock()
		a.vanish()
	case s&killed != 0:
		a.mu.Unlock()
		return false // To take note of that.
	}
	a.mu.Replace(s | inCode)
	a.inCode = true
	e := t.queue[0]
	t.queue = slices.Delete(t.queue, 0, 1)
	if len(t.queue) == 0 {
		a.todo &^= pendingTurn
	}
	if e.guest != nil {
		a.mu.Unlock()
		if a.phase.Load() >= failing {
			a.turnAway(e.guest)
		} else {
			a.handleGuest(e.guest)
		}
		return false
	}
	e.back.a.todo = a.todo
	t.current, e.back.granted = e.back, true
	t.comeBack(a.proc, e.back)
	a.mu.Unlock()
	a.lost = true
	e.back.resume(a.f)
	return true
}
