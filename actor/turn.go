package actor

import (
	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/workers"
)

// The handlers of a reentrant actor take turns: one runs, and others wait, each
// suspended on its fiber with its stack.
//
// # Protocol
//
// The turn is the bit running of the state word, together with inCode. A handler
// that is about to suspend gives it up (GiveUp), like an activation that ends: so
// another activation may come and handle messages, on another fiber. When its
// wait is over it needs the turn again (TakeBack). If nobody has it, the handler
// takes it by one step of the state word. Else it queues up, and announces
// pendingTurn; the activation that runs, or the next one, comes to that before
// any further message, gives what it has in hand to the first of the queue, and
// ends. So a handler that comes back waits for one handler at most, besides those
// that came back before it.
//
// The state word knows with the bit crowded that no further message may begin:
// in a call chain while anyone waits, else while as many wait as may. Messages that
// were let in (see chain.go) are in the queue, too, and are not held up.
//
// # Ends
//
// The end of an incarnation waits until its handlers have returned, before it asks
// the children to stop; if it has failed, their context ends. No further message
// begins meanwhile.
//
// A kill does not wait. It makes ghosts of all handlers that wait: another term
// begins, which each of them finds out when its code returns, as any ghost does.
// But they use the same value, so they still take turns, among themselves, by
// turns.current and the queue.
//
// Considered and dropped: a mutex in each incarnation that all handlers lock, also
// in actors that are not reentrant, which is two locked instructions for
// each message; and to run new messages on top of the stack of the handler that
// waits, which then can't go on before all above it have returned.

// turn is the handling of one batch, or the run of one hook, by a reentrant actor.
// A batch ends with the first message whose handler has waited.
type turn struct {
	a     *activation
	f     *workers.Fiber // Its fiber: a.f, which others must not read, since it goes with a.
	of    *turns
	scope *scope
	guest *guest // The message that is handled, if it was let in.
	reads bool   // It is a reader, or about to be one; see reader.go.
	tries int32  // How often the actor has failed in its message.

	// The rest is of the handler that has waited, if one has.
	waited bool
	budget int     // The rest of the activation's budget.
	lane   Lane    // Of its message, and
	asked  address // the ask that this is.
	wait   *asking // Its wait, as far as others need to know.
	inHand letters // A copy of the message.
	// Guarded by proc.mu.
	granted bool // It has the turn again.
	lost    bool // The actor was seized from it while it ran.
	stray   bool // The actor was killed while it waited.
}

var _ workers.Turn = (*turn)(nil)

// beginTurn is called before the code of a reentrant actor. It does not return if
// another activation has taken over just now. The code handles the next message
// of the lane, or the guest; a hook has no lane.
func (a *activation) beginTurn(x *scope, which Lane, g *guest) *turn {
	t := &turn{a: a, f: a.f, scope: x, guest: g}
	invariants.Yield()
	a.mu.Lock()
	if a.mu.Load()&termBits != a.term { // The turns are the next incarnation's.
		a.mu.Unlock()
		if g != nil {
			eachLetter(g.lane.part(0, 1), func(m letter) { a.deadLetter(g.which, m, ErrKilled) })
		}
		a.vanish()
	}
	t.of = a.turnsLocked()
	if invariants.Enabled {
		invariants.Check(t.of.current == nil, "two handlers of %s have the turn", a.proc)
	}
	t.of.current = t
	if a.opts.retry != 0 && which < numLanes && g == nil {
		t.tries = a.triesLocked(which, a.lanes[which].Load().handled()+1)
	}
	a.mu.Unlock()
	a.turn = t
	return t
}

// end is called after that, when the code has returned or its goroutine ends.
func (t *turn) end() {
	p := t.a.proc
	p.mu.Lock()
	next := t.endLocked()
	p.mu.Unlock()
	next.resume(t.a.f)
}

// endLocked returns whose turn it is, among ghosts. The caller holds mu.
func (t *turn) endLocked() (next *turn) {
	if t.of.current == t {
		t.of.current = nil
	}
	return t.of.nextGhost()
}

// resume continues the handler, if there is one. It may have seen by itself that its
// turn has been granted, and have returned.
func (t *turn) resume(from *workers.Fiber) {
	if t != nil {
		invariants.Yield()
		t.f.Resume(from, workers.Own)
	}
}

