//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var behaviourFaults = planted.Group{
	Run: "^Test(Become|HooksOutliveBecome|FirstOf|FirstOfActorsThatFail)$",
	Faults: []planted.Fault{
		{
			Name: "the hooks are those of the last behaviour",
			In:   "Context.own",
			Old:  "c.extra.behaviours[0]",
			New:  "c.actor",
			Want: "FAIL",
			Run:  "^TestHooksOutliveBecome$",
			Hang: true,
		},
		{
			Name: "unbecome goes back to the beginning",
			In:   "Context.Unbecome",
			Old:  "len(c.extra.behaviours) - 1",
			New:  "0",
			Want: "FAIL",
			Run:  "^TestBecome$",
		},
		{
			Name: "the next gets what the first has failed in",
			In:   "firstOf.Receive",
			Old:  "!isUnhandled(err)",
			New:  "err == nil",
			Want: "FAIL",
			Run:  "^TestFirstOfActorsThatFail$",
			Hang: true,
		},
		{
			Name: "one of several that does not begin is passed over",
			In:   "firstOf.Started",
			Old:  "err != nil",
			New:  "false",
			Want: "FAIL",
			Run:  "^TestFirstOfActorsThatFail$",
			Hang: true,
		},
	},
}

var stashFaults = planted.Group{
	Run: "^Test(Stash|StashGoesWrong|UnstashFillsTheLane|RingThroughAStash|RetryKeepsTheLane|RetriesOfAStashedMessage|RetriesOfAReentrantActor|TriesOfAMessageThatIsPutBack)$",
	Faults: []planted.Fault{
		{
			Name: "what is put back goes last",
			In:   "Context.unstash",
			Old:  "copy(b.out[n:], old)",
			New:  "copy(b.out, old)",
			Want: "FAIL",
			Run:  "^TestStash$",
		},
		{
			Name: "what is put back goes to Data",
			In:   "Context.Stash",
			Old:  "stashed[M]{lane: c.lane, tries: tries, m: m, asked: asked}",
			New:  "stashed[M]{lane: Data, tries: tries, m: m, asked: asked}",
			Want: "FAIL",
			Run:  "^TestStash$",
		},
		{
			Name: "what is tried again goes to Data",
			In:   "Context.stow",
			Old:  "[]stashed[M]{{lane: which, tries: tries, asked: m.kept(), m: message}}",
			New:  "[]stashed[M]{{lane: Data, tries: tries, asked: m.kept(), m: message}}",
			Want: "FAIL",
			Run:  "^TestRetryKeepsTheLane$",
		},
		{
			Name: "what is put aside forgets its tries",
			In:   "Context.Stash",
			Old:  "stashed[M]{lane: c.lane, tries: tries, m: m, asked: asked}",
			New:  "stashed[M]{lane: c.lane, tries: 0 * tries, m: m, asked: asked}",
			Want: "nothing came",
			Run:  "^TestRetriesOfAStashedMessage$",
			Hang: true,
		},
		{
			Name: "what fails while an incarnation ends is forgotten",
			In:   "activation.windDown",
			Old: `if phase == failing { // Also what handlers that have waited have failed in since.
	a.unstash(true)
}`,
			New: `if phase == failing && a.reentrancy == NoReentrancy { // Also what handlers that have waited have failed in since.
	a.unstash(true)
}`,
			Want: "FAIL",
			Run:  "^TestRetriesOfAReentrantActor$",
			Hang: true,
		},
		{
			Name: "what is put back inherits the tries of what was handled",
			In:   "proc.putBackLocked",
			Old:  "r.lane == which && r.at > 0 && r.at <= last",
			New:  "false",
			Want: "FAIL",
			Run:  "^TestTriesOfAMessageThatIsPutBack$",
			Hang: true,
		},
		{
			Name: "a stash has no end",
			In:   "scope.lockToStash",
			Old:  "n >= p.opts.stash",
			New:  "false && n > 0",
			Want: "FAIL",
			Run:  "^TestStashGoesWrong$",
		},
		{
			Name: "what is put back takes no room",
			In:   "lane.putBack",
			Old:  "l.fill(size)",
			New:  "",
			Want: "FAIL",
			Run:  "^TestUnstashFillsTheLane$",
			Hang: true,
		},
		{
			Name: "an ask that is put aside is nobody's",
			In:   "Context.keeps",
			Old:  "c.extra.stash[i].asked.is(asked)",
			New:  "false",
			Want: "FAIL",
			Run:  "^TestRingThroughAStash$",
			Hang: true,
		},
	},
}
