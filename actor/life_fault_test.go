//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

// lifeFaults are about births and ends.
var lifeFaults = planted.Group{
	Run: "^(TestPIDsFromHandlersAreUnique|TestSlotsComeBack|TestStalePIDs|TestHooksOfAKind|TestPanicInOnDeadLetter|TestTimerOfAnOwnerThatHasStopped|TestStashAtTheEnd|TestEndedActorsLeaveNoTrace)$",
	Faults: []planted.Fault{
		{
			Name: "a slot keeps its generation",
			Dir:  "../internal/kernel/pids",
			In:   "Table.fresh",
			Old:  "s.gen++",
			New:  "s.gen = 1",
			Want: "was there before",
			Run:  "^TestPIDsFromHandlersAreUnique$",
		},
		{
			Name: "a full magazine is thrown away",
			Dir:  "../internal/kernel/pids",
			In:   "Table.Remove",
			Old:  "t.collect(m, magazineSize/2)",
			New:  "m.n = 0",
			Want: "slots were used for three actors",
			Run:  "^TestSlotsComeBack$/^from_outside",
		},
		{
			Name: "nobody brings slots to the list",
			Dir:  "../internal/kernel/pids",
			In:   "Table.Remove",
			Old: `if t.hungry.Load() {
	t.collect(m, 0)
}`,
			New:  "",
			Want: "this tests nothing",
			Run:  "^TestStalePIDs$",
		},
		{
			Name: "an end on a worker does not count",
			Dir:  "../internal/kernel/pids",
			In:   "Table.Remove",
			Old: `m.ended.Store(m.ended.Load() + 1)
if !reusable {
	return
}`,
			New: `if !reusable {
	return
}`,
			Want: "FAIL",
			Run:  "^TestPIDsFromHandlersAreUnique$",
			Hang: true,
		},
		{
			Name: "a recall overtakes the restart",
			In:   "proc.windUp",
			Old: `if child.rousing {
	child.owed = ending(child)
}
return child.rousing`,
			New:  "return false",
			Want: "FAIL",
			Run:  "^TestKillWhileAHeldChildIsRestarted$",
			Hang: true,
		},
		{
			Name: "what is used again is not cleared",
			In:   "rare.recycle",
			Old:  "*r = rare{}",
			New:  "",
			Want: "closed channel",
			Run:  "^TestEndedActorsLeaveNoTrace$/simulated",
		},
		{
			Name: "an end forgets the messages",
			In:   "activation.lanesDone",
			Old:  "(l.left() != 0 || l.pending() != 0 || l.waiting.Len() != 0)",
			New:  "l.waiting.Len() != 0",
			Want: "panics were logged, want 3",
			Run:  "^TestPanicInOnDeadLetter$",
		},
		{
			Name: "an end forgets the timers",
			In:   "rare.needsEnding",
			Old:  "r.timers != nil || len(r.kept) != 0",
			New:  "len(r.kept) != 0",
			Want: "FAIL: TestTimerOfAnOwnerThatHasStopped",
			Run:  "^TestTimerOfAnOwnerThatHasStopped$",
		},
		{
			Name: "an end forgets what was put aside",
			In:   "activation.closeAtOnce",
			Old:  "a.eldest != nil || a.ctx.Load().typed.stashedLocked() != 0 || a.rare != nil && a.rare.needsEnding()",
			New:  "a.eldest != nil || a.rare != nil && a.rare.needsEnding()",
			Want: "FAIL",
			Run:  "^TestStashAtTheEnd$",
			Hang: true,
		},
		{
			Name: "the hooks of several are those of the first",
			In:   "kindOf",
			Old:  "return k, false",
			New:  "return k, true",
			Want: "it happened",
			Run:  "^TestHooksOfAKind$",
		},
		{
			Name: "a hook is not told the reason",
			In:   "activation.callHook",
			Old: `*told = o
defer func() { *told = occasion{} }()`,
			New: `*told = o
told.exit.Reason = nil
defer func() { *told = occasion{} }()`,
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
			In:   "activation.handleSignal",
			Old:  "&LinkedError{PID: s.exit.PID, Name: s.exit.Name, Reason: s.exit.Reason}",
			New:  "s.exit.Reason",
			Want: "was told as killed",
			Run:  "^TestKillIsNotPassedOn$",
		},
		{
			Name: "monitors are told the last one first",
			In:   "rare.tellEnd",
			Old:  "cmp.Compare(a.monitor.id, b.monitor.id)",
			New:  "cmp.Compare(b.monitor.id, a.monitor.id)",
			Want: "told were the monitors",
			Run:  "^TestMonitorsAreToldInTheirOrder$",
		},
		{
			Name: "the timers of others end with the incarnation",
			In:   "timer.fire",
			Old:  "t.over || !t.owner.isPresent(t.incarnation)",
			New:  "t.over || !t.owner.isPresent(t.incarnation) || t.target.restarts > 0",
			Want: "it happened: begin, 0, begin",
			Run:  "^TestTimerOutlivesItsReceiversIncarnation$",
		},
		{
			Name: "nobody goes on with the end when the last handler had spent the budget",
			In:   "activation.work",
			Old:  "phase >= failing",
			New:  "phase > stopping",
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
			In:   "Ref.StopWithin",
			Old: `if !over {
	return err
}`,
			New:  "_, _ = over, err",
			Want: "FAIL",
			Run:  "^TestStopWithinInTime$",
		},
		{
			Name: "those are named that were idle",
			In:   "proc.killDown",
			Old:  "p.mu.Load()&inCode != 0",
			New:  "p.mu.Load()&inCode == 0",
			Want: "the error is",
			Run:  "^TestStopWithinForcesChildren$",
		},
	},
}
