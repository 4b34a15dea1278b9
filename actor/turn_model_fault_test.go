//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var turnModelFaults = planted.Group{
	Run: "^TestModel$/^turn$",
	Faults: []planted.Fault{
		{
			Name: "a handler comes back beside another one",
			File: "turn.go",
			Old:  "	case t.lost || !p.transitionToReturn(t.a.term):\n",
			New:  "	case t.lost || !p.transitionToReturn(t.a.term) && t.waited && len(t.of.queue) > 0:\n",
			Want: "run at once",
		},
		{
			Name: "a handler that wants its turn back is not announced",
			File: "turn.go",
			Old:  "		if !ghost {\n			p.announce(a.f, pendingTurn)\n",
			New:  "		if !ghost && p.mu.Load()&running != 0 {\n			p.announce(a.f, pendingTurn)\n",
			Want: "deadlock",
		},
		{
			Name: "who is buried while it begins to wait is counted twice",
			File: "turn.go",
			Old:  "	if t.stray { // Who has buried it",
			New:  "	if false { // Who has buried it",
			Want: "1 ghosts are left",
			Run:  "^TestModel$/^turn$/kill",
		},
	},
}
