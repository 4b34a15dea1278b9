//go:build !modelcheck && !race && !invariants

package sched_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
	"github.com/troupe-go/troupe/internal/topology"
)

// TestTestsFindPlantedFaults switches off what the scheduler does to place, share
// out and contain work, what keeps work from waiting for ever, and what it says of all
// that, one by one. All is built once.
func TestTestsFindPlantedFaults(t *testing.T) {
	groups := []planted.Group{
		orderFaults, measureFaults, queueFaults, shareFaults, placeFaults, containmentFaults, accountFaults, alarmFaults, shelfFaults,
		hostFaults, clockFaults,
	}
	if topology.CanPin && len(topology.Local().CPUs) > 1 {
		groups = append(groups, processorFaults)
	}
	planted.Expect(t, "", append(groups, systemFaults...)...)
}

// systemFaults are of what there is on some systems alone.
var systemFaults []planted.Group

// queueFaults are of the workers' queues, and of what takes from them.
var queueFaults = planted.Group{
	Run: "^Test(WorkerTakesTheMostUrgentFirst|FullQueueOverflowsToTheShared|StealMovesByStrategyAndCost|AdaptiveGoesBy.*|" +
		"BackoffDoubles|LocalStealsFromNearby)$",
	Faults: []planted.Fault{
		{
			Name: "the least urgent work goes first",
			File: "runqueue.go",
			Old:  "		if n := w.local[p].Take(); n != nil {\n			if w.cold > 0 {\n				w.warmNext(p)\n			}\n			return n, p\n		}\n",
			New:  "		if n := w.local[Low-p+High].Take(); n != nil {\n			return n, Low - p + High\n		}\n",
			Want: "FAIL: TestWorkerTakesTheMostUrgentFirst",
			Run:  "^TestWorkerTakesTheMostUrgentFirst$",
		},
		{
			Name: "what a full queue does not hold is lost",
			File: "runqueue.go",
			Old:  "		w.signOfLife()\n		w.s.share(n, p)\n		return\n	}\n	w.signOfLife()\n	// A single",
			New:  "		w.signOfLife()\n		return\n	}\n	w.signOfLife()\n	// A single",
			Want: "FAIL: TestFullQueueOverflowsToTheShared",
			Run:  "^TestFullQueueOverflowsToTheShared$",
		},
		{
			Name: "a thief takes the whole queue",
			File: "thief.go",
			Old:  "min(length/2, stealBatch)",
			New:  "min(length, stealBatch)",
			Want: "batched took",
			Run:  "^TestStealMovesByStrategyAndCost$",
		},
		{
			Name: "a thief takes half, however long the queue is",
			File: "thief.go",
			Old:  "min(length/2, stealBatch)",
			New:  "length/2",
			Want: "batched took",
			Run:  "^TestStealMovesByStrategyAndCost$",
		},
		{
			Name: "a single steal brings a batch",
			File: "thief.go",
			Old:  "	if t.strategy == StealSingle {\n",
			New:  "	if false {\n",
			Want: "single took",
			Run:  "^TestStealMovesByStrategyAndCost$",
		},
		{
			Name: "adaptive measures and does not decide",
			File: "thief.go",
			Old:  "		t.turnTo(t.decide(flat))\n",
			New:  "		t.decide(flat)\n",
			Want: "FAIL: TestAdaptive",
			Run:  "^TestAdaptiveGoesBy",
		},
		{
			Name: "adaptive switches at the edge all the time",
			File: "thief.go",
			Old:  "			limit /= 2\n",
			New:  "			limit /= 1\n",
			Want: "FAIL: TestAdaptive",
			Run:  "^TestAdaptiveGoesBy",
		},
		{
			Name: "local goes by no distance",
			File: "locality.go",
			Old:  "reaches == 1 || int(w.distance(victim)) == reach",
			New:  "reaches == 1 || reach == 0",
			Want: "went to its cache",
			Run:  "^TestLocalStealsFromNearby$",
		},
		{
			Name: "the back-off does not grow",
			File: "backoff.go",
			Old:  "min(max(backoffMin, 2*r.after), backoffMax)",
			New:  "min(max(backoffMin, r.after), backoffMax)",
			Want: "rounds came after",
			Run:  "^TestBackoffDoubles$",
		},
		{
			Name: "the back-off grows without a limit",
			File: "backoff.go",
			Old:  "min(max(backoffMin, 2*r.after), backoffMax)",
			New:  "max(backoffMin, 2*r.after)",
			Want: "FAIL: TestBackoffDoubles",
			Run:  "^TestBackoffDoubles$",
		},
		{
			Name: "a success does not end the back-off",
			File: "backoff.go",
			Old:  "		r.after = 0\n",
			New:  "",
			Want: "after a success",
			Run:  "^TestBackoffDoubles$",
		},
	},
}

