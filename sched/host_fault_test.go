//go:build !modelcheck && !race && !invariants

package sched_test

import "github.com/troupe-go/troupe/internal/planted"

// hostFaults are of what runs where no dispatch loop is: above one, and on hosts.
var hostFaults = planted.Group{
	Run: "^Test(Host.*|HereOnHosts|HereOfAHostWithinWork|WorkAfterHostedWorkRuns|HostedWorkGoesOn|StopBelowHostedWork|GoexitOfHostedWork)$",
	Faults: []planted.Fault{
		{
			Name: "a loop that hosted is not on its worker afterwards",
			File: "trampoline.go",
			Old:  "	w.fiber = base\n	w.on.Store(base)\n",
			New:  "	w.fiber = base\n",
			Want: "the job that runs is",
			Run:  "^TestWorkAfterHostedWorkRuns$",
		},
		{
			Name: "who is entered as a host forgets what was there",
			File: "host.go",
			Old:  "	h.outer = f.enlist()\n",
			New:  "	f.enlist()\n",
			Want: "FAIL",
			Run:  "^TestHereOfAHostWithinWork$",
		},
		{
			Name: "a host that is left leads nowhere",
			File: "host.go",
			Old:  "	f.strike(h.outer)\n",
			New:  "	f.strike(nil)\n",
			Want: "FAIL",
			Run:  "^TestHereOfAHostWithinWork$",
		},
		{
			Name: "a host submits like a worker",
			File: "host.go",
			Old:  " || f.hosted {\n",
			New:  " {\n",
			Want: "FAIL",
			Run:  "^TestHost$",
			Hang: true,
		},
		{
			Name: "a host gives way to what is urgent elsewhere",
			File: "fiber.go",
			Old:  "f.w.inbox.urgent()) && !f.hosted\n",
			New:  "f.w.inbox.urgent())\n",
			Want: "critical work makes a host give way",
			Run:  "^TestHostIsNotUrgent$",
		},
	},
}

var clockFaults = planted.Group{
	Run: "^TestNudge",
	Faults: []planted.Fault{
		{
			Name: "a nudge costs a look at the clock",
			File: "clock.go",
			Old:  "	w.nudged = false\n	w.budget += w.putBy\n",
			New:  "	w.nudged = false\n",
			Want: "the worker has looked at the clock after",
		},
		{
			Name: "a second nudge before the step loses the first",
			File: "clock.go",
			Old:  "	if !w.nudged {\n		w.nudged = true\n		w.putBy, w.budget = w.budget, 0\n	}\n",
			New:  "	w.nudged = true\n	w.putBy, w.budget = w.budget, 0\n",
			Want: "the worker has looked at the clock after",
		},
		{
			Name: "who has nothing left to do does not give way to whom it has woken",
			File: "clock.go",
			Old:  "	if w.nudged && !xatomic.Checked && w.isBare() {\n",
			New:  "	if w.nudged && xatomic.Checked {\n",
			Want: "of 100 goroutines",
		},
		{
			Name: "who has something left to do gives way to whom it has woken",
			File: "clock.go",
			Old:  "	if w.nudged && !xatomic.Checked && w.isBare() {\n",
			New:  "	if w.nudged && !xatomic.Checked {\n",
			Want: "of 100 goroutines",
		},
		{
			Name: "a search goes over the queues before it gives way to whom the worker has woken",
			File: "steal.go",
			Old:  "	if w.nudged {\n",
			New:  "	if false {\n",
			Want: "attempts",
		},
	},
}
