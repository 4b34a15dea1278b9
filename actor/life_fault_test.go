//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

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
			Hang: true,
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
			Old:  "(l.left() != 0 || l.pending() != 0 || len(l.waiting) != 0)",
			New:  "len(l.waiting) != 0",
			Want: "panics were logged, want 3",
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
			Hang: true,
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

var choiceFaults = planted.Group{
	Run: "^Test(KillIsNotPassedOn|MonitorsAreToldInTheirOrder|TimerOutlivesItsReceiversIncarnation|EndAfterTheLastHandler)$",
	Faults: []planted.Fault{
		{
			Name: "who is killed by a link counts as killed",
			File: "link.go",
			Old:  "		a.fail(&LinkedError{PID: s.exit.PID, Name: s.exit.Name, Reason: s.exit.Reason})\n",
			New:  "		a.fail(s.exit.Reason)\n",
			Want: "was told as killed",
			Run:  "^TestKillIsNotPassedOn$",
		},
		{
			Name: "monitors are told the last one first",
			File: "end.go",
			Old:  "return cmp.Compare(a.monitor.id, b.monitor.id)",
			New:  "return cmp.Compare(b.monitor.id, a.monitor.id)",
			Want: "told were the monitors",
			Run:  "^TestMonitorsAreToldInTheirOrder$",
		},
		{
			Name: "the timers of others end with the incarnation",
			File: "timer.go",
			Old:  "	if t.over || !t.owner.isPresent(t.incarnation) {\n",
			New:  "	if t.over || !t.owner.isPresent(t.incarnation) || t.target.restarts > 0 {\n",
			Want: "it happened: begin, 0, begin",
			Run:  "^TestTimerOutlivesItsReceiversIncarnation$",
		},
		{
			Name: "nobody goes on with the end when the last handler had spent the budget",
			File: "activation.go",
			Old:  "		case phase >= failing:\n			continue // The last",
			New:  "		case phase > stopping:\n			continue // The last",
			Want: "got error <nil>",
			Run:  "^TestEndAfterTheLastHandler$",
		},
	},
}

var withinFaults = planted.Group{
	Run: "^(TestStopWithinInTime|TestStopWithinForcesChildren)$",
	Faults: []planted.Fault{
		{
			Name: "who stops in time is killed too",
			File: "within.go",
			Old:  "	if !over {\n		return err\n	}\n	killed := p.killDown(nil)\n",
			New:  "	_, _ = over, err\n	killed := p.killDown(nil)\n",
			Want: "FAIL",
			Run:  "^TestStopWithinInTime$",
		},
		{
			Name: "those are named that were idle",
			File: "within.go",
			Old:  "	if p.mu.Load()&inCode != 0 {\n",
			New:  "	if p.mu.Load()&inCode == 0 {\n",
			Want: "the error is",
			Run:  "^TestStopWithinForcesChildren$",
		},
	},
}
