//go:build !race && !invariants

package netio_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that the bounds of what connections buffer can't be lost
// unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) { planted.Expect(t, "", memoryFaults) }

var memoryFaults = planted.Group{
	Run: "^(TestBuffer|TestMessageLarger|TestPeersThatNeverReadAreCutOff|TestUnfinished|TestPeerWhoseMessageWaits|TestMessagesThatWait|TestStopOfPaused|TestKilledActorGives)",
	Faults: []planted.Fault{
		{
			Name: "a connection has no limit",
			In:   "ledger.take",
			Old:  "g.held()+n > g.limit && g.messages+g.written > 0",
			New:  "g.over != nil && g.messages+g.written > 0",
			Want: "FAIL",
			Run:  "^TestBufferOfAConnection$",
			Hang: true,
		},
		{
			Name: "a message may have a buffer of any size",
			In:   "ledger.take",
			Old:  "what == &g.buffer && g.held()+n > g.limit",
			New:  "what == nil && g.held()+n > g.limit",
			Want: "FAIL",
			Run:  "^TestMessageLargerThanTheBuffer$",
			Hang: true,
		},
		{
			Name: "a listener has no limit",
			In:   "memory.grant",
			Old:  "len(m.line) == 0 && m.used+n <= m.limit",
			New:  "len(m.line) == 0",
			Want: "FAIL",
			Run:  "^TestBufferOfAListener$",
			Hang: true,
		},
		{
			Name: "what is handled is not given back",
			In:   "ledger.handled",
			Old:  "g.giveBack(&g.messages, min(n, g.messages))",
			New:  "g.giveBack(&g.messages, min(n, 0))",
			Want: "FAIL",
			Run:  "^TestBufferOfAConnection$",
			Hang: true,
		},
		{
			Name: "what is given back wakes nobody",
			In:   "ledger.giveBack",
			Old: `if g.waits {
	g.wake()
}`,
			New:  "",
			Want: "FAIL",
			Run:  "^TestBufferOfAConnection$",
			Hang: true,
		},
		{
			Name: "nobody is cut off",
			In:   "memory.grant",
			Old: `m.watch()
return g.granted`,
			New:  "return g.granted",
			Want: "FAIL",
			Run:  "^TestPeersThatNeverReadAreCutOff$",
			Hang: true,
		},
		{
			Name: "a message that waits for memory is taken for one that does not end",
			In:   "memory.victims",
			Old:  "!g.waits && !g.begun.IsZero() && g.begun.Before(begun)",
			New:  "!g.begun.IsZero() && g.begun.Before(begun)",
			Want: "FAIL",
			Run:  "^TestPeerWhoseMessageWaitsIsNotCutOff$",
			Hang: true,
		},
		{
			Name: "a message that does not end is never cut off",
			In:   "memory.victims",
			Old:  "slowest.s != nil && messages < m.limit/2",
			New:  "false",
			Want: "FAIL",
			Run:  "^TestUnfinishedMessagesAreCutOff$",
			Hang: true,
		},
		{
			Name: "messages wait for each other for ever",
			In:   "memory.serve",
			Old:  "m.returns == 0 || m.used <= m.limit && m.returns < m.limit/2",
			New:  "false",
			Want: "FAIL",
			Run:  "^TestMessagesThatWaitForEachOther$",
			Hang: true,
		},
		{
			Name: "a connection may exceed the limit for ever",
			In:   "memory.forget",
			Old: `m.ahead = nil
m.serve()`,
			New:  "",
			Want: "FAIL",
			Run:  "^TestMessagesThatWaitForEachOther$",
			Hang: true,
		},
		{
			Name: "all connections may exceed the limit",
			In:   "memory.serve",
			Old:  "len(m.line) > 0 && m.ahead == nil",
			New:  "len(m.line) > 0",
			Want: "FAIL",
			Run:  "^TestPeerWhoseMessageWaitsIsNotCutOff$",
			Hang: true,
		},
		{
			Name: "slow actors let the limit be exceeded",
			In:   "memory.serve",
			Old:  "m.returns == 0 || m.used <= m.limit && m.returns < m.limit/2",
			New:  "true",
			Want: "FAIL",
			Run:  "^TestBufferOfAListener$",
			Hang: true,
		},
		{
			Name: "the end gives nothing back",
			In:   "stream.finish",
			Old:  "s.ledger.close()",
			New:  "",
			Nth:  3,
			Want: "FAIL",
			Run:  "^TestKilledActorGivesItsMemoryBack$",
			Hang: true,
		},
	},
}
