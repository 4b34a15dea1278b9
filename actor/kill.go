package actor

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/kernel/hosts"
	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/workers"
)

// A kill ends an incarnation whatever it is doing. Go can't stop a handler that
// is running, so it goes on, but as a ghost: the actor is taken away from it,
// and what it still does in the actor's name is refused.
//
// # Protocol
//
// A kill first raises the incarnation's fence, under proc.mu. The number of the
// incarnation becomes void: all actions by its Context check it. The flag in the
// Context is set: sends and replies check it. The step that unlocks also tells the actor, by the state word, so that
// no message is begun behind the fence. If the actor's code is running at that
// moment, this begins another term, and the actor is queued for
// an activation that takes over, while the ghost still holds its worker or lies
// suspended. If not, the present activation, or the next, takes note.
//
// The activation that takes over gives the actor new lanes. The messages that
// the ghost has claimed stay in the old ones, which it has for itself. The two meet
// under proc.mu, at rare.relics: the second one knows that the other is done.
//
// It was tried to end the incarnation only when its handler returns, which needs
// none of this. A child that hangs could not be restarted then, and a kill would
// be no more than a stop with a shorter patience.

// Kill ends the actor's incarnation at once, with the reason [ErrKilled]: its
// parent may restart it; else the actor stops, and what waits in its lanes goes
// to the dead letters. Its Stopped hook is not called. Its children are asked to
// stop, and the actor has ended when they have. Kill does not wait; see
// [Ref.Done].
//
// An actor that is about to stop without a reason has the reason ErrKilled then, if
// the kill comes before its Stopped hook has returned: it has not cleared up.
//
// A handler that runs can't be stopped and goes on, but the actor does not wait
// for it. Its context ends with the cause ErrKilled, and it is fenced off: what
// it does by its [Context] from now on has no effect and returns [ErrFenced],
// be it sending, replying, spawning, stopping, linking, or setting names and
// timers. The asker that waits for its answer gets [ErrNoReply]. Up to 16 messages behind
// the one that it handles, if they hold no [Reply], are out of reach; they go to
// the dead letters when the handler returns.
//
// Kill does nothing to an actor that has stopped, or that has ended and waits
// for its parent's decision.
func (r Ref[M]) Kill() error {
	if r.cell == nil {
		return ErrNoRef
	}
	return r.cell.proc.kill()
}

// Kill is [Ref.Kill] for the actor with the given PID. It returns [ErrStalePID]
// if that has stopped.
func (s *System) Kill(id PID) error {
	if s.missing() {
		return ErrNoSystem
	}
	p := s.lookup(id)
	if p == nil {
		return fmt.Errorf("kill %s: %w", id, ErrStalePID)
	}
	return p.kill()
}

// RequestStop asks the actor with the given PID to stop, as [Ref.Stop] does, and
// does not wait. It returns [ErrStalePID] if that has stopped.
func (s *System) RequestStop(id PID) error {
	return s.postTo(id, "stop", sysMessage{kind: sysStop})
}

// kill returns an error only if p is a stand-in.
func (p *proc) kill() error {
	if p.isStandIn() {
		return p.order(background, standin.Kill)
	}
	p.mu.Lock()
	if p.stopped.Load() {
		p.mu.Unlock()
		return nil
	}
	p.killLocked(ErrKilled)
	return nil
}

// killOnly is kill of the given incarnation alone, for a reason. It returns false
// if that has ended or was killed.
func (p *proc) killOnly(incarnation uint32, reason error) bool {
	p.mu.Lock()
	if p.stopped.Load() || p.incarnation != incarnation {
		p.mu.Unlock()
		return false
	}
	p.killLocked(reason)
	return true
}

// killLocked unlocks mu, which the caller holds. The first reason for which the
// incarnation is killed is the one that counts.
func (p *proc) killLocked(reason error) {
	p.incarnation++
	p.fence()
	p.waits.Store(nil) // The actor does not wait for the ghost's answers.
	if r := p.rareLocked(); r.killed == nil {
		r.killed = reason
	}
	reason = p.rare.killed
	x, f := p.ctx.Load(), p.frame.Fiber()
	if b := p.rare.body; b != nil {
		b.setOrphan(true)
	}
	queue, seize := p.unlockToKilled()
	if seize && f != nil {
		f.SetOrphan(true) // Until its end, which vanish is.
	}
	x.cancel(reason)
	if h := p.opts.host; h != nil && seize {
		h.Abandon()
	}
	if queue {
		p.submit(nil, workers.Critical)
	}
}

// whyKilled returns the reason for which the incarnation was killed.
func (p *proc) whyKilled() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rare == nil || p.rare.killed == nil {
		return ErrKilled
	}
	return p.rare.killed
}

// fencing says that some fence has been raised in this process. Until then, a
// send need not ask its context.
var fencing atomic.Bool

// fenced returns ErrFenced if ctx is, or comes from, the context of an
// incarnation that was killed or replaced. It costs one load, and 3 ns once
// there has been such an incarnation.
func fenced(ctx context.Context) error {
	if !fencing.Load() {
		return nil
	}
	if c := scopeOf(ctx); c != nil && c.home().fence.Load() {
		return ErrFenced
	}
	return nil
}

