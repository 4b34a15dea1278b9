//go:build !modelcheck && !race && !invariants

package sched_test

import "github.com/troupe-go/troupe/internal/planted"

// orderFaults are of what keeps work from waiting for ever.
var orderFaults = planted.Group{
	Run: "^Test(WorkRisesWithAge|RisenWorkStaysWhatItWas|SubmitterPutsSpareIntoPlace|ThievesGiveNoSignOfLife|" +
		"PreemptionNestsThreeDeep|TightLoopStarvesNobody)$",
	Faults: []planted.Fault{
		{
			Name: "the monitor does not look at ages",
			File: "monitor.go",
			Old:  "	m.s.ageing.look(now)\n",
			New:  "",
			Want: "0 of 100 have risen",
		},
		{
			Name: "what has risen runs as what it has become",
			File: "ageing.go",
			Old:  "e.of.runner.Run(f, e.submitted)",
			New:  "e.of.runner.Run(f, Critical)",
			Want: "it runs as critical",
		},
		{
			Name: "a submitter relies on the monitor",
			File: "scheduler.go",
			Old:  "		s.monitor.relieve(p)\n",
			New:  "",
			Want: "2 workers, want 2 and a spare",
		},
		{
			Name: "thieves make a worker look alive",
			File: "monitor.go",
			Old:  "	began := w.began.Load()\n",
			New:  "	began := w.began.Load() + uintptr(w.taken())\n",
			Want: "the worker counts as alive",
		},
		{
			Name: "preemptions nest without a limit",
			File: "budget.go",
			Old:  " && f.w.interrupted() < preemptionDepth",
			New:  "",
			Want: "order is",
		},
		{
			Name: "what gives way still counts as running",
			File: "fiber.go",
			Old:  "return f.hosted || id < len(workers) && workers[id].on.Load() == f",
			New:  "return id < len(workers)",
			Want: "want {ID:",
			Run:  "^TestInfoFollowsTheJob$",
		},
		{
			Name: "the end forgets how often a job has given way",
			File: "jobstate.go",
			Old:  "preemptedSo(next, preempted)",
			New:  "next",
			Want: "want {ID:",
			Run:  "^TestInfoFollowsTheJob$",
		},
		{
			Name: "a fiber goes on counting for the next job",
			File: "fiber.go",
			Old:  "		f.tally.Store(0)\n",
			New:  "",
			Want: "gave way 1 times",
			Run:  "^TestInfoFollowsTheJob$",
		},
		{
			Name: "reductions are not counted",
			File: "budget.go",
			Old:  "f.setReductions(done + n)",
			New:  "f.setReductions(done)",
			Want: "equals ran after",
		},
	},
}

// measureFaults are of what is measured of jobs, and of what is done about those whose
// time is up.
var measureFaults = planted.Group{
	Run: "^Test(Kind|Cost|Steal)",
	Faults: []planted.Fault{
		{
			Name: "the mean cost is the last one measured",
			File: "kind.go",
			Old:  "mean+(int64(cost)-mean)/costWeight",
			New:  "int64(cost)",
			Want: "FAIL",
		},
		{
			Name: "the mean cost is the first one measured",
			File: "kind.go",
			Old:  "mean+(int64(cost)-mean)/costWeight",
			New:  "mean",
			Want: "FAIL",
		},
		{
			Name: "a hint of the cost is passed over",
			File: "kind.go",
			Old:  "o != nil && o.cost != 0",
			New:  "false",
			Want: "FAIL",
		},
		{
			Name: "a thief goes by pace alone",
			File: "steal.go",
			Old:  "	if cost := n.cost(); cost > 0 {\n		return cost\n	}\n	return pace\n",
			New:  "	return pace\n",
			Want: "FAIL",
		},
		{
			Name: "what is hauled costs nothing",
			File: "steal.go",
			Old:  "		left -= estimate(n, pace)\n",
			New:  "",
			Want: "FAIL",
		},
		{
			Name: "waits count as cost",
			File: "kind.go",
			Old:  "		f.measuredFrom += f.now()\n",
			New:  "",
			Want: "FAIL",
		},
	},
}
