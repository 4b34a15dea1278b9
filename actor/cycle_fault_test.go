//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var walkFaults = planted.Group{
	Run: "^Test(AskOfAWaitingActorAllocatesNothing|RingOfManyActors|RingOfAsksInOneChain|GatheringsInARing)$",
	Faults: []planted.Fault{
		{
			Name: "a walk does not see where it began",
			In:   "edge.mayCloseRing",
			Old:  "p == e.from || p.reentrancy != NoReentrancy",
			New:  "p.reentrancy != NoReentrancy",
			Want: "the ask that closed the ring was sent",
			Run:  "^TestRingOfAsksInOneChain$",
		},
		{
			Name: "a walk passes by gatherings",
			In:   "edge.mayCloseRing",
			Old: `if s.group != nil {
	return true
}`,
			New: `if s.group != nil {
	return false
}`,
			Want: "FAIL",
			Run:  "^TestGatheringsInARing$",
		},
		{
			Name: "a long walk is taken for the end",
			In:   "edge.mayCloseRing",
			Old: `for range longWalk {
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
return true`,
			New: `for range longWalk {
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
return false`,
			Want: "FAIL",
			Run:  "^TestRingOfManyActors$",
			Hang: true,
		},
		{
			Name: "each ask of one that waits is a search",
			In:   "edge.mayCloseRing",
			Old: `if !ok {
	return false
}`,
			New: `if !ok {
	return true
}`,
			Want: "asks allocate",
			Run:  "^TestAskOfAWaitingActorAllocatesNothing$",
		},
	},
}
