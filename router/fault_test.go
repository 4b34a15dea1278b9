//go:build !race && !invariants

package router_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that none of what routers, elastic pools and
// work pools promise can be lost unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", routerFaults, elasticFaults, poolFaults, poolSpecFaults)
}

var routerFaults = planted.Group{
	Run: "^Test(RoundRobin|SmallestMailbox|BoundedHash|ConsistentHash|AddAndRemove|Shares)",
	Faults: []planted.Fault{
		{
			Name: "the turn is that of one",
			In:   "core.choose",
			Old:  "int((c.turn.Add(1) - 1) % n)",
			New:  "0",
			Want: "FAIL: TestRoundRobin",
			Run:  "^TestRoundRobin$",
		},
		{
			Name: "a bound is none",
			In:   "core.bounded",
			Old:  "total > enough",
			New:  "total >= 0",
			Want: "FAIL: TestBoundedHash",
			Run:  "^TestBoundedHash$",
		},
		{
			Name: "a look serves for ever",
			In:   "look.planned",
			Old: `if left >= lookMost { // Also if that is below zero.
	return 0, false
}`,
			New: `if left &= lookMost - 1; l.until.Load() == 0 { // Also if that is below zero.
	return 0, false
}`,
			Want: "FAIL: TestSmallestMailboxReusesALook",
			Run:  "^TestSmallestMailboxReusesALook$",
		},
		{
			Name: "a look serves for one",
			In:   "look.serves",
			Old:  "turn < l.until.Load()",
			New:  "turn > l.until.Load()+1<<62",
			Want: "FAIL: TestBoundedHashReusesALook",
			Run:  "^TestBoundedHashReusesALook$",
		},
		{
			Name: "a look serves also where backlogs are short",
			In:   "lasts",
			Old:  "backlog < lookFrom",
			New:  "backlog < 2",
			Want: "FAIL: TestSmallestMailboxReusesALook",
			Run:  "^TestSmallestMailboxReusesALook$",
		},
		{
			Name: "a look serves for half of what there is, however much",
			In:   "lasts",
			Old:  "min(backlog/lookPart, lookMost)",
			New:  "backlog / lookPart",
			Want: "FAIL: TestBoundedHashReusesALook",
			Run:  "^TestBoundedHashReusesALook$",
		},
		{
			Name: "what was sent since is not counted by routee",
			In:   "look.keepPlan",
			Old: `routee := least & (1<<planBits - 1)
l.seen[routee] += 1 << planBits`,
			New:  "routee := least & (1<<planBits - 1)",
			Want: "FAIL: TestSmallestMailboxCountsItsOwn",
			Run:  "^TestSmallestMailboxCountsItsOwn$",
		},
		{
			Name: "all who send at once get the same routee",
			In:   "look.planned",
			Old:  "l.plan[left/plansInWord].Load() >> (left % plansInWord * planBits) & (1<<planBits - 1)",
			New:  "l.plan[left/plansInWord].Load() & (1<<planBits - 1)",
			Want: "FAIL: TestManySendersAndStuckRoutees",
			Run:  "^TestManySendersAndStuckRoutees$",
			Hang: true,
		},
		{
			Name: "an interrupted look serves when it ends",
			In:   "look.keep",
			Old:  "uint64(lasts(backlog))",
			New:  "80 + uint64(lasts(backlog))",
			Want: "FAIL: TestInterruptedLook",
			Run:  "^TestInterruptedLook$",
		},
		{
			Name: "an interrupted look at all serves when it ends",
			In:   "look.keep",
			Old:  "uint64(lasts(backlog))",
			New:  "80 + uint64(lasts(backlog))",
			Want: "FAIL: TestInterruptedLookAtAll",
			Run:  "^TestInterruptedLookAtAll$",
			Hang: true,
		},
		{
			Name: "nobody is routed while one looks",
			In:   "core.smallest",
			Old: `i, _ := t.smallest(turn, nil)
return i`,
			New:  "return 0",
			Want: "FAIL: TestInterruptedLook",
			Run:  "^TestInterruptedLook$",
		},
		{
			Name: "what was sent since is not counted in all",
			In:   "look.total",
			Old:  "int64(turn)",
			New:  "int64(l.until.Load()) - 1 - lookMost",
			Want: "FAIL: TestBoundedHashCountsItsOwn",
			Run:  "^TestBoundedHashCountsItsOwn$",
		},
		{
			Name: "nobody looks again",
			In:   "core.bounded",
			Old:  "i < 0 && served",
			New:  "false",
			Want: "FAIL: TestBoundedHashLooksAgain",
			Run:  "^TestBoundedHashLooksAgain$",
		},
		{
			Name: "a key goes to whoever is next",
			In:   "core.choose",
			Old:  "t.ring().owner(hash)",
			New:  "int(c.turn.Add(1)+hash) % len(t.refs)",
			Want: "FAIL: TestConsistentHash",
			Run:  "^TestConsistentHash$",
		},
		{
			Name: "who leaves takes the next along",
			In:   "core.drop",
			Old:  "slices.Delete(slices.Clone(t.refs), i, i+1)",
			New:  "slices.Delete(slices.Clone(t.refs), i, min(i+2, len(t.refs)))",
			Want: "FAIL: TestAddAndRemove",
			Run:  "^TestAddAndRemove$",
		},
		{
			Name: "all points are those of one",
			In:   "newRing",
			Old:  "h = mix(h)",
			New:  "",
			Want: "FAIL: TestSharesAreBounded",
			Run:  "^TestSharesAreBounded$",
		},
	},
}

