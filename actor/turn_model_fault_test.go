//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var turnModelFaults = planted.Group{
	Run: "^TestModel$/^(turn|read)$",
	Faults: []planted.Fault{
		{
			Name: "a handler comes back beside another one",
			File: "turn.go",
			Old:  "	case t.lost || !p.transitionToReturn(t.a.term):\n",
			New:  "	case t.lost || !p.transitionToReturn(t.a.term) && t.waited && len(t.of.queue) > 0:\n",
			Want: "run at once",
			Run:  "^TestModel$/^turn$",
		},
		{
			Name: "a handler that wants its turn back is not announced",
			File: "turn.go",
			Old:  "		if !ghost {\n			p.announce(a.f, pendingTurn)\n",
			New:  "		if !ghost && p.mu.Load()&running != 0 {\n			p.announce(a.f, pendingTurn)\n",
			Want: "deadlock",
			Run:  "^TestModel$/^turn$",
		},
		{
			Name: "who is buried while it begins to wait is counted twice",
			File: "turn.go",
			Old:  "	if t.stray { // Who has buried it",
			New:  "	if false { // Who has buried it",
			Want: "1 ghosts are left",
			Run:  "^TestModel$/^turn$/kill",
		},
		{
			Name: "a write does not wait for those who read",
			File: "reader.go",
			Old:  "	waits := len(t.away) > 0\n",
			New:  "	waits := false && len(t.away) > 0\n",
			Want: "run at once",
			Run:  "^TestModel$/^read$",
		},
		{
			Name: "a ghost that is about to read is not told so",
			File: "reader.go",
			Old:  "	if a.mu.Load()&termBits != a.term { // A ghost",
			New:  "	if false { // A ghost",
			Want: "deadlock",
			Run:  "^TestModel$/^read$/failure",
		},
	},
}
