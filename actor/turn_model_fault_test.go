//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var turnModelFaults = planted.Group{
	Run: "^TestModel$/^(turn|read)$",
	Faults: []planted.Fault{
		{
			Name: "a handler comes back beside another one",
			In:   "turn.takeLocked",
			Old:  "p.transitionToReturn(t.a.term)",
			New:  "p.transitionToReturn(t.a.term) && t.waited && len(t.of.queue) > 0",
			Want: "run at once",
			Run:  "^TestModel$/^turn$",
		},
		{
			Name: "a handler that wants its turn back is not announced",
			In:   "turn.TakeBack",
			Old: `if !ghost {
	p.announce(a.f, pendingTurn)
}`,
			New: `if !ghost && p.mu.Load()&running != 0 {
	p.announce(a.f, pendingTurn)
}`,
			Want: "deadlock",
			Run:  "^TestModel$/^turn$",
		},
		{
			Name: "who is buried while it begins to wait is counted twice",
			In:   "turn.GiveUp",
			Old:  "if t.stray {\n\tt.stray = false\n\tp.sys.ghostGone()\n}",
			New:  "",
			Want: "livelock", // The scheduler waits for the ghost, so the schedule does not end.
			Run:  "^TestModel$/^turn$/kill",
		},
		{
			Name: "a write does not wait for those who read",
			In:   "activation.awaitReaders",
			Old:  "len(t.away) > 0",
			New:  "false && len(t.away) > 0",
			Want: "run at once",
			Run:  "^TestModel$/^read$",
		},
		{ // One in 50,000 random schedules finds it. The seed of the model is one that does so soon.
			Name: "a ghost that is about to read enters the next incarnation's turns",
			In:   "activation.beginRead",
			Old:  "a.mu.Load()&termBits != a.term",
			New:  "false",
			Want: "deadlock",
			Run:  "^TestModel$/^read$/^a_kill$",
		},
	},
}
