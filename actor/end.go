package actor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/troupe-go/troupe/internal/workers"
)

// endWaiter is somebody who waits for the end of an actor.
type endWaiter struct {
	workers.Waiter
	next *endWaiter
}

// shutdown asks p to stop, by a message of the given kind, and waits until it
// has.
func (p *proc) shutdown(ctx context.Context, kind sysKind) error {
	if p.isStandIn() {
		return p.order(ctx, orderFor(kind))
	}
	if p.stopped.Load() {
		return nil
	}
	if err := fenced(ctx); err != nil {
		return fmt.Errorf("stop of %s: %w", p, err)
	}
	f, _ := p.sys.caller(ctx)
	caller := current(f) // Also if it is a ghost.
	if kind == sysDrain {
		p.close(f)
	}
	p.post(f, sysMessage{kind: kind})
	if caller.hasAncestor(p) {
		return fmt.Errorf("stop of %s in a handler of %s: %w", p, caller, ErrWouldDeadlock)
	}
	return p.await(ctx)
}

// close has the actor accept no messages from now on, as it is about to drain. A GracefulStopper
// goes on to accept them. Of an actor without an incarnation it is not known yet whether
// it is one; it is held, and a drain stops it.
func (p *proc) close(from *workers.Fiber) {
	p.mu.Lock()
	if p.closed || p.traits&stopsGracefully != 0 || p.unborn() {
		p.mu.Unlock()
		return
	}
	p.closed = true
	var woken waiters
	for i := range p.lanes {
		if l := p.lanes[i].Load(); l != nil {
			woken = l.refuse(ErrStopped, p.goesOnLocked, woken)
		}
	}
	p.mu.Unlock()
	woken.tell(from)
}

// goesOnLocked reports whether an actor that is closed takes the message of an ask
// nevertheless: it drains, and one of its handlers waits for what the ask is a part of.
// The caller holds mu.
//
//go:noinline
func (p *proc) goesOnLocked(asked address) bool {
	return p.reentrancy != NoReentrancy && asked.slot != nil && p.phase.Load() <= draining && p.inWork(asked)
}

// await waits until p has stopped. When ctx ends, it ends the contexts of the
// handlers that it has waited for too, and returns an error.
func (p *proc) await(ctx context.Context) error { return p.awaitThen(ctx, true) }

// awaitThen is await. Forces says whether the end of ctx changes something.
func (p *proc) awaitThen(ctx context.Context, forces bool) error {
	if p.stopped.Load() {
		return nil
	}
	var w workers.Waiter
	f, waiting := p.sys.caller(ctx)
	w.ArmOn(f, p.sys.scheduler)
	defer w.Disarm()
	var s *asking
	if waiting == nil && isUrgent(f, nil) {
		s = newWait(w, nil, p, address{}, StopWait, Data)
		defer s.endLift()
		defer s.withdraw(onlyRound)
	}
	if waiting != nil {
		s = newWait(w, waiting, p, askedIn(ctx, f, waiting), StopWait, Data)
		if err := waiting.enterWait(f, p, s, onlyRound); err != nil {
			return fmt.Errorf("stop of %s: %w: %w", p, ErrWouldDeadlock, err)
		}
		defer s.endLift()
		defer s.withdraw(onlyRound)
	}
	if s != nil {
		s.lift(f, waiting, onlyRound)
	}
	p.mu.Lock()
	known := p.rareLocked().enter(w)
	p.mu.Unlock()
	p.rewatch()
	defer p.rewatch()
	w.Explain(p.sys.scheduler, func() string { return "for the end of " + p.String() })
	before := p.parted()
	for !p.stopped.Load() {
		goOn := w.Wait(ctx)
		broken := s != nil && s.isAnswered(onlyRound)
		if p.stopped.Load() || goOn && !broken && p.parted() == before {
			continue
		}
		p.forgetWaiter(known)
		if lost := p.parted(); lost != before {
			return fmt.Errorf("stop of %s: %w", p, lost.reason)
		}
		if broken {
			return fmt.Errorf("stop of %s: %w: %w", p, ErrWouldDeadlock, s.err)
		}
		if forces && fenced(ctx) == nil && !p.isStandIn() {
			p.force()
		}
		return fmt.Errorf("actor: %s has not stopped: %w", p, context.Cause(ctx))
	}
	return nil
}

