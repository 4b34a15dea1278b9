//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var walkFaults = planted.Group{
	Run: "^Test(AskOfOneThatWaitsAllocatesNothing|RingOfManyActors|RingOfAsksInOneChain|GatheringsInARing)$",
	Faults: []planted.Fault{
		{
			Name: "a walk does not see where it began",
			File: "cycle.go",
			Old:  "if p == e.from || p.reentrancy != NoReentrancy ||",
			New:  "if p.reentrancy != NoReentrancy ||",
			Want: "the ask that closed the ring was sent",
			Run:  "^TestRingOfAsksInOneChain$",
		},
		{
			Name: "a walk passes by gatherings",
			File: "cycle.go",
			Old:  "		if s.group != nil {\n			return true\n",
			New:  "		if s.group != nil {\n			return false\n",
			Want: "FAIL",
			Run:  "^TestGatheringsInARing$",
		},
		{
			Name: "a long walk is taken for the end",
			File: "cycle.go",
			Old:  "		p = next.to\n	}\n	return true\n",
			New:  "		p = next.to\n	}\n	return false\n",
			Want: "FAIL",
			Run:  "^TestRingOfManyActors$",
			Hang: true,
		},
		{
			Name: "each ask of one that waits is a search",
			File: "cycle.go",
			Old:  "		if !ok {\n			return false\n		}\n		p = next.to\n",
			New:  "		if !ok {\n			return true\n		}\n		p = next.to\n",
			Want: "asks allocate",
			Run:  "^TestAskOfOneThatWaitsAllocatesNothing$",
		},
	},
}
