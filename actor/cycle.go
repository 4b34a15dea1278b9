package actor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Handlers that wait for each other in a ring would do so for ever. The ring is
// found when it closes, and the handler that closes it gets a CycleError instead of
// waiting. It does not matter whether an actor repeats in one chain of asks, or
// several chains together make the ring, nor which of its waits are asks, sends
// to full lanes, or stops.
//
// # Algorithm
//
// An actor with a handler that waits is a node, and its wait (see asking) the
// edge to the actor that has to act next. A waiter first makes its edge
// known, and then looks whether the actor that it waits for is waiting in its
// turn. Mostly it is not, and that was all: a few loads, and no lock. If it is,
// the waiter follows the edges until they end or lead back to it: first by a walk, which
// takes no lock and sees most of the ends, and then by a search. Of several that close
// a ring at the same moment, the one whose edge came last sees all others, since
// edges and looks are sequentially consistent. The waiter that detects a ring removes its own
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
// who: the edge ends, unless the actor has said by Reply.WaitFor whose start or end
// the answer waits for. Asks from goroutines are no edges.
//
// The alternatives: to let each ask carry its chain and compare finds only rings
// in which an actor repeats in one chain, and Orleans has given that up for its
// cost; a graph under a lock makes all actors that ask wait for one another.

// graph is held by waiters that have seen a possible ring.
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
	for i, edge := range ring {
		e.Waits = append(e.Waits, edge.describe())
		if next := ring[(i+1)%len(ring)].from; next != edge.to {
			e.Waits = append(e.Waits, Wait{
				PID: edge.to.pid, Name: edge.to.opts.name, Kind: LoopWait, On: next.pid, OnName: next.opts.name,
			})
		}
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
	since   time.Duration
	// returned says that a handler of to has returned without an answer. Nobody is known
	// who has to act, so such an edge is no part of rings.
	returned bool
	begins   *scope // For a StartWait: the incarnation that has not started.
	// group is the group of the ask, and need and spare are what it has yet to wait for, if
	// it does not wait for all.
	group       *gathering
	need, spare int32
}

// edge returns the edge of p that s is in the given round. It returns false if there is
// none, or nobody is known who has to act.
func (s *asking) edge(p *proc, round uint64) (edge, bool) {
	e, ok := s.edgeOrReturned(p, round)
	return e, ok && !e.returned
}

// edgeOrReturned is edge, but it also returns an edge to an actor whose handler has returned.
// Such an edge is shown to people, and no search follows it.
func (s *asking) edgeOrReturned(p *proc, round uint64) (edge, bool) {
	if s.placed.Load() != round || !s.pin(round) {
		return edge{}, false
	}
	e := edge{
		wait: s, round: round, moves: s.moves.Load(), from: s.asker, to: s.holder, up: s.up,
		kind: s.kind, lane: s.lane, chained: s.chained, since: s.since, returned: s.returned, group: s.group,
	}
	if g := s.group; g != nil && !g.all {
		e.need, e.spare = g.need.Load(), g.spare.Load()
	}
	s.unpin(round)
	if e.kind == StartWait && e.to != nil {
		if e.begins = e.to.ctx.Load(); e.to.hasStarted() {
			return edge{}, false
		}
	}
	return e, e.from == p && e.to != nil
}

// hasStarted reports whether the Started hook of the incarnation has returned, and
// the incarnation has not ended.
func (p *proc) hasStarted() bool {
	phase := p.phase.Load()
	return phase == alive || phase == draining
}