// shareFaults are of what evens out the workers' loads.
var shareFaults = planted.Group{
	Run: "^Test(LeastLoadedWorkerGetsTheWork|RebalancingSpreadsWork|OldestWorkIsMoved|ThresholdDecides|TwiceTheMeanIsTooMuch|" +
		"RebalancingGoesByTime|IntervalAdapts)$",
	Faults: []planted.Fault{
		{
			Name: "the worker with most to do gets more",
			File: "placement.go",
			Old:  "load < best ||",
			New:  "load > best ||",
			Want: "FAIL: TestLeastLoaded",
			Run:  "^TestLeastLoadedWorkerGetsTheWork$",
		},
		{
			Name: "queues stay uneven",
			File: "rebalance.go",
			Old:  "			moved += r.spread(b)\n",
			New:  "",
			Want: "FAIL: TestRebalancing",
			Run:  "^TestRebalancingSpreadsWork$",
		},
		{
			Name: "the newest work is moved",
			File: "rebalance.go",
			Old:  "if n, _ := w.local[p].Steal(); n != nil {",
			New:  "if n := w.local[p].Pop(); n != nil {",
			Want: "FAIL: TestOldest",
			Run:  "^TestOldestWorkIsMoved$",
		},
		{
			Name: "a threshold is passed over",
			File: "rebalance.go",
			Old:  "b.imbalance() > threshold ||",
			New:  "b.imbalance() > 0 ||",
			Want: "threshold 0.45",
			Run:  "^TestThresholdDecides$",
		},
		{
			Name: "twice the mean is not too much",
			File: "rebalance.go",
			Old:  " || b.largest > twice*b.mean",
			New:  "",
			Want: "nothing was moved",
			Run:  "^TestTwiceTheMeanIsTooMuch$",
		},
		{
			Name: "loads are compared by pieces",
			File: "placement.go",
			Old:  "return time.Duration(pieces) * w.paceOr(unknown)",
			New:  "return time.Duration(pieces) * unknown",
			Want: "FAIL: TestRebalancingGoesByTime",
			Run:  "^TestRebalancingGoesByTime$",
		},
		{
			Name: "the interval never becomes shorter",
			File: "rebalance.go",
			Old:  "		interval /= 2\n",
			New:  "		interval += 0\n",
			Want: "with changing loads",
			Run:  "^TestIntervalAdapts$",
		},
		{
			Name: "the interval never becomes longer",
			File: "rebalance.go",
			Old:  "		interval += interval / 2\n",
			New:  "		interval += 0\n",
			Want: "with steady loads",
			Run:  "^TestIntervalAdapts$",
		},
	},
}

// placeFaults are of affinity and pinning.
var placeFaults = planted.Group{
	Run: "^Test(PinnedWorkWaitsForItsWorker|PreferredWorkIsNotStolenFromAWorkerThatKeepsUp|PreferredWorkIsNotStolenByTheBusy|" +
		"PreferredWorkOfAHeldWorkerIsSpilled)$",
	Faults: []planted.Fault{
		{
			Name: "pinned work runs anywhere",
			File: "place.go",
			Old:  "return to.bond == free || to.bond != pinned && (p == Critical || to.w.hold.Load() != holdFree)",
			New:  "return true",
			Want: "the pinned job has run",
			Run:  "^TestPinnedWorkWaitsForItsWorker$",
		},
		{
			Name: "preferred work is stolen from whoever keeps up",
			File: "overload.go",
			Old:  "	if w.inbox.preferred.Load() <= keepPreferred {\n		return false\n	}\n",
			New:  "",
			Want: "was stolen though",
			Run:  "^TestPreferredWorkIsNotStolenFromAWorkerThatKeepsUp$",
		},
		{
			Name: "preferred work is stolen by the busy",
			File: "overload.go",
			Old:  "return w.pieces()*(len(workers)-1) > overloadFactor*others",
			New:  "return others >= 0",
			Want: "an equally loaded worker",
			Run:  "^TestPreferredWorkIsNotStolenByTheBusy$",
		},
		{
			Name: "an overloaded worker keeps what prefers it",
			File: "overload.go",
			Old:  "w.tier < Low || !victim.overloaded() {",
			New:  "w.tier <= Low {",
			Want: "of an overloaded worker",
			Run:  "^TestPreferredWorkIsNotStolenFromAWorkerThatKeepsUp$",
		},
		{
			Name: "a held worker keeps what prefers it",
			File: "monitor.go",
			Old:  "			m.s.spill(w)\n",
			New:  "",
			Want: "FAIL: TestPreferredWorkOfAHeld",
			Run:  "^TestPreferredWorkOfAHeldWorkerIsSpilled$",
		},
	},
}

