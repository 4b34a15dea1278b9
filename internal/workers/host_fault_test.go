//go:build !modelcheck && !race && !invariants

package workers_test

import "github.com/troupe-go/troupe/internal/planted"

// hostFaults are of what runs where no dispatch loop is: above one, and on hosts.
var hostFaults = planted.Group{
	Run: "^Test(Host.*|HereOnHosts|HereOfAHostWithinWork|WorkAfterHostedWorkRuns|HostedWorkGoesOn|StopBelowHostedWork|GoexitOfHostedWork)$",
	Faults: []planted.Fault{
		{
			Name: "a loop that hosted is not on its worker afterwards",
			In:   "Worker.host",
			Old:  "w.on.Store(base)",
			New:  "",
			Want: "the job that runs is",
			Run:  "^TestWorkAfterHostedWorkRuns$",
		},
		{
			Name: "who is entered as a host forgets what was there",
			In:   "Host.Enter",
			Old:  "h.outer = f.enlist()",
			New:  "f.enlist()",
			Want: "FAIL",
			Run:  "^TestHereOfAHostWithinWork$",
		},
		{
			Name: "a host that is left leads nowhere",
			In:   "Host.Leave",
			Old:  "f.strike(h.outer)",
			New:  "f.strike(nil)",
			Want: "FAIL",
			Run:  "^TestHereOfAHostWithinWork$",
		},
		{
			Name: "a host submits like a worker",
			In:   "Fiber.Within",
			Old: `if f == nil || f.s != s || f.hosted {
	return nil
}`,
			New: `if f == nil || f.s != s {
	return nil
}`,
			Want: "FAIL",
			Run:  "^TestHost$",
			Hang: true,
		},
		{
			Name: "a host gives way to what is urgent elsewhere",
			In:   "Fiber.Urgent",
			Old:  "(f.s.shared.Has(queues.Critical) || f.w.queues.Inbox.Urgent()) && !f.hosted",
			New:  "(f.s.shared.Has(queues.Critical) || f.w.queues.Inbox.Urgent())",
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
			In:   "meter.unnudge",
			Old:  "m.budget += m.putBy",
			New:  "",
			Want: "the worker has looked at the clock after",
		},
		{
			Name: "a second nudge before the step loses the first",
			In:   "meter.nudge",
			Old: `if !m.nudged {
	m.nudged = true
	m.putBy, m.budget = m.budget, 0
}`,
			New: `m.nudged = true
m.putBy, m.budget = m.budget, 0`,
			Want: "the worker has looked at the clock after",
		},
		{
			Name: "who has nothing left to do does not give way to whom it has woken",
			In:   "Worker.rest",
			Old:  "w.meter.nudged && !xatomic.Checked && w.isBare()",
			New:  "w.meter.nudged && xatomic.Checked",
			Want: "of 100 goroutines",
		},
		{
			Name: "who has something left to do gives way to whom it has woken",
			In:   "Worker.rest",
			Old: `if w.meter.nudged && !xatomic.Checked && w.isBare() {
	w.meter.unnudge()
	runtime.Gosched()
}`,
			New: `if w.meter.nudged && !xatomic.Checked {
	w.meter.unnudge()
	runtime.Gosched()
}`,
			Want: "of 100 goroutines",
		},
		{
			Name: "a search goes over the queues before it gives way to whom the worker has woken",
			In:   "Worker.search",
			Old: `if w.meter.nudged {
	w.meter.unnudge()
	w.stepAside()
	if n, p := w.poll(); n != nil {
		return n, p
	}
}`,
			New: `if false {
	w.meter.unnudge()
	w.stepAside()
	if n, p := w.poll(); n != nil {
		return n, p
	}
}`,
			Want: "attempts",
		},
	},
}
