//go:build !modelcheck && !race && !invariants

package workers_test

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
		orderFaults, measureFaults, queueFaults, shareFaults, placeFaults, containmentFaults, accountFaults, poolFaults,
		hostFaults, clockFaults, inheritFaults,
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
			In:   "Worker.poll",
			Old: `if n := w.queues.Local[p].Take(); n != nil {
	if w.cold > 0 {
		w.warmNext(p)
	}
	return n, p
}`,
			New: `if n := w.queues.Local[Low-p+High].Take(); n != nil {
	return n, Low - p + High
}`,
			Want: "FAIL: TestWorkerTakesTheMostUrgentFirst",
			Run:  "^TestWorkerTakesTheMostUrgentFirst$",
		},
		{
			Name: "what a full queue does not hold is lost",
			In:   "Worker.push",
			Old:  "w.s.Share(n, p)",
			New:  "",
			Want: "FAIL: TestFullQueueOverflowsToTheShared",
			Run:  "^TestFullQueueOverflowsToTheShared$",
		},
		{
			Name: "a thief takes the whole queue",
			Dir:  "stealing",
			In:   "Policy.AtMost",
			Old:  "length/2",
			New:  "length",
			Want: "batched took",
			Run:  "^TestStealMovesByStrategyAndCost$",
		},
		{
			Name: "a thief takes half, however long the queue is",
			Dir:  "stealing",
			In:   "Policy.AtMost",
			Old:  "min(length/2, p.most)",
			New:  "length/2",
			Want: "batched took",
			Run:  "^TestStealMovesByStrategyAndCost$",
		},
		{
			Name: "a single steal brings a batch",
			Dir:  "stealing",
			In:   "Policy.AtMost",
			Old:  "p.strategy == Single",
			New:  "false",
			Want: "single took",
			Run:  "^TestStealMovesByStrategyAndCost$",
		},
		{
			Name: "adaptive measures and does not decide",
			Dir:  "stealing",
			In:   "Policy.Searched",
			Old:  "p.turnTo(p.decide(flat))",
			New:  "p.decide(flat)",
			Want: "FAIL: TestAdaptive",
			Run:  "^TestAdaptiveGoesBy",
		},
		{
			Name: "adaptive switches at the edge all the time",
			Dir:  "stealing",
			In:   "Policy.decide",
			Old:  "limit /= 2",
			New:  "limit /= 1",
			Want: "FAIL: TestAdaptive",
			Run:  "^TestAdaptiveGoesBy",
		},
		{
			Name: "local goes by no distance",
			Dir:  "stealing",
			In:   "Location.Within",
			Old:  "int(l.Distance(other)) == reach",
			New:  "reach == 0",
			Want: "went to its cache",
			Run:  "^TestLocalStealsFromNearby$",
		},
		{
			Name: "the back-off does not grow",
			Dir:  "stealing",
			In:   "Backoff.Postpone",
			Old:  "2*b.after",
			New:  "b.after",
			Want: "rounds came after",
			Run:  "^TestBackoffDoubles$",
		},
		{
			Name: "the back-off grows without a limit",
			Dir:  "stealing",
			In:   "Backoff.Postpone",
			Old:  "min(max(b.least, 2*b.after), b.most)",
			New:  "max(b.least, 2*b.after)",
			Want: "FAIL: TestBackoffDoubles",
			Run:  "^TestBackoffDoubles$",
		},
		{
			Name: "a success does not end the back-off",
			Dir:  "stealing",
			In:   "Backoff.Due",
			Old:  "b.after = 0",
			New:  "",
			Want: "after a success",
			Run:  "^TestBackoffDoubles$",
		},
	},
}