// processorFaults can be seen where there is more than one processor to be on.
var processorFaults = planted.Group{
	Run: "^TestPinnedWorkersStayOnTheirProcessors$",
	Faults: []planted.Fault{{
		Name: "all workers are bound to one processor",
		File: "pin.go",
		Old:  "topology.Pin(cpu.ID)",
		New:  "topology.Pin(cpus[0].ID)",
		Want: "is on processor",
	}},
}

// containmentFaults are of work that keeps its worker.
var containmentFaults = planted.Group{
	Run: "^Test(HeldWorkIsReplacedOnceOthersWait|LimitIsReportedOncePerBlock|HeldRunnersAreNamed|JobTimesOut)$",
	Faults: []planted.Fault{
		{
			Name: "a worker that is held is not replaced",
			File: "monitor.go",
			Old:  "		if !m.s.helpless(w.crew()) {\n",
			New:  "		if true {\n",
			Want: "spares were wanted for the work that waits",
			Run:  "^TestHeldWorkIsReplacedOnceOthersWait$",
		},
		{
			Name: "there is no limit to spare workers",
			File: "hold.go",
			Old:  "if last < 0 && m.spares >= m.s.cfg.MaxSpares {",
			New:  "if m.spares < 0 {",
			Want: "FAIL: TestLimit",
			Run:  "^TestLimitIsReportedOncePerBlock$",
		},
		{
			Name: "the limit is hidden",
			File: "hold.go",
			Old:  "		m.limitReached.Add(1)\n",
			New:  "",
			Want: "FAIL: TestLimit",
			Run:  "^TestLimitIsReportedOncePerBlock$",
		},
		{
			Name: "what holds a worker has no name",
			File: "held.go",
			Old:  "h.Job, h.Work = n.describe()",
			New:  "h.Job, h.Work = nil, \"\"",
			Want: "nobody is named",
			Run:  "^TestHeldRunnersAreNamed$",
		},
		{
			Name: "what holds a worker has no stack",
			File: "held.go",
			Old:  "dump.of(all[i].Goroutine)",
			New:  "dump.of(all[i].Goroutine + 1<<40)",
			Want: "does not lead to its work",
			Run:  "^TestHeldRunnersAreNamed$",
		},
		{
			Name: "a job's time is up at once",
			File: "overdue.go",
			Old:  "now-startedAt(word) >= timeout",
			New:  "now >= startedAt(word)",
			Want: "FAIL: TestJobTimesOut",
			Run:  "^TestJobTimesOut$",
		},
	},
}

// accountFaults are of what Stats says.
var accountFaults = planted.Group{
	Run: "^Test(WorkerThatSearchesIsStealing|WorkerThatRunsCriticalWorkIsPreempting|WorkerIsDrainingThenShutDown|StealsAreCounted|" +
		"StatsAddUp|KindsAreCounted|TightLoopStarvesNobody)$",
	Faults: []planted.Fault{
		{
			Name: "a search does not show",
			File: "steal.go",
			Old:  "		w.turnTo(WorkerStealing)\n",
			New:  "",
			Want: "has searched in vain is",
			Run:  "^TestWorkerThatSearchesIsStealing$",
		},
		{
			Name: "a preemption does not show",
			File: "workerstate.go",
			Old:  "	w.turnTo(WorkerPreempting)\n",
			New:  "",
			Want: "want working, preempting",
			Run:  "^TestWorkerThatRunsCriticalWorkIsPreempting$",
		},
		{
			Name: "a departure does not show",
			File: "trampoline.go",
			Old:  "	w.turnTo(WorkerShutDown)\n",
			New:  "",
			Want: "a worker that has left is",
			Run:  "^TestWorkerIsDrainingThenShutDown$",
		},
		{
			Name: "steals are not counted",
			File: "steal.go",
			Old:  "		w.count.stolen++\n",
			New:  "",
			Want: "are counted as",
			Run:  "^TestStealsAreCounted$",
		},
		{
			Name: "searches in vain are not counted",
			File: "thief.go",
			Old:  "		t.count.Fruitless++\n",
			New:  "",
			Want: "a search in vain is counted as",
			Run:  "^TestStealsAreCounted$",
		},
		{
			Name: "jobs are not counted",
			File: "stats.go",
			Old:  "	copyCounter(&p.jobs, c.jobs)\n",
			New:  "",
			Want: "FAIL: TestStatsAddUp",
			Run:  "^TestStatsAddUp$",
		},
		{
			Name: "a budget passes no checkpoints",
			File: "budget.go",
			Old:  "b.left < 0 {",
			New:  "b.left < math.MinInt/2 {",
			Want: "equals ran after",
			Run:  "^TestTightLoopStarvesNobody$",
		},
	},
}

