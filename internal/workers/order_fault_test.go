//go:build !modelcheck && !race && !invariants

package workers_test

import "github.com/troupe-go/troupe/internal/planted"

// orderFaults are of what keeps work from waiting for ever.
var orderFaults = planted.Group{
	Run: "^Test(WorkRisesWithAge|RisenWorkStaysWhatItWas|SubmitterPutsSpareIntoPlace|ThievesGiveNoSignOfLife|" +
		"PreemptionNestsThreeDeep|TightLoopStarvesNobody)$",
	Faults: []planted.Fault{
		{
			Name: "the monitor does not look at ages",
			In:   "monitor.look",
			Old: `m.s.patrol(now)
m.s.ageing.Look(now)`,
			New:  "m.s.patrol(now)",
			Want: "0 of 100 have risen",
		},
		{
			Name: "what has risen runs as what it has become",
			In:   "elder.Run",
			Old:  "e.of.runner.Run(f, e.submitted)",
			New:  "e.of.runner.Run(f, Critical)",
			Want: "it runs as critical",
		},
		{
			Name: "a submitter relies on the monitor",
			In:   "Scheduler.summon",
			Old: `if s.held.Load() > 0 || p == Critical && s.lot.Nobody() {
	s.monitor.relieve(p)
}`,
			New: `if s.held.Load() > 0 || p == Critical && s.lot.Nobody() {

}`,
			Want: "2 workers, want 2 and a spare",
		},
		{
			Name: "thieves make a worker look alive",
			In:   "monitor.observe",
			Old:  "began := w.began.Load()",
			New:  "began := w.began.Load() + uintptr(w.queues.Taken())",
			Want: "the worker counts as alive",
		},
		{
			Name: "preemptions nest without a limit",
			In:   "Fiber.checkpoint",
			Old:  "f.Urgent() && f.w.queues.Interrupted() < f.s.cfg.PreemptionDepth",
			New:  "f.Urgent()",
			Want: "order is",
		},
		{
			Name: "what gives way still counts as running",
			In:   "Fiber.isOn",
			Old:  "f.hosted || id < len(workers) && workers[id].on.Load() == f",
			New:  "id < len(workers)",
			Want: "want {ID:",
			Run:  "^TestInfoFollowsTheJob$",
		},
		{
			Name: "the end forgets how often a job has given way",
			Dir:  "jobstate",
			In:   "Word.TransitionToEnded",
			Old:  "s.swap(old, next.Preempted(preempted))",
			New:  "s.swap(old, next)",
			Want: "want {ID:",
			Run:  "^TestInfoFollowsTheJob$",
		},
		{
			Name: "a fiber goes on counting for the next job",
			In:   "Fiber.loop",
			Old:  "f.tally.Store(0)",
			New:  "",
			Want: "gave way 1 times",
			Run:  "^TestInfoFollowsTheJob$",
		},
		{
			Name: "reductions are not counted",
			In:   "Fiber.checkpoint",
			Old:  "f.tally.setReductions(done + n)",
			New:  "f.tally.setReductions(done)",
			Want: "equals ran after",
		},
	},
}

// measureFaults are faults in the measurement of jobs, and in the treatment of jobs whose time
// is up.
var measureFaults = planted.Group{
	Run: "^Test(Kind|Cost|Steal)",
	Faults: []planted.Fault{
		{
			Name: "the mean cost is the last one measured",
			In:   "jobKind.learn",
			Old:  "mean+(int64(cost)-mean)/costWeight",
			New:  "int64(cost)",
			Want: "FAIL",
		},
		{
			Name: "the mean cost is the first one measured",
			In:   "jobKind.learn",
			Old:  "mean+(int64(cost)-mean)/costWeight",
			New:  "mean",
			Want: "FAIL",
		},
		{
			Name: "a hint of the cost is passed over",
			In:   "Node.cost",
			Old:  "o != nil && o.cost != 0",
			New:  "false",
			Want: "FAIL",
		},
		{
			Name: "a thief goes by pace alone",
			In:   "estimate",
			Old: `if cost := n.cost(); cost > 0 {
	return cost
}`,
			New:  "",
			Want: "FAIL",
		},
		{
			Name: "what is hauled costs nothing",
			In:   "Worker.haul",
			Old:  "left -= estimate(n, pace)",
			New:  "",
			Want: "FAIL",
		},
		{
			Name: "waits count as cost",
			In:   "Fiber.continueMeasure",
			Old:  "f.measuredFrom += f.now()",
			New:  "",
			Want: "FAIL",
		},
	},
}