var elasticFaults = planted.Group{
	Run: "^Test(Decide|Elastic)",
	Faults: []planted.Fault{
		{
			Name: "there are fewer than the minimum",
			In:   "ElasticConfig.decide",
			Old:  "max(s.Members-c.StepDown, c.Min)",
			New:  "s.Members - c.StepDown",
			Want: "FAIL: TestDecide",
			Run:  "^TestDecide$",
		},
		{
			Name: "there are more than the maximum",
			In:   "ElasticConfig.decide",
			Old:  "min(c.StepUp, max(0, c.Max-s.Members))",
			New:  "c.StepUp",
			Want: "FAIL: TestDecide",
			Run:  "^TestDecide$",
		},
		{
			Name: "it grows at the threshold",
			In:   "ElasticConfig.decide",
			Old:  "s.Backlog > c.UpBacklog",
			New:  "s.Backlog >= c.UpBacklog",
			Nth:  1,
			Want: "FAIL: TestDecide",
			Run:  "^TestDecide$",
		},
		{
			Name: "there is no cool-down",
			In:   "ElasticConfig.decide",
			Old:  "c.Cooldown > 0 && !changed.IsZero()",
			New:  "c.Cooldown < 0 && !changed.IsZero()",
			Want: "FAIL: TestDecide",
			Run:  "^TestDecide$",
		},
		{
			Name: "who leaves stops at once",
			In:   "chief.shrink",
			Old:  "ref.Drain(ctx)",
			New:  "ref.Stop(ctx)",
			Want: "FAIL: TestElasticShrinksWithoutLoss",
			Run:  "^TestElasticShrinksWithoutLoss$",
		},
		{
			Name: "the oldest of equals leaves",
			In:   "chief.shrink",
			Old:  "b <= least",
			New:  "b < least",
			Want: "FAIL: TestElasticShrinksWithoutLoss",
			Run:  "^TestElasticShrinksWithoutLoss$",
		},
		{
			Name: "a drain forgets those that leave",
			In:   "Elastic.Drain",
			Old:  "refs = append(refs, e.leaving...)",
			New:  "",
			Want: "FAIL: TestElasticDrainsThoseThatLeave",
			Run:  "^TestElasticDrainsThoseThatLeave$",
		},
		{
			Name: "it grows while it drains",
			In:   "chief.look",
			Old: `if k.e.router.closed() {
	return nil // Drain has begun.
}`,
			New:  "",
			Want: "FAIL: TestElasticDrainsThoseThatLeave",
			Run:  "^TestElasticDrainsThoseThatLeave$",
		},
		{
			Name: "a standstill lasts for ever",
			In:   "chief.sample",
			Old: `k.stalled = 0
s.Latency = latency(backlog, handled, since)`,
			New:  "s.Latency = latency(backlog, handled, since)",
			Want: "FAIL: TestElasticStandstillEnds",
			Run:  "^TestElasticStandstillEnds$",
		},
	},
}