// enter adds w to the waiters for the end. The caller holds mu.
func (r *rare) enter(w workers.Waiter) *endWaiter {
	known := &r.waiter // It is free while nobody waits.
	if r.waiters != nil {
		known = &endWaiter{}
	}
	*known = endWaiter{w, r.waiters}
	r.waiters = known
	return known
}

func (p *proc) forgetWaiter(w *endWaiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rare == nil {
		return // It has stopped just now.
	}
	for at := &p.rare.waiters; *at != nil; at = &(*at).next {
		if *at == w {
			*at = w.next
			return
		}
	}
}

// end makes the stop of p known to everyone who waits for it.
func (p *proc) end(f *workers.Fiber, reason error) {
	p.sys.removeProc(f, p)
	state := p.mu.Acquire()
	p.stopped.Store(true)
	ties := p.severLocked()
	calls := p.unmarkAfter()
	last := p.rare
	p.rare = last.remains()
	p.mu.Release(state | dead)
	for _, call := range calls {
		p.callLater(call)
	}
	if last != nil {
		p.sys.registry.leave(p, last.names)
	}
	if p.sys.simulated {
		p.trace("stops", reason)
	}
	if o := p.sys.probes.Load(); o != nil {
		defer p.tellEnd(f, last, ties, reason) // Also if a Probe calls Goexit.
		o.tellEnded(p, reason, false)
		return
	}
	p.tellEnd(f, last, ties, reason)
}

// tellEnd tells everyone of the end of p who waits for it, and the parent last.
func (p *proc) tellEnd(f *workers.Fiber, last *rare, ties ties, reason error) {
	if h := p.opts.host; h != nil {
		h.End()
	}
	if last != nil {
		ties.tell(f, p, reason)
		last.tellEnd(f, Exit{PID: p.pid, Name: p.opts.name, Reason: reason})
		last.recycle()
	}
	p.parent.lose(f, p, reason)
}

// lose takes note of a child that has stopped. It is only told to an actor that
// wants to know, or that waits for its children to stop and has lost the last.
func (p *proc) lose(f *workers.Fiber, child *proc, reason error) {
	switch {
	case p.impl == nil:
		p.sys.rootDisown(child)
	case p.traits&isParent != 0:
		p.post(f, sysMessage{kind: sysChildGone, child: child, reason: reason})
	default:
		p.mu.Lock()
		last := p.disownLocked(child) && p.barred
		p.mu.Unlock()
		if last {
			p.post(f, sysMessage{kind: sysChildGone})
		}
	}
}

// tellEnd tells everyone who monitors the actor or waits for its end.
func (r *rare) tellEnd(f *workers.Fiber, e Exit) {
	// In the order in which they began to, so that a simulation is the same each time.
	inOrder := func(a, b *watch) int { return cmp.Compare(a.monitor.id, b.monitor.id) }
	if len(r.watchers) > 0 {
		for _, w := range slices.SortedFunc(maps.Keys(r.watchers), inOrder) {
			w.tell(f, e)
		}
	}
	for w := r.waiters; w != nil; w = w.next {
		w.Wake(f, workers.Critical)
	}
	if r.done != nil {
		close(r.done)
	}
}

// done returns a channel that is closed at the end.
func (p *proc) done() <-chan struct{} {
	if p.sys == nowhere {
		return closed
	}
	defer p.rewatch()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped.Load() {
		return closed
	}
	r := p.rareLocked()
	if r.done == nil {
		r.done = make(chan struct{})
	}
	return r.done
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