// shareFaults are of what evens out the workers' loads.
var shareFaults = planted.Group{
	Run: "^Test(LeastLoadedWorkerGetsTheWork|RebalancingSpreadsWork|OldestWorkIsMoved|RebalancingThreshold|LoadOverTwiceTheMeanIsMoved|" +
		"RebalancingGoesByTime|IntervalAdapts)$",
	Faults: []planted.Fault{
		{
			Name: "the worker with most to do gets more",
			In:   "Scheduler.leastLoaded",
			Old:  "load < best",
			New:  "load > best",
			Want: "FAIL: TestLeastLoaded",
			Run:  "^TestLeastLoadedWorkerGetsTheWork$",
		},
		{
			Name: "queues stay uneven",
			In:   "rebalance.look",
			Old:  "moved += r.spread(b)",
			New:  "",
			Want: "FAIL: TestRebalancing",
			Run:  "^TestRebalancingSpreadsWork$",
		},
		{
			Name: "other work than the oldest is moved",
			Dir:  "queues",
			In:   "Own.StealOldest",
			Old: `if x, _ := q.Local[p].Steal(); x != nil {
	return x, p
}`,
			New: `q.Local[p].Steal()
if x, _ := q.Local[p].Steal(); x != nil {
	return x, p
}`,
			Want: "FAIL: TestOldest",
			Run:  "^TestOldestWorkIsMoved$",
		},
		{
			Name: "a threshold is passed over",
			In:   "balance.uneven",
			Old:  "b.imbalance() > threshold",
			New:  "b.imbalance() > 0",
			Want: "threshold 0.45",
			Run:  "^TestRebalancingThreshold$",
		},
		{
			Name: "twice the mean is not too much",
			In:   "balance.uneven",
			Old:  "b.imbalance() > threshold || b.largest > twice*b.mean",
			New:  "b.imbalance() > threshold",
			Want: "nothing was moved",
			Run:  "^TestLoadOverTwiceTheMeanIsMoved$",
		},
		{
			Name: "loads are compared by pieces",
			In:   "Worker.load",
			Old:  "time.Duration(pieces) * w.pace.Or(unknown)",
			New:  "time.Duration(pieces) * unknown",
			Want: "FAIL: TestRebalancingGoesByTime",
			Run:  "^TestRebalancingGoesByTime$",
		},
		{
			Name: "the interval never becomes shorter",
			In:   "rebalance.adapt",
			Old:  "interval /= 2",
			New:  "interval += 0",
			Want: "with changing loads",
			Run:  "^TestIntervalAdapts$",
		},
		{
			Name: "the interval never becomes longer",
			In:   "rebalance.adapt",
			Old:  "interval / 2",
			New:  "0",
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
			In:   "Scheduler.anywhere",
			Old:  "to.bond == queues.Free || to.bond != queues.Pinned && (p == Critical || to.w.hold.Load() != holdFree)",
			New:  "true",
			Want: "the pinned job has run",
			Run:  "^TestPinnedWorkWaitsForItsWorker$",
		},
		{
			Name: "preferred work is stolen from whoever keeps up",
			In:   "Worker.overloaded",
			Old: `if w.queues.Inbox.Preferred() <= keepPreferred {
	return false
}`,
			New:  "",
			Want: "was stolen though",
			Run:  "^TestPreferredWorkIsNotStolenFromAWorkerThatKeepsUp$",
		},
		{
			Name: "preferred work is stolen by the busy",
			In:   "Worker.overloaded",
			Old:  "w.queues.Pieces()*(len(workers)-1) > overloadFactor*others",
			New:  "others >= 0",
			Want: "an equally loaded worker",
			Run:  "^TestPreferredWorkIsNotStolenByTheBusy$",
		},
		{
			Name: "an overloaded worker keeps what prefers it",
			In:   "Worker.relieve",
			Old:  "victim == w || w.tier < Low || !victim.overloaded()",
			New:  "victim == w || w.tier <= Low",
			Want: "of an overloaded worker",
			Run:  "^TestPreferredWorkIsNotStolenFromAWorkerThatKeepsUp$",
		},
		{
			Name: "a held worker keeps what prefers it",
			In:   "monitor.look",
			Old: `if now-tookAt >= m.s.cfg.BlockedAfter {
	m.s.spill(w)
}`,
			New: `if now-tookAt >= m.s.cfg.BlockedAfter {

}`,
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
		In:   "Worker.pin",
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
			In:   "monitor.look",
			Old:  "!m.s.helpless(w.park.Tier())",
			New:  "true",
			Want: "spares were wanted for the work that waits",
			Run:  "^TestHeldWorkIsReplacedOnceOthersWait$",
		},
		{
			Name: "there is no limit to spare workers",
			In:   "monitor.replace",
			Old:  "last < 0 && m.spent()",
			New:  "m.spares < 0",
			Want: "FAIL: TestLimit",
			Run:  "^TestLimitIsReportedOncePerBlock$",
		},
		{
			Name: "urgent workers run what is only old",
			In:   "Worker.next",
			Old:  "!n.isCritical(p)",
			New:  "n == nil",
			Want: "it was to wait for a spare",
			Run:  "^TestOldWorkLeavesUrgentWorkersAlone$",
		},
		{
			Name: "the limit is hidden",
			In:   "monitor.refuse",
			Old:  "m.limitReached.Add(1)",
			New:  "",
			Want: "FAIL: TestLimit",
			Run:  "^TestLimitIsReportedOncePerBlock$",
		},
		{
			Name: "what holds a worker has no name",
			In:   "Worker.held",
			Old:  "h.Job, h.Work = n.describe()",
			New:  `h.Job, h.Work = nil, ""`,
			Want: "nobody is named",
			Run:  "^TestHeldRunnersAreNamed$",
		},
		{
			Name: "what holds a worker has no stack",
			In:   "Scheduler.HeldStacks",
			Old:  "dump.of(all[i].Goroutine)",
			New:  "dump.of(all[i].Goroutine + 1<<40)",
			Want: "does not lead to its work",
			Run:  "^TestHeldRunnersAreNamed$",
		},
		{
			Name: "a job's time is up at once",
			In:   "Job.isLate",
			Old:  "now-word.Started() >= timeout",
			New:  "now >= word.Started()",
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
			In:   "Worker.search",
			Old:  "w.activity.turnTo(WorkerStealing)",
			New:  "",
			Want: "has searched in vain is",
			Run:  "^TestWorkerThatSearchesIsStealing$",
		},
		{
			Name: "a preemption does not show",
			In:   "activity.preempt",
			Old:  "a.turnTo(WorkerPreempting)",
			New:  "",
			Want: "want working, preempting",
			Run:  "^TestWorkerThatRunsCriticalWorkIsPreempting$",
		},
		{
			Name: "a departure does not show",
			In:   "Worker.leave",
			Old:  "w.activity.turnTo(WorkerShutDown)",
			New:  "",
			Want: "a worker that has left is",
			Run:  "^TestWorkerIsDrainingThenShutDown$",
		},
		{
			Name: "steals are not counted",
			In:   "Worker.stealNode",
			Old:  "w.count.Stolen++",
			New:  "",
			Want: "are counted as",
			Run:  "^TestStealsAreCounted$",
		},
		{
			Name: "searches in vain are not counted",
			Dir:  "stealing",
			In:   "Policy.Searched",
			Old: `p.window.fruitless++
p.count.Fruitless++`,
			New:  "p.window.fruitless++",
			Want: "a search in vain is counted as",
			Run:  "^TestStealsAreCounted$",
		},
		{
			Name: "jobs are not counted",
			Dir:  "counters",
			In:   "Published.Publish",
			Old:  "Copy(&p.Jobs, c.Jobs)",
			Nth:  1,
			New:  "",
			Want: "FAIL: TestStatsAddUp",
			Run:  "^TestStatsAddUp$",
		},
		{
			Name: "a budget passes no checkpoints",
			In:   "Budget.Spend",
			Old:  "b.left < 0",
			New:  "b.left < math.MinInt/2",
			Want: "equals ran after",
			Run:  "^TestTightLoopStarvesNobody$",
		},
	},
}

