package actor

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers"
)

// A message belongs to the call chain of a handler that waits if its ask was made
// by a handler that was asked by that one, directly or by way of others. Each ask
// knows which ask its maker was handling (asking.up), so the way back is a list. It
// is followed when a message comes to an actor with CallChainReentrancy: nothing
// is carried along, and no other actor pays for it.
//
// The alternative, a number for each chain that messages carry, does not tell a
// handler from another one that the same client has asked at the same time.

// guest is a message that is let in while a handler waits. It has a lane of its
// own, in which it is the only one.
type guest struct {
	lane  *lane
	which Lane // The lane that it was sent on.
}

// maxChain bounds the way back: longer chains are longer than anyone's patience.
const maxChain = 10_000

// inChain reports whether the ask with the address belongs to the call chain of a
// handler of p. An ask in the chain that is over, or that a goroutine has made,
// ends it.
func (p *proc) inChain(a address) bool { return p.inChainOf(a, false) }

// inWork reports whether the ask with the address is part of what the handlers of p wait
// for: whether it is in their call chains, or would be if its goroutine, or task, were the
// handler that has begun it. The context of such an ask tells which handler that is.
func (p *proc) inWork(a address) bool { return p.inChainOf(a, p.reentrancy == FullReentrancy) }

func (p *proc) inChainOf(a address, byContext bool) bool {
	for range maxChain {
		if a.slot == nil || !a.slot.pin(a.round) {
			return false
		}
		asker, up := a.slot.asker, a.slot.up
		if e := a.slot.errand; asker == nil && byContext && e != nil {
			asker, up = e.asker, e.up
		}
		a.slot.unpin(a.round)
		switch asker {
		case nil:
			if e := a.slot.errand; e == nil || e.far == nil {
				return false
			}
		case p:
			return true
		}
		a = up
	}
	return false
}

// letsIn reports whether an ask that a handler of asker is about to make, while it
// handles the ask up, would be let in.
func (p *proc) letsIn(asker *proc, up address) bool {
	if p.reentrancy != CallChainReentrancy || asker != p && !p.inChain(up) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hasRoomLocked()
}

// hasRoomLocked reports whether one more message may be let in. The caller holds
// mu.
func (p *proc) hasRoomLocked() bool {
	t := p.turnsLocked()
	return t != nil && !t.buried && len(t.away)+len(t.queue) < p.opts.maxSuspended
}

// invitesLocked reports whether a message is let in, as one of a call chain of the
// actor. The caller holds mu.
func (p *proc) invitesLocked(asked address) bool {
	return asked.slot != nil && p.hasRoomLocked() && p.inChain(asked)
}

// letIn queues the message at m, a *M, among the turns, so that it is handled although a handler of the
// actor waits. The caller holds mu, and letIn unlocks it.
func (p *proc) letIn(ctx context.Context, which Lane, asked address, m any) {
	p.entrust(asked)
	asked.slot.letIn(asked.round)
	l := newLane(p.impl, 1, false)
	l.contents.accept(&sendWaiter{message: m, asked: asked})
	t := p.rare.turns
	t.queue = append(t.queue, entrant{guest: &guest{lane: l, which: which}})
	l.swap(nil)
	p.handled++ // Its lane is not asked.
	p.mu.Unlock()
	p.announce(workers.Current(ctx), pendingTurn)
}

// letIn says that the message of the ask does not wait for handlers that wait.
func (s *asking) letIn(round uint64) {
	if s.pin(round) {
		s.chained = true
		s.unpin(round)
	}
}

// handleGuest handles a message that was let in.
func (a *activation) handleGuest(g *guest) {
	x := a.ctx.Load()
	a.scope = x
	err := a.handleInTurn(x, g.lane, g.which, g)
	a.leave()
	if err != nil {
		a.fail(err)
	}
}

// turnAway makes a dead letter of a message that was let in when the incarnation
// had ended.
func (a *activation) turnAway(g *guest) {
	a.leave()
	defer a.goOnEnding() // Also if a dead-letter callback calls Goexit.
	reason := ErrDropped
	if a.phase.Load() == stopping {
		reason = ErrStopped
	}
	eachLetter(g.lane.part(0, 1), func(m letter) { a.deadLetter(g.which, m, reason) })
}
