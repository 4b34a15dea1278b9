//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var gatherFaults = planted.Group{
	Run: "^Test(AskAll|AskAllCarriesItsContext|AskAllOfItself|GatheringsInARing|AskQuorum)$",
	Faults: []planted.Fault{
		{
			Name: "a failure counts as an answer of a quorum",
			In:   "gathering.count",
			Old:  "err == nil",
			New:  "true",
			Want: "FAIL",
			Run:  "^TestAskQuorum$",
		},
		{
			Name: "a failure counts twice",
			In:   "inquiry.refuse",
			Old: `if q.slot.state.Load() == 0 || q.slot.withdraw(onlyRound) { // Else it was counted.
	g.count(err)
}`,
			New: `if q.slot.state.Load() == 0 || q.slot.withdraw(onlyRound) || true {
	g.count(err)
}`,
			Want: "FAIL",
			Run:  "^TestAskAll$",
		},
		{
			Name: "the asks of a gathering carry nothing",
			In:   "gathering.send",
			Old:  "q.wait().errand = &errands[i]",
			New:  "_ = q",
			Want: "FAIL",
			Run:  "^TestAskAllCarriesItsContext$",
		},
		{
			Name: "who asks itself among others is not told",
			In:   "inquiry.precheck",
			Old: `if err := g.asker.wouldWaitForItself(p, g.up, AskWait, q.ref.lane); err != nil {
	return fmt.Errorf("ask %s: %w", q.ref, err)
}`,
			New: `if err := g.asker.wouldWaitForItself(p, g.up, AskWait, q.ref.lane); err != nil && false {
	return fmt.Errorf("ask %s: %w", q.ref, err)
}`,
			Want: "FAIL",
			Run:  "^TestAskAllOfItself$",
		},
		{
			Name: "gatherings make no rings",
			In:   "gathering.enterGraph",
			Old: `for _, q := range g.asks {
	s := q.wait()
	if !s.isOpen(onlyRound) || s.moves.Load() == 0 && p != q.target() && !q.target().mayWait(s) {
		continue
	}
	if err := p.refuseRing(s, onlyRound); err != nil {
		q.fail(err)
		g.count(err)
	}
}`,
			New: `for _, q := range g.asks[:0] {
	s := q.wait()
	if q == nil || !s.isOpen(onlyRound) || s.moves.Load() == 0 && p != q.target() && !q.target().mayWait(s) {
		continue
	}
	if err := p.refuseRing(s, onlyRound); err != nil {
		q.fail(err)
		g.count(err)
	}
}`,
			Want: "FAIL",
			Run:  "^TestGatheringsInARing$",
		},
	},
}
