//go:build !modelcheck && !race && !invariants

package actor_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestReentrancyFindsPlantedFaults shows that the tests of reentrancy see what they
// are there to see.
func TestReentrancyFindsPlantedFaults(t *testing.T) { planted.Expect(t, "", turnFaults) }

var turnFaults = planted.Group{
	Run: "^Test(ReentrancyOfACallBack|TurnsAreFirstComeFirstServed|CallChainKeepsOthersOut|StopWaitsForSuspendedHandlers" +
		"|FailureOfOneOfSeveralHandlers|RingThroughAReentrantActor|ReentrantActorsUnderSimulation)$",
	Faults: []planted.Fault{
		{
			Name: "the turn is not given up",
			File: "turn.go",
			Old:  "	if p.transitionFromRunning(a.f, a.todo, a.term, false) {\n		return\n	}\n",
			New:  "	return\n",
			Want: "somebody waits still",
			Run:  "^TestReentrantActorsUnderSimulation$",
		},
		{
			Name: "the last who came back goes first",
			File: "turn.go",
			Old:  "	t.queue = slices.Delete(t.queue, 0, 1)\n	if len(t.queue) == 0 {",
			New:  "	e, t.queue = t.queue[len(t.queue)-1], t.queue[:len(t.queue)-1]\n	if len(t.queue) == 0 {",
			Want: "the order is",
			Run:  "^TestTurnsAreFirstComeFirstServed$",
		},
		{
			Name: "a message of the call chain is not let in",
			File: "chain.go",
			Old:  "	return asked.slot != nil && p.hasRoomLocked() && p.inChain(asked)\n",
			New:  "	return false\n",
			Want: "a ring of actors",
			Run:  "^TestReentrancyOfACallBack$",
		},
		{
			Name: "a message that is not of the call chain is handled",
			File: "turn.go",
			Old:  "	return p.reentrancy == CallChainReentrancy && n > 0 || n >= p.opts.maxSuspended\n",
			New:  "	return n >= p.opts.maxSuspended\n",
			Want: "the order is",
			Run:  "^TestCallChainKeepsOthersOut$",
		},
		{
			Name: "the end does not wait for handlers",
			File: "turn.go",
			Old:  "	return a.reentrancy != NoReentrancy && a.suspended() > 0\n",
			New:  "	return false\n",
			Want: "deadlock",
			Run:  "^TestReentrantActorsUnderSimulation$",
		},
		{
			Name: "nobody goes on with the end",
			File: "turn.go",
			Old:  "	if due {\n",
			New:  "	if due && a.barred {\n",
			Want: "deadlock",
			Run:  "^TestReentrantActorsUnderSimulation$",
		},
		{
			Name: "a handler is not known by what it was asked",
			File: "ring.go",
			Old:  "	return e.kind == AskWait && e.wait != nil && n.up == address{e.wait, e.round}\n",
			New:  "	return false\n",
			Want: "FAIL",
			Run:  "^TestRingThroughAReentrantActor$",
		},
	},
}