// poolFaults are of the fibers that are kept for later.
var poolFaults = planted.Group{
	Run: "^TestFibers(AreUsedAgain|EndWithTheScheduler)$",
	Faults: []planted.Fault{
		{
			Name: "fibers of other workers are not taken",
			Dir:  "fiberpool",
			In:   "Own.Take",
			Old:  "o.shared.Len() > 0",
			New:  "o.shared.Len() < 0",
			Want: "they are not used again",
			Run:  "^TestFibersAreUsedAgain$",
		},
		{
			Name: "fibers are not shared",
			Dir:  "fiberpool",
			In:   "Own.makeRoom",
			Old:  "o.bound || !o.shared.put(o.fibers[:batch])",
			New:  "len(o.fibers) > 0 || !o.shared.put(o.fibers[:batch])",
			Want: "they are not kept",
			Run:  "^TestFibersAreUsedAgain$",
		},
		{
			Name: "fibers that are not needed are kept",
			Dir:  "fiberpool",
			In:   "Shared.unneeded",
			Old:  "min(s.excess, endsPerReview)",
			New:  "min(s.excess, 0)",
			Want: "are left a minute later",
			Run:  "^TestFibersAreUsedAgain$",
		},
		{
			Name: "the monitor sleeps while fibers are to be ended",
			In:   "monitor.run",
			Old: `if idle >= monitorIdle && m.s.pool.Len() == 0 {
	m.sleep()
	pause, idle = time.Millisecond, 0
}`,
			New: `if idle >= monitorIdle {
	m.sleep()
	pause, idle = time.Millisecond, 0
}`,
			Want: "are left a minute later",
			Run:  "^TestFibersAreUsedAgain$",
		},
		{
			Name: "shared fibers outlive the scheduler",
			Dir:  "fiberpool",
			In:   "Shared.Close",
			Old: `for _, f := range fibers {
	s.end(f)
}`,
			New:  "_ = fibers",
			Want: "FAIL: TestFibersEndWithTheScheduler",
			Run:  "^TestFibersEndWithTheScheduler$",
		},
	},
}