// alarmFaults are of the times at which fibers are resumed.
var alarmFaults = planted.Group{
	Run: "^TestAlarms(RingAtTheirTime|ThatAreNotNeededAreForgotten)$",
	Faults: []planted.Fault{
		{
			Name: "an earlier alarm does not move the timer",
			File: "alarm.go",
			Old:  "if !a.armed || one.at < a.set {",
			New:  "if !a.armed {",
			Want: "FAIL: TestAlarmsRingAtTheirTime",
			Run:  "^TestAlarmsRingAtTheirTime$",
		},
		{
			Name: "an alarm sinks below the latest",
			File: "alarm.go",
			Old:  "a.queue[j].at < a.queue[least].at",
			New:  "a.queue[j].at > a.queue[least].at",
			Want: "FAIL: TestAlarmsRingAtTheirTime",
			Run:  "^TestAlarmsRingAtTheirTime$",
		},
		{
			Name: "a sweep does not mend the heap",
			File: "alarm.go",
			Old:  "i := len(kept)/branching + 1; i >= 0; i--",
			New:  "i := 0; i < 0; i--",
			Want: "FAIL: TestAlarmsRingAtTheirTime",
			Run:  "^TestAlarmsRingAtTheirTime$",
		},
		{
			Name: "alarms that are not needed are kept",
			File: "alarm.go",
			Old:  "		a.sweep()\n",
			New:  "		_ = a\n",
			Want: "FAIL: TestAlarmsThatAreNotNeededAreForgotten",
			Run:  "^TestAlarmsThatAreNotNeededAreForgotten$",
		},
		{
			Name: "the timer of nobody stays set",
			File: "alarm.go",
			Old:  "			a.timer.Stop() // It may be hours away, and keeps the scheduler.\n",
			New:  "			_ = a\n",
			Want: "FAIL: TestAlarmsThatAreNotNeededAreForgotten",
			Run:  "^TestAlarmsThatAreNotNeededAreForgotten$",
		},
	},
}

// shelfFaults are of the fibers that are kept for later.
var shelfFaults = planted.Group{
	Run: "^TestFibers(AreUsedAgain|EndWithTheScheduler)$",
	Faults: []planted.Fault{
		{
			Name: "fibers are not taken from the shelf",
			File: "trampoline.go",
			Old:  "if len(w.pool) == 0 && w.s.shelf.size.Load() > 0 {",
			New:  "if len(w.pool) == 0 && w.s.shelf.size.Load() < 0 {",
			Want: "they are not used again",
			Run:  "^TestFibersAreUsedAgain$",
		},
		{
			Name: "fibers are not put on the shelf",
			File: "shelf.go",
			Old:  "if w.s.cfg.PinWorkers ||",
			New:  "if len(w.pool) > 0 ||",
			Want: "they are not kept",
			Run:  "^TestFibersAreUsedAgain$",
		},
		{
			Name: "fibers that are not needed are kept",
			File: "shelf.go",
			Old:  "	n := min(l.excess, shelfEnd)\n",
			New:  "	n := min(l.excess, 0)\n",
			Want: "are left a minute later",
			Run:  "^TestFibersAreUsedAgain$",
		},
		{
			Name: "the monitor sleeps while fibers are to be ended",
			File: "monitor.go",
			Old:  "if idle >= monitorIdle && m.s.shelf.size.Load() == 0 {",
			New:  "if idle >= monitorIdle {",
			Want: "are left a minute later",
			Run:  "^TestFibersAreUsedAgain$",
		},
		{
			Name: "fibers on the shelf outlive the scheduler",
			File: "shelf.go",
			Old:  "	l.mu.Unlock()\n	for _, f := range fibers {\n		f.co.Stop()\n	}\n",
			New:  "	l.mu.Unlock()\n	_ = fibers\n",
			Want: "FAIL: TestFibersEndWithTheScheduler",
			Run:  "^TestFibersEndWithTheScheduler$",
		},
	},
}