// EdgesFor returns what the handlers of p wait for: of one of them at most, unless p
// is reentrant. The edges of one handler lie side by side. For a search, which begins at first, it leaves out some that
// are of no interest to it, and those to actors whose handlers have returned. For people first is nil.
func (p *proc) EdgesFor(first *edge) []edge {
	if p.reentrancy == NoReentrancy {
		return p.edgesLocked(first)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.edgesLocked(first)
}

// edgesLocked is EdgesFor for a caller that holds mu.
func (p *proc) edgesLocked(first *edge) (all []edge) {
	if s := p.waits.Load(); s != nil {
		all = s.addTo(all, p, first)
	}
	if p.reentrancy == NoReentrancy || p.turnsLocked() == nil || p.ctx.Load().fence.Load() {
		return all
	}
	for _, s := range p.rare.turns.waits {
		all = s.addTo(all, p, first)
	}
	known := all // Those who are away differ from each other; there may be a thousand.
	for _, t := range p.rare.turns.away {
		if s := t.wait; s != nil && !hasHandler(known, s) {
			all = s.edges(all, p, first)
		}
	}
	return all
}

// addTo appends the edges that a handler of p has by its wait s, unless they are
// there already.
func (s *asking) addTo(all []edge, p *proc, first *edge) []edge {
	if hasHandler(all, s) {
		return all
	}
	return s.edges(all, p, first)
}

// edges appends the edges that a handler of p has by its wait s.
func (s *asking) edges(all []edge, p *proc, first *edge) []edge {
	if s.group == nil {
		return appendEdge(all, s, p, s.state.Load()&^slotPhase, first)
	}
	for _, q := range s.group.asks {
		if one := q.wait(); first == nil || one.matters(first, q.target()) {
			all = appendEdge(all, one, p, onlyRound, first)
		}
	}
	return all
}

func appendEdge(all []edge, s *asking, p *proc, round uint64, first *edge) []edge {
	if e, ok := s.edgeOrReturned(p, round); ok && (first == nil || !e.returned) {
		all = append(all, e)
	}
	return all
}

func hasWait(all []edge, s *asking) bool {
	return slices.ContainsFunc(all, func(e edge) bool { return e.wait == s })
}

// hasHandler is hasWait, also for the other asks that the same handler waits for.
func hasHandler(all []edge, s *asking) bool {
	return slices.ContainsFunc(all, func(e edge) bool { return e.wait == s || s.group != nil && e.group == s.group })
}

// mayWait reports whether p seems to wait, and so not to handle messages. It costs
// three loads.
func (p *proc) mayWait(except *asking) bool {
	if s := p.waits.Load(); s != nil && s != except {
		if s.isUnderWay() {
			return true
		}
	}
	return p.mu.Load()&crowded != 0 || p.Holder() != nil
}

// isUnderWay reports whether some round of the wait is open, or of another ask that
// is waited for together with it.
func (s *asking) isUnderWay() bool {
	if s.group != nil {
		return s.group.isOpen()
	}
	phase := s.state.Load() & slotPhase
	return phase == slotOpen || phase == slotPinned
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
	if !first.mayCloseRing() {
		return nil
	}
	graph.Lock()
	defer graph.Unlock()
	if ring := findRing(first); ring != nil {
		return newCycleError(ring)
	}
	return nil
}

// enterWait makes the wait of a handler of p for target known. If that has
// closed a ring, it ends the wait and returns an error. The handler is on f.
func (p *proc) enterWait(f *workers.Fiber, target *proc, s *asking, round uint64) error {
	if s.placed.Load() != round {
		return nil // An ask whose message does not show it.
	}
	if !p.showWait(f, s) {
		return nil
	}
	if p.reentrancy == sharedReads {
		p.noteWait(s)
	}
	if s.moves.Load() == 0 && p != target && !target.mayWait(s) {
		return nil
	}
	return p.refuseRing(s, round)
}

// mayCloseRing reports whether a search from e on may come back to where it begins,
// without a lock. Most waits are for an actor that waits for one that does not wait:
// a walk along the edges comes to their end. Nodes with a choice of edges are left to the
// search, and so are long ways.
func (e edge) mayCloseRing() bool {
	p := e.to
	for range longWalk {
		if p == e.from || p.reentrancy != NoReentrancy || p.Holder() != nil {
			return true
		}
		s := p.waits.Load()
		if s == nil {
			return false
		}
		if s.group != nil {
			return true
		}
		next, ok := s.edge(p, s.state.Load()&^slotPhase)
		if !ok {
			return false
		}
		p = next.to
	}
	return true
}

// longWalk is after how many edges a walk is given up. A ring that e leads into, but is
// not in, has no end.
const longWalk = 32

// showWait makes s what p waits for. It returns false if the handler, which is on f,
// was killed meanwhile: then p does not wait.
func (p *proc) showWait(f *workers.Fiber, s *asking) bool {
	if l := p.loop(); l != nil {
		l.Hold(p)
	}
	for before := p.waits.Load(); before != s; before = p.waits.Load() {
		if isGhost(f, p) {
			return false
		}
		if p.waits.CompareAndSwap(before, s) {
			break
		}
	}
	if isGhost(f, p) { // The kill may not have seen the wait.
		p.waits.CompareAndSwap(s, nil)
		return false
	}
	return true
}

// refuseRing ends a wait of a handler of p, which is known, if it has closed a ring.
// It then returns an error.
func (p *proc) refuseRing(s *asking, round uint64) error {
	if first, ok := s.edge(p, round); !ok || !first.mayCloseRing() {
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
		if first, ok := a.slot.edge(asker, a.round); ok && asker != nil && hasWait(asker.EdgesFor(nil), a.slot) {
			ring = findRing(first)
		}
	}
	graph.Unlock()
	if ring != nil {
		a.slot.fail(a.round, newCycleError(ring))
	}
}
