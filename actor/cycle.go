package actor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// Handlers that wait for each other in a ring would do so for ever. The ring is
// found when it closes, and whoever closes it gets a CycleError instead of
// waiting. It does not matter whether an actor repeats in one chain of asks, or
// several chains together make the ring, nor which of its waits are asks, sends
// to full lanes, or stops.
//
// # Algorithm
//
// An actor with a handler that waits is a node, and its wait (see asking) the
// edge to the actor that has to act next. Whoever begins to wait makes his edge
// known, and then looks whether the actor that he waits for is waiting in its
// turn. Mostly it is not, and that was all: a few loads, and no lock. If it is,
// he follows the edges until they end or lead back to him. Of several that close
// a ring at the same moment, the one whose edge came last sees all others, since
// edges and looks are sequentially consistent. Who sees a ring withdraws his own
// edge under a lock, so one of them gets the error and the others go on.
//
// An edge is read under its pin, and a ring counts only if, after all of its
// edges have been read, each is still there in the same round and has not moved:
// then there was a moment at which they all were. So no ring is reported that
// was none.
//
// The edge of an ask is that to the actor in whose lanes, stash or handler the
// message is. A handler that sends the message on moves it, and looks for a ring
// too; the asker then gets the error. If the handler returns without an answer,
// and has not sent the message on, somebody may still answer, and nobody knows
// who: the edge ends. Asks from goroutines are no edges.
//
// The alternatives: to let each ask carry its chain and compare finds only rings
// in which an actor repeats in one chain, and Orleans has given that up for its
// cost; a graph under a lock makes all actors that ask wait for one another.

// graph is held by those who have seen a possible ring.
var graph xatomic.Mutex

// CycleError is returned when a handler would wait for itself, by way of the
// actors that it waits for. It wraps [ErrCycle].
type CycleError struct {
	// Waits is the ring: each waits for the next one, and the last for the first.
	// The first is the one that gets the error.
	Waits []Wait
}

// Error names all actors of the ring, and how each waits for the next.
func (e *CycleError) Error() string {
	var b strings.Builder
	b.WriteString(ErrCycle.Error())
	b.WriteString(": ")
	for _, w := range e.Waits {
		fmt.Fprintf(&b, "%s%s (%s) -> ", w.Name, w.PID, w.what())
	}
	if len(e.Waits) > 0 {
		fmt.Fprintf(&b, "%s%s", e.Waits[0].Name, e.Waits[0].PID)
	}
	return b.String()
}

// Unwrap returns [ErrCycle].
func (e *CycleError) Unwrap() error { return ErrCycle }

func newCycleError(ring []edge) error {
	e := &CycleError{}
	for _, edge := range ring {
		e.Waits = append(e.Waits, edge.describe())
	}
	return e
}

// edge is a wait as it was at one moment.
type edge struct {
	wait    *asking
	round   uint64
	moves   uint32
	from    *proc
	to      *proc
	up      address
	kind    WaitKind
	lane    Lane
	chained bool
	since   time.Time
}

// edge returns what a handler of p waits for. It returns false if it does not
// wait, or nobody knows for whom.
func (p *proc) edge() (edge, bool) {
	s := p.waits.Load()
	if s == nil {
		return edge{}, false
	}
	return s.edge(p, s.state.Load()&^slotPhase)
}

// edge returns the edge of p that s is in the given round.
func (s *asking) edge(p *proc, round uint64) (edge, bool) {
	if s.placed.Load() != round || !s.pin(round) {
		return edge{}, false
	}
	e := edge{s, round, s.moves.Load(), s.asker, s.holder, s.up, s.kind, s.lane, s.chained, s.since}
	s.unpin(round)
	return e, e.from == p && e.to != nil
}

// edges returns what the handlers of p wait for: one at most, unless p is
// reentrant.
func (p *proc) edges() []edge {
	if p.reentrancy == NoReentrancy {
		return p.edgesLocked()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.edgesLocked()
}

// edgesLocked is edges for a caller that holds mu.
func (p *proc) edgesLocked() (all []edge) {
	if e, ok := p.edge(); ok {
		all = append(all, e)
	}
	if p.reentrancy == NoReentrancy || p.turnsLocked() == nil || p.ctx.Load().fence.Load() {
		return all
	}
	for _, s := range p.rare.turns.waits {
		if e, ok := s.edge(p, s.state.Load()&^slotPhase); ok && !hasWait(all, s) {
			all = append(all, e)
		}
	}
	for _, t := range p.rare.turns.away {
		if s := t.wait; s != nil && !hasWait(all, s) {
			if e, ok := s.edge(p, s.state.Load()&^slotPhase); ok {
				all = append(all, e)
			}
		}
	}
	return all
}

func hasWait(all []edge, s *asking) bool {
	return slices.ContainsFunc(all, func(e edge) bool { return e.wait == s })
}

// mayWait reports whether p seems to wait, and so not to handle messages. It costs
// three loads.
func (p *proc) mayWait(except *asking) bool {
	if s := p.waits.Load(); s != nil && s != except {
		if phase := s.state.Load() & slotPhase; phase == slotOpen || phase == slotPinned {
			return true
		}
	}
	return p.mu.Load()&crowded != 0
}

// wouldWaitForItself returns the error with which an ask would end anyway, so
// that its message need not be sent. Up is the ask that the asker handles. It may
// miss a ring that closes just now.
func (p *proc) wouldWaitForItself(target *proc, up address, kind WaitKind, lane Lane) error {
	if p != target && !target.mayWait(nil) || target.letsIn(p, up) {
		return nil
	}
	first := edge{from: p, to: target, up: up, kind: kind, lane: lane}
	if p == target && p.reentrancy == NoReentrancy {
		return newCycleError([]edge{first})
	}
	graph.Lock()
	defer graph.Unlock()
	if ring := findRing(first); ring != nil {
		return newCycleError(ring)
	}
	return nil
}

// enterWait makes the wait of a handler of p for target known. If that has
// closed a ring, it ends the wait and returns an error.
func (p *proc) enterWait(target *proc, s *asking, round uint64) error {
	if s.placed.Load() != round {
		return nil // An ask whose message does not show it.
	}
	if p.waits.Load() != s {
		p.waits.Store(s)
	}
	if p.reentrancy == sharedReads {
		p.noteWait(s)
	}
	if s.moves.Load() == 0 && p != target && !target.mayWait(s) {
		return nil
	}
	graph.Lock()
	defer graph.Unlock()
	first, ok := s.edge(p, round)
	if !ok {
		return nil
	}
	if ring := findRing(first); ring != nil && s.withdraw(round) {
		return newCycleError(ring)
	}
	return nil
}

// breakRing ends the ask with the address, whose message p has just got, if
// that closed a ring.
func (p *proc) breakRing(a address) {
	graph.Lock()
	var ring []edge
	if a.slot.pin(a.round) {
		asker := a.slot.asker
		a.slot.unpin(a.round)
		if first, ok := a.slot.edge(asker, a.round); ok && asker != nil && hasWait(asker.edges(), a.slot) {
			ring = findRing(first)
		}
	}
	graph.Unlock()
	if ring != nil {
		a.slot.fail(a.round, newCycleError(ring))
	}
}
