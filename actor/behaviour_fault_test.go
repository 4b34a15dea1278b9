//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var behaviourFaults = planted.Group{
	Run: "^Test(Become|HooksOutliveBecome|FirstOf|FirstOfThoseThatFail)$",
	Faults: []planted.Fault{
		{
			Name: "the hooks are those of the last behaviour",
			File: "behaviour.go",
			Old:  "		return c.extra.behaviours[0]\n",
			New:  "		return c.actor\n",
			Want: "FAIL",
			Run:  "^TestHooksOutliveBecome$",
			Hang: true,
		},
		{
			Name: "unbecome goes back to the beginning",
			File: "behaviour.go",
			Old:  "	last := len(c.extra.behaviours) - 1\n	c.actor, c.extra",
			New:  "	last := 0\n	c.actor, c.extra",
			Want: "FAIL",
			Run:  "^TestBecome$",
		},
		{
			Name: "the next gets what the first has failed in",
			File: "behaviour.go",
			Old:  "		if err = a.Receive(ctx, m); !isUnhandled(err) {\n",
			New:  "		if err = a.Receive(ctx, m); err == nil {\n",
			Want: "FAIL",
			Run:  "^TestFirstOfThoseThatFail$",
			Hang: true,
		},
		{
			Name: "one of several that does not begin is passed over",
			File: "behaviour.go",
			Old:  "			if err := hook.Started(ctx); err != nil {\n",
			New:  "			if err := hook.Started(ctx); false {\n",
			Want: "FAIL",
			Run:  "^TestFirstOfThoseThatFail$",
			Hang: true,
		},
	},
}

var stashFaults = planted.Group{
	Run: "^Test(Stash|StashGoesWrong|UnstashFillsTheLane|RingThroughAStash|RetryKeepsTheLane|RetriesOfAStashedMessage|RetriesOfAReentrantActor|TriesOfWhatIsPutBack)$",
	Faults: []planted.Fault{
		{
			Name: "what is put back goes last",
			File: "stash.go",
			Old:  "	copy(b.out[n:], old)\n	back, left := 0, 0\n",
			New:  "	copy(b.out, old)\n	back, left := len(old), 0\n",
			Want: "FAIL",
			Run:  "^TestStash$",
		},
		{
			Name: "what is put back goes to Data",
			File: "stash.go",
			Old:  "stashed[M]{lane: c.lane, tries",
			New:  "stashed[M]{lane: Data, tries",
			Want: "FAIL",
			Run:  "^TestStash$",
		},
		{
			Name: "what is tried again goes to Data",
			File: "stash.go",
			Old:  "stashed[M]{{lane: which, tries",
			New:  "stashed[M]{{lane: Data, tries",
			Want: "FAIL",
			Run:  "^TestRetryKeepsTheLane$",
		},
		{
			Name: "what is put aside forgets its tries",
			File: "stash.go",
			Old:  "lane: c.lane, tries: tries, m: m",
			New:  "lane: c.lane, tries: 0 * tries, m: m",
			Want: "nothing came",
			Run:  "^TestRetriesOfAStashedMessage$",
			Hang: true,
		},
		{
			Name: "what fails while an incarnation ends is forgotten",
			File: "lifecycle.go",
			Old:  "	if phase == failing { // Also",
			New:  "	if phase == failing && a.reentrancy == NoReentrancy { // Also",
			Want: "FAIL",
			Run:  "^TestRetriesOfAReentrantActor$",
			Hang: true,
		},
		{
			Name: "what is put back inherits the tries of what was handled",
			File: "retry.go",
			Old:  "return r.lane == which && r.at > 0 && r.at <= last })",
			New:  "return false })",
			Want: "FAIL",
			Run:  "^TestTriesOfWhatIsPutBack$",
			Hang: true,
		},
		{
			Name: "a stash has no end",
			File: "stash.go",
			Old:  "n >= p.opts.stash {",
			New:  "false && n > 0 {",
			Want: "FAIL",
			Run:  "^TestStashGoesWrong$",
		},
		{
			Name: "what is put back takes no room",
			File: "stash.go",
			Old:  "	l.unclaimed.Store(int32(size))\n	l.fill(size)\n",
			New:  "	l.unclaimed.Store(int32(size))\n",
			Want: "FAIL",
			Run:  "^TestUnstashFillsTheLane$",
			Hang: true,
		},
		{
			Name: "an ask that is put aside is nobody's",
			File: "stash.go",
			Old:  "addressIn(l, &c.extra.stash[i].m) == asked",
			New:  "false",
			Want: "FAIL",
			Run:  "^TestRingThroughAStash$",
			Hang: true,
		},
	},
}
