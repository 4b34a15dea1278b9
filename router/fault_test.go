//go:build !race && !invariants

package router_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that none of what routers, elastic pools and
// work pools promise can be lost unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", routerFaults, elasticFaults, poolFaults)
}

var routerFaults = planted.Group{
	Run: "^Test(RoundRobin|SmallestMailbox|BoundedHash|ConsistentHash|AddAndRemove|Shares)",
	Faults: []planted.Fault{
		{
			Name: "the turn is that of one",
			File: "route.go",
			Old:  "return int((c.turn.Add(1) - 1) % n), nil",
			New:  "return 0, nil",
			Want: "FAIL: TestRoundRobin",
			Run:  "^TestRoundRobin$",
		},
		{
			Name: "a bound is none",
			File: "bound.go",
			Old:  "	if total > enough {\n		return owner\n	}\n",
			New:  "	if total >= 0 {\n		return owner\n	}\n",
			Want: "FAIL: TestBoundedHash",
			Run:  "^TestBoundedHash$",
		},
		{
			Name: "a look serves for ever",
			File: "look.go",
			Old:  "if left >= lookMost {",
			New:  "if left &= lookMost - 1; l.until.Load() == 0 {",
			Want: "FAIL: TestSmallestMailboxLooks",
			Run:  "^TestSmallestMailboxLooks$",
		},
		{
			Name: "a look serves for one",
			File: "look.go",
			Old:  "turn < l.until.Load()",
			New:  "turn > l.until.Load()+1<<62",
			Want: "FAIL: TestBoundedHashLooks",
			Run:  "^TestBoundedHashLooks$",
		},
		{
			Name: "a look serves also where backlogs are short",
			File: "look.go",
			Old:  "if backlog < lookFrom {",
			New:  "if backlog < 2 {",
			Want: "FAIL: TestSmallestMailboxLooks",
			Run:  "^TestSmallestMailboxLooks$",
		},
		{
			Name: "a look serves for half of what there is, however much",
			File: "look.go",
			Old:  "min(backlog/lookPart, lookMost)",
			New:  "backlog / lookPart",
			Want: "FAIL: TestBoundedHashLooks",
			Run:  "^TestBoundedHashLooks$",
		},
		{
			Name: "what was sent since is not counted by routee",
			File: "look.go",
			Old:  "		l.seen[routee] += 1 << planBits\n		words",
			New:  "		words",
			Want: "FAIL: TestSmallestMailboxCountsItsOwn",
			Run:  "^TestSmallestMailboxCountsItsOwn$",
		},
		{
			Name: "all who send at once get the same routee",
			File: "look.go",
			Old:  ">> (left % plansInWord * planBits) & (1<<planBits - 1)",
			New:  "& (1<<planBits - 1)",
			Want: "FAIL: TestManySendersAndStuckRoutees",
			Run:  "^TestManySendersAndStuckRoutees$",
		},
		{
			Name: "an interrupted look serves when it ends",
			File: "look.go",
			Old:  "l.until.Store(turn + 1 + uint64(lasts(backlog)))",
			New:  "l.until.Store(turn + 1 + 80 + uint64(lasts(backlog)))",
			Want: "FAIL: TestInterruptedLook",
			Run:  "^TestInterruptedLook$",
		},
		{
			Name: "an interrupted look at all serves when it ends",
			File: "look.go",
			Old:  "l.until.Store(turn + 1 + uint64(lasts(backlog)))",
			New:  "l.until.Store(turn + 1 + 80 + uint64(lasts(backlog)))",
			Want: "FAIL: TestInterruptedLookAtAll",
			Run:  "^TestInterruptedLookAtAll$",
		},
		{
			Name: "nobody is routed while one looks",
			File: "look.go",
			Old:  "	if !t.look.mu.TryLock() {\n		i, _ := t.smallest(turn, nil)\n		return i\n	}\n",
			New:  "	if !t.look.mu.TryLock() {\n		return 0\n	}\n",
			Want: "FAIL: TestInterruptedLook",
			Run:  "^TestInterruptedLook$",
		},
		{
			Name: "what was sent since is not counted in all",
			File: "look.go",
			Old:  "l.others.Load() + int64(turn)",
			New:  "l.others.Load() + int64(l.until.Load()) - 1 - lookMost",
			Want: "FAIL: TestBoundedHashCountsItsOwn",
			Run:  "^TestBoundedHashCountsItsOwn$",
		},
		{
			Name: "nobody looks again",
			File: "bound.go",
			Old:  "i < 0 && served",
			New:  "false",
			Want: "FAIL: TestBoundedHashLooksAgain",
			Run:  "^TestBoundedHashLooksAgain$",
		},
		{
			Name: "a key goes to whoever is next",
			File: "route.go",
			Old:  "i := t.ring().owner(hash)",
			New:  "i := int(c.turn.Add(1)+hash) % len(t.refs)",
			Want: "FAIL: TestConsistentHash",
			Run:  "^TestConsistentHash$",
		},
		{
			Name: "who leaves takes the next along",
			File: "members.go",
			Old:  "slices.Delete(slices.Clone(t.refs), i, i+1)",
			New:  "slices.Delete(slices.Clone(t.refs), i, min(i+2, len(t.refs)))",
			Want: "FAIL: TestAddAndRemove",
			Run:  "^TestAddAndRemove$",
		},
		{
			Name: "all points are those of one",
			File: "ring.go",
			Old:  "			h = mix(h)\n",
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
			File: "scaling.go",
			Old:  "down := max(s.Members-c.StepDown, c.Min)",
			New:  "down := s.Members - c.StepDown",
			Want: "FAIL: TestDecide",
			Run:  "^TestDecide$",
		},
		{
			Name: "there are more than the maximum",
			File: "scaling.go",
			Old:  "up := s.Members + min(c.StepUp, max(0, c.Max-s.Members))",
			New:  "up := s.Members + c.StepUp",
			Want: "FAIL: TestDecide",
			Run:  "^TestDecide$",
		},
		{
			Name: "it grows at the threshold",
			File: "scaling.go",
			Old:  "s.Backlog > c.UpBacklog",
			New:  "s.Backlog >= c.UpBacklog",
			Want: "FAIL: TestDecide",
			Run:  "^TestDecide$",
		},
		{
			Name: "there is no cool-down",
			File: "scaling.go",
			Old:  "c.Cooldown > 0 && ",
			New:  "c.Cooldown < 0 && ",
			Want: "FAIL: TestDecide",
			Run:  "^TestDecide$",
		},
		{
			Name: "who leaves stops at once",
			File: "chief.go",
			Old:  "return ref.Drain(ctx) }",
			New:  "return ref.Stop(ctx) }",
			Want: "FAIL: TestElasticShrinksWithoutLoss",
			Run:  "^TestElasticShrinksWithoutLoss$",
		},
		{
			Name: "the oldest of equals leaves",
			File: "chief.go",
			Old:  "b <= least {",
			New:  "b < least {",
			Want: "FAIL: TestElasticShrinksWithoutLoss",
			Run:  "^TestElasticShrinksWithoutLoss$",
		},
		{
			Name: "a drain forgets those that leave",
			File: "elastic.go",
			Old:  "	refs = append(refs, e.leaving...)\n",
			New:  "",
			Want: "FAIL: TestElasticDrainsThoseThatLeave",
			Run:  "^TestElasticDrainsThoseThatLeave$",
		},
		{
			Name: "it grows while it drains",
			File: "chief.go",
			Old:  "	if k.e.router.closed() {\n		return nil // Drain has begun.\n	}\n",
			New:  "",
			Want: "FAIL: TestElasticDrainsThoseThatLeave",
			Run:  "^TestElasticDrainsThoseThatLeave$",
		},
		{
			Name: "a standstill lasts for ever",
			File: "chief.go",
			Old:  "	default:\n		k.stalled = 0\n",
			New:  "	default:\n",
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
			File: "dispatch.go",
			Old:  "if chain, busy := c.keys[w.key]; busy {",
			New:  "if chain, busy := c.keys[w.key]; busy && chain != nil {",
			Want: "FAIL: TestPoolKeys",
			Run:  "^TestPoolKeys$",
		},
		{
			Name: "what is less urgent is first",
			File: "dispatch.go",
			Old:  "for lane := len(c.ready) - 1; lane >= 0; lane-- {",
			New:  "for lane := range c.ready {",
			Want: "FAIL: TestPoolRef",
			Run:  "^TestPoolRef$",
		},
		{
			Name: "a drain takes tasks on",
			File: "dispatch.go",
			Old:  "c.closed || c.draining && !front && w.above == nil",
			New:  "c.closed",
			Want: "FAIL: TestPoolStopWaits",
			Run:  "^TestPoolStopWaits$",
		},
		{
			Name: "a drain refuses what its tasks need",
			File: "dispatch.go",
			Old:  "c.draining && !front && w.above == nil",
			New:  "c.draining && !front",
			Want: "FAIL: TestPoolStopWaits",
			Run:  "^TestPoolStopWaits$",
		},
		{
			Name: "a stop does not wait",
			File: "poolstop.go",
			Old:  "!over || c.left > 0",
			New:  "!over",
			Want: "FAIL: TestPoolStopWaits",
			Run:  "^TestPoolStopWaits$",
		},
		{
			Name: "a stop forgets what waits for a key",
			File: "poolstop.go",
			Old:  "		if next := chain.pop(); next != nil {",
			New:  "		if next := (*work[J, R])(nil); next != nil {",
			Want: "FAIL: TestPoolStopDropsWhatWaitsForAKey",
			Run:  "^TestPoolStopDropsWhatWaitsForAKey$",
		},
		{
			Name: "a place is not taken back",
			File: "pool.go",
			Old:  "		w.place = true\n		c.running++\n",
			New:  "",
			Want: "FAIL: TestPoolTakesPlacesBack",
			Run:  "^TestPoolTakesPlacesBack$",
		},
		{
			Name: "a key of nobody who waits is a cycle",
			File: "work.go",
			Old:  "		if !a.asked {\n			break // Nobody waits for that one.\n		}\n",
			New:  "",
			Want: "FAIL: TestPoolKeyOfASentTask",
			Run:  "^TestPoolKeyOfASentTask$",
		},
		{
			Name: "what is not needed stays",
			File: "map.go",
			Old:  "			p.core.giveUp(inner, w)\n",
			New:  "			_ = w\n",
			Want: "FAIL: TestMapBreakTakesBack",
			Run:  "^TestMapBreakTakesBack$",
		},
		{
			Name: "a panic is nobody's",
			File: "pool.go",
			Old:  "	return w.value, w.err\n",
			New:  "	return w.value, nil\n",
			Want: "FAIL: TestPoolFailures",
			Run:  "^TestPoolFailures$",
		},
	},
}