// GiveUp lets other handlers of the actor run. It is called on the handler's
// fiber, before that suspends.
func (t *turn) GiveUp() {
	a, p := t.a, t.a.proc
	t.lane, t.asked = t.scope.lane, t.scope.asked
	p.mu.Lock()
	t.noteWaitLocked()
	first := !t.waited
	t.waited = true
	t.granted = false
	if p.mu.Load()&termBits != a.term { // Killed, and not buried yet: what is in hand is not in the lane any more.
		t.lost = true
	}
	if t.lost || t.stray || t.of.buried {
		next := t.endLocked()
		p.mu.Unlock()
		next.resume(a.f)
		return
	}
	if first {
		t.budget, a.budget = a.budget, 0 // So the batch ends.
		t.keepMessageLocked()
	}
	t.clearTodoLocked()
	t.of.current = nil
	t.of.away = append(t.of.away, t)
	p.crowdLocked(len(t.of.away))
	p.mu.Unlock()
	lifted := a.f.IsLifted()
	given := p.transitionFromRunning(a.f, a.todo, a.term, false)
	if lifted { // The handler is still on the fiber, and critical work waits for it.
		a.f.SetLifted(true)
	}
	if given {
		return
	}
	p.mu.Lock()
	t.lost = true
	if t.stray { // The kill counted it as one that was away already.
		t.stray = false
		p.sys.ghostGone()
	}
	p.mu.Unlock()
}

// noteWaitLocked notes what the handler waits for: what p.waits says, unless that is
// of another handler. Then this one goes on with a wait of its own that was
// interrupted. The caller holds mu.
func (t *turn) noteWaitLocked() {
	p := t.a.proc
	s := p.waits.Load()
	if s == nil || len(s.addTo(nil, p, nil)) == 0 {
		return
	}
	for _, other := range t.of.away {
		if other.wait == s {
			return
		}
	}
	t.wait = s
}

// keepMessageLocked copies the message that is being handled, which its lane is
// going to lose sight of. The caller holds mu.
func (t *turn) keepMessageLocked() {
	if t.guest != nil {
		t.inHand = t.guest.lane.part(0, 1)
		return
	}
	if l := t.a.lanes[t.lane].Load(); l != nil && l.head > 0 {
		t.inHand = l.part(l.head-1, l.head)
		l.forget()
	}
}

// clearTodoLocked leaves the lane of the handler's message out of what is left to
// do if it is empty and has no marks, so that no activation comes for nothing. The caller holds mu.
func (t *turn) clearTodoLocked() {
	l := t.a.lanes[t.lane].Load()
	if l != nil && l.left() == 0 && l.pending() == 0 && l.waiting.Len() == 0 && !t.a.marked.Load() {
		t.a.todo &^= t.lane.bit()
	}
}

// TakeBack returns when the handler may go on. It is called on its fiber.
func (t *turn) TakeBack() {
	a, p := t.a, t.a.proc
	p.mu.Lock()
	if !t.takeLocked() {
		t.of.queue = append(t.of.queue, entrant{back: t})
		ghost := t.of.buried
		p.mu.Unlock()
		if !ghost {
			p.announce(a.f, pendingTurn)
		}
		invariants.Yield()
		t.await()
		p.mu.Lock()
	}
	if !t.lost && !t.stray && p.mu.Load()&termBits == a.term { // Else it leads to the next activation.
		p.frame.Enter(a.f)
	}
	p.mu.Unlock()
	t.scope.lane, t.scope.asked = t.lane, t.asked
	a.inCode = true
}

// takeLocked takes the turn if it is free. The caller holds mu.
func (t *turn) takeLocked() bool {
	p := t.a.proc
	switch {
	case len(t.of.queue) != 0:
		return false
	case t.of.buried:
		if t.of.current != nil {
			return false
		}
	case t.lost || !p.transitionToReturn(t.a.term):
		return false
	default:
		t.a.todo = 0
		t.of.comeBack(p, t)
	}
	t.of.current = t
	return true
}

// await suspends until somebody has granted the turn.
func (t *turn) await() {
	p := t.a.proc
	for {
		p.mu.Lock()
		granted := t.granted
		p.mu.Unlock()
		if granted {
			return
		}
		if p.sys.simulated {
			t.a.f.Explain(func() string { return "for its turn in " + p.String() })
		}
		t.a.f.Suspend()
	}
}

// handleInTurn is handleBatch for a reentrant actor.
func (a *activation) handleInTurn(x *scope, l *lane, which Lane, g *guest) error {
	t := a.beginTurn(x, which, g)
	x.lane, x.asked = which, address{}
	a.f.SetTurn(t)
	err := x.typed.handleBatch(a, l, which)
	a.endTurn()
	if t.waited {
		a.budget = t.budget - 1
	}
	return err
}

// endTurn ends the turn of the activation, if it has one. The turn of a reader that
// has not begun to read belongs to nobody yet.
func (a *activation) endTurn() {
	if a.turn == nil || a.turn.of == nil {
		return
	}
	a.f.SetTurn(nil)
	a.turn.end()
}

// settleLane has a reentrant actor take one message at a time, since it may hand
// the rest to another activation whenever its handler waits.
func (p *proc) settleLane(l *lane) {
	if p.reentrancy != NoReentrancy {
		l.chunk = 1
	}
}