// fence refuses all that is done by the context of the present incarnation
// from now on. The caller holds mu.
func (p *proc) fence() {
	p.ctx.Load().fence.Store(true)
	fencing.Store(true)
}

// enter is called before the actor's code. It returns false if that must not
// run, since the actor was killed.
func (a *activation) enter() bool {
	a.inCode = a.transitionToCode()
	return a.inCode
}

// ghostCame counts a handler that was killed and has not returned. The scheduler stops
// only when it has: it may wait by the scheduler's own means.
func (s *System) ghostCame() {
	s.ghosts.Add(1)
	s.scheduler.Retain()
}

// ghostGone counts the end of a ghost.
func (s *System) ghostGone() {
	s.ghosts.Add(-1)
	s.scheduler.Release()
}

// checkGhosts returns why the actor can't begin again, or nil: the handler of an earlier
// incarnation has not returned, and there are too many of these.
func (a *activation) checkGhosts() error {
	limit, n := a.sys.cfg.MaxGhosts, int(a.sys.ghosts.Load())
	if limit < 0 || n <= limit || !a.hasGhost() {
		return nil
	}
	return fmt.Errorf("%w: %d handlers that were killed have not returned, and Config.MaxGhosts is %d", ErrGhostLimit, n, limit)
}

// hasGhost reports whether a killed handler of the actor has not returned.
func (p *proc) hasGhost() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rare == nil {
		return false
	}
	for _, lanes := range p.rare.relics {
		if lanes != nil {
			return true
		}
	}
	return false
}

// leave is called after the actor's code. It does not return if another
// activation has taken over meanwhile.
func (a *activation) leave() {
	if !a.inCode {
		return
	}
	a.inCode = false
	if !a.transitionFromCode(a.term) {
		a.vanish()
	}
}

// vanish ends an activation that has lost its actor, together with its fiber.
func (a *activation) vanish() {
	a.lost = true
	a.closeWatch()
	a.f.SetOwner(nil)
	a.endTurn()
	if a.turn != nil && a.turn.stray {
		a.sys.ghostGone()
		runtime.Goexit()
	}
	a.mu.Lock()
	r := a.rareLocked()
	relics, ok := r.relics[a.term]
	if ok {
		delete(r.relics, a.term)
		a.sys.ghostGone()
	} else {
		r.keepRelics(a.term, nil)
	}
	a.mu.Unlock()
	var left leftovers
	for which, l := range relics {
		if l != nil {
			left.letters[which] = l.part(l.head, l.claimed)
		}
	}
	a.deadLetters(&left, ErrKilled)
	if a.loop() != nil {
		panic(hosts.Vanished{})
	}
	runtime.Goexit()
}

// keepRelics notes which lanes the activation of a term has left behind, or
// nil if it has gone. The caller holds the proc's mu.
func (r *rare) keepRelics(term uint32, lanes []*lane) {
	if r.relics == nil {
		r.relics = map[uint32][]*lane{}
	}
	r.relics[term] = lanes
}

// beKilled takes note of a kill.
func (a *activation) beKilled(seized bool) {
	a.mu.Lock()
	a.fence() // The kill may have come just before a restart.
	a.mu.Unlock()
	reason := a.whyKilled()
	a.cancel(reason)
	if seized {
		a.rescue(reason)
	}
	for _, in := range a.bury(seized) {
		eachLetter(in, func(m letter) { a.abandon(m, reason) })
	}
	freed := a.forsake(reason)
	phase := a.phase.Load()
	if (phase == failing || phase == stopping) && (seized || !a.closing) && a.reason == nil {
		a.reason = reason // Its Stopped hook is cut off, or will not run at all.
	}
	switch {
	case phase <= draining:
		a.fail(reason)
	case !seized || !a.closing:
		// It has ended already, and waits for its children or its parent.
		if freed {
			a.childGone(sysMessage{})
		}
	case phase == failing:
		a.retire()
		a.offer()
	case phase == stopping:
		a.retire()
		a.end(a.f, a.reason)
	}
}

// rescue takes over the lanes of the activation whose term has ended last.
func (a *activation) rescue(reason error) {
	term := a.term - nextTerm
	var lost []letters
	a.mu.Lock()
	r := a.rareLocked()
	_, gone := r.relics[term]
	relics := make([]*lane, numLanes)
	for i := range a.lanes {
		l := a.lanes[i].Load()
		if l == nil {
			continue
		}
		fresh, inHand := l.rescue(gone)
		lost = append(lost, inHand)
		relics[i] = l
		a.lanes[i].Store(fresh)
		a.todo |= Lane(i).bit()
	}
	if gone {
		delete(r.relics, term)
	} else {
		r.keepRelics(term, relics)
		a.sys.ghostCame()
	}
	if a.pocketed() != 0 {
		a.todo |= Data.bit()
	}
	a.mu.Unlock()
	for _, in := range lost {
		eachLetter(in, func(m letter) { a.abandon(m, reason) })
	}
}
