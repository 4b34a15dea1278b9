//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var gatherFaults = planted.Group{
	Run: "^Test(AskAll|AskAllCarriesItsContext|AskAllOfItself|GatheringsInARing|AskQuorum)$",
	Faults: []planted.Fault{
		{
			Name: "a failure counts as an answer of a quorum",
			File: "gathering.go",
			Old:  "	if err == nil {\n",
			New:  "	if true {\n",
			Want: "FAIL",
			Run:  "^TestAskQuorum$",
		},
		{
			Name: "a failure counts twice",
			File: "gather.go",
			Old:  "	if q.slot.state.Load() == 0 || q.slot.withdraw(onlyRound) { // Else it was counted.\n",
			New:  "	if q.slot.state.Load() == 0 || q.slot.withdraw(onlyRound) || true {\n",
			Want: "FAIL",
			Run:  "^TestAskAll$",
		},
		{
			Name: "the asks of a gathering carry nothing",
			File: "gathering.go",
			Old:  "			q.wait().errand = &errands[i]\n",
			New:  "			_ = q\n",
			Want: "FAIL",
			Run:  "^TestAskAllCarriesItsContext$",
		},
		{
			Name: "who asks itself among others is not told",
			File: "gather.go",
			Old:  "	if err := g.asker.wouldWaitForItself(p, g.up, AskWait, q.ref.lane); err != nil {\n",
			New:  "	if err := g.asker.wouldWaitForItself(p, g.up, AskWait, q.ref.lane); err != nil && false {\n",
			Want: "FAIL",
			Run:  "^TestAskAllOfItself$",
		},
		{
			Name: "gatherings make no rings",
			File: "gathering.go",
			Old:  "	for _, q := range g.asks {\n		s := q.wait()\n		if !s.isOpen(onlyRound) ||",
			New:  "	for _, q := range g.asks[:0] {\n		s := q.wait()\n		if q == nil || !s.isOpen(onlyRound) ||",
			Want: "FAIL",
			Run:  "^TestGatheringsInARing$",
		},
	},
}
