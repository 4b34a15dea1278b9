//go:build !modelcheck && !race && !invariants

package actor_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

func TestLifeFindsPlantedFaults(t *testing.T) {
	planted.Expect(t, "", lifeFaults)
}

// lifeFaults are about births and ends.
var lifeFaults = planted.Group{
	Run: "^(TestPIDsFromHandlersAreUnique|TestSlotsComeBack|TestStalePIDs|TestHooksOfAKind|TestPanicInOnDeadLetter|TestTimerOfAnOwnerThatHasStopped|TestStashAtTheEnd|TestEndedActorsLeaveNoTrace)$",
	Faults: []planted.Fault{
		{
			Name: "a slot keeps its generation",
			File: "table.go",
			Old:  "	s.gen++\n",
			New:  "	s.gen = 1\n",
			Want: "was there before",
			Run:  "^TestPIDsFromHandlersAreUnique$",
		},
		{
			Name: "a full magazine is thrown away",
			File: "table.go",
			Old:  "		t.collect(m, magazineSize/2)\n",
			New:  "		m.n = 0\n",
			Want: "slots were used for three actors",
			Run:  "^TestSlotsComeBack$/^from_outside",
		},
		{
			Name: "nobody brings slots to the list",
			File: "table.go",
			Old:  "	if t.hungry.Load() {\n		t.collect(m, 0)\n	}\n",
			New:  "",
			Want: "this tests nothing",
			Run:  "^TestStalePIDs$",
		},
		{
			Name: "an end on a worker does not count",
			File: "table.go",
			Old:  "	m.ended.Store(m.ended.Load() + 1)\n",
			New:  "",
			Want: "FAIL",
			Run:  "^TestPIDsFromHandlersAreUnique$",
		},
		{
			Name: "what is used again is not cleared",
			File: "proc.go",
			Old:  "		*r = rare{}\n",
			New:  "",
			Want: "closed channel",
			Run:  "^TestEndedActorsLeaveNoTrace$/simulated",
		},
		{
			Name: "an end forgets the messages",
			File: "lifecycle.go",
			Old:  "(l.left() != 0 || l.contents.pending() != 0 || len(l.waiting) != 0)",
			New:  "len(l.waiting) != 0",
			Want: "panics were logged, want 2",
			Run:  "^TestPanicInOnDeadLetter$",
		},
		{
			Name: "an end forgets the timers",
			File: "lifecycle.go",
			Old:  "	return r.timers != nil || ",
			New:  "	return ",
			Want: "was in time",
			Run:  "^TestTimerOfAnOwnerThatHasStopped$",
		},
		{
			Name: "an end forgets what was put aside",
			File: "lifecycle.go",
			Old:  "a.ctx.Load().typed.stashedLocked() != 0 || ",
			New:  "",
			Want: "FAIL",
			Run:  "^TestStashAtTheEnd$",
		},
		{
			Name: "the hooks of several are those of the first",
			File: "kind.go",
			Old:  "			return k, false\n",
			New:  "			return k, true\n",
			Want: "it happened",
			Run:  "^TestHooksOfAKind$",
		},
		{
			Name: "a hook is not told the reason",
			File: "hook.go",
			Old:  "	*told = o\n",
			New:  "	*told = o\n	told.exit.Reason = nil\n",
			Want: "it happened",
			Run:  "^TestHooksOfAKind$",
		},
	},
}