var poolFaults = planted.Group{
	Run: "^Test(Pool|Map)",
	Faults: []planted.Fault{
		{
			Name: "two tasks of one key at once",
			In:   "pool.accept",
			Old: `if chain, busy := c.keys[w.key]; busy {
	if chain == nil {
		chain = &queue[J, R]{}
		c.keys[w.key] = chain
	}
	w.stage = behind
	chain.push(w)
	return
}`,
			New: `if chain, busy := c.keys[w.key]; busy && chain != nil {
	if chain == nil {
		chain = &queue[J, R]{}
		c.keys[w.key] = chain
	}
	w.stage = behind
	chain.push(w)
	return
}`,
			Want: "FAIL: TestPoolKeys",
			Run:  "^TestPoolKeys$",
		},
		{
			Name: "what is less urgent is first",
			In:   "pool.next",
			Old: `for lane := len(c.ready) - 1; lane >= 0; lane-- {
	if w := c.ready[lane].pop(); w != nil {
		c.held[lane]--
		w.stage, w.place = started, true
		c.running++
		c.busy.push(w)
		return w
	}
}`,
			New: `for lane := range c.ready {
	if w := c.ready[lane].pop(); w != nil {
		c.held[lane]--
		w.stage, w.place = started, true
		c.running++
		c.busy.push(w)
		return w
	}
}`,
			Want: "FAIL: TestPoolRef",
			Run:  "^TestPoolRef$",
		},
		{
			Name: "a drain takes tasks on",
			In:   "pool.submit",
			Old:  "c.closed || c.draining && !front && w.above == nil",
			New:  "c.closed",
			Want: "FAIL: TestPoolStopWaits",
			Run:  "^TestPoolStopWaits$",
		},
		{
			Name: "a drain refuses what its tasks need",
			In:   "pool.submit",
			Old:  "c.draining && !front && w.above == nil",
			New:  "c.draining && !front",
			Want: "FAIL: TestPoolStopWaits",
			Run:  "^TestPoolStopWaits$",
		},
		{
			Name: "a stop does not wait",
			In:   "pool.quiet",
			Old:  "!over || c.left > 0",
			New:  "!over",
			Want: "FAIL: TestPoolStopWaits",
			Run:  "^TestPoolStopWaits$",
		},
		{
			Name: "a stop forgets what waits for a key",
			In:   "pool.dropOne",
			Old:  "chain.pop()",
			New:  "(*work[J, R])(nil)",
			Want: "FAIL: TestPoolStopDropsWhatWaitsForAKey",
			Run:  "^TestPoolStopDropsWhatWaitsForAKey$",
		},
		{
			Name: "a place is not taken back",
			In:   "pool.takePlace",
			Old: `w.place = true
c.running++`,
			New:  "",
			Want: "FAIL: TestPoolTakesPlacesBack",
			Run:  "^TestPoolTakesPlacesBack$",
		},
		{
			Name: "a key of nobody who waits is a cycle",
			In:   "pool.newWork",
			Old: `if !a.asked {
	break // Nobody waits for that one.
}`,
			New:  "",
			Want: "FAIL: TestPoolKeyOfASentTask",
			Run:  "^TestPoolKeyOfASentTask$",
		},
		{
			Name: "what is not needed stays",
			In:   "Pool.each",
			Old:  "c.giveUp(inner, w)",
			New:  "_ = w",
			Want: "FAIL: TestMapBreakTakesBack",
			Run:  "^TestMapBreakTakesBack$",
		},
		{
			Name: "a panic is nobody's",
			In:   "pool.await",
			Old:  "return w.value, w.err",
			New:  "return w.value, nil",
			Want: "FAIL: TestPoolFailures",
			Run:  "^TestPoolFailures$",
		},
	},
}

var poolSpecFaults = planted.Group{
	Run: "^TestPool(Member|Spec)",
	Faults: []planted.Fault{
		{
			Name: "a kill is known to the next incarnation alone",
			In:   "guardedFront.guard",
			Old:  "f.c.cutShort(context.Cause(ctx))",
			New:  "_ = ctx",
			Want: "FAIL: TestPoolMemberStoppedByTimeout",
			Run:  "^TestPoolMemberStoppedByTimeout$",
		},
		{
			Name: "a stop does not wait for the tasks of a member",
			In:   "childFront.Stopped",
			Old:  "!f.c.awaitQuiet(ctx)",
			New:  "ctx.Err() != nil",
			Want: "FAIL: TestPoolMemberOrder",
			Run:  "^TestPoolMemberOrder$",
		},
		{
			Name: "a spec starts two children at a time",
			In:   "home.open",
			Old:  "last.s != nil && last.front.PID() != ctx.PID()",
			New:  "last.s != nil && last.front.PID() != last.front.PID()",
			Want: "FAIL: TestPoolSpecTwice",
			Run:  "^TestPoolSpecTwice$",
		},
		{
			Name: "askers wait for tasks that a kill has left",
			In:   "pool.cutShort",
			Old:  "c.abandon(cause)",
			New:  "_ = cause",
			Want: "FAIL: TestPoolMemberKilledBesideATask",
			Run:  "^TestPoolMemberKilledBesideATask$",
		},
	},
}
