//go:build !race && !invariants

package session_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that no promise of a session can be broken unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", sessionFaults)
}

var sessionFaults = planted.Group{
	Run: "^TestSchedules$",
	Faults: []planted.Fault{
		{
			Name: "control goes with data",
			In:   "classOf",
			Old:  "l == Control",
			New:  "l > Data",
			Want: "FAIL: TestASlowLinkLetsControlPass",
			Run:  "^TestASlowLinkLetsControlPass$",
			Hang: true,
		},
		{
			Name: "a frame that has come is taken again",
			In:   "Session.take",
			Old:  "f.number < next",
			New:  "f.number+1 < next",
			Want: "FAIL: TestSchedules",
		},
		{
			Name: "a gap is not noticed",
			In:   "Session.take",
			Old:  "f.number > next",
			New:  "f.number > next+1",
			Want: "FAIL: TestSchedules",
		},
		{
			Name: "the resend begins one frame late",
			In:   "outLane.again",
			Old:  "l.sent = l.acked",
			New:  "l.sent = min(l.acked+1, l.last())",
			Want: "FAIL: TestLostFrames",
			Run:  "^TestLostFramesAreSentAgainAndDoubledOnesAreDropped$",
		},
		{
			Name: "nothing is sent again after silence",
			In:   "Session.due",
			Old:  "s.stats.Resent += l.again()",
			New:  "s.stats.Resent += 0",
			Want: "FAIL: TestACutThatHeals",
			Run:  "^TestACutThatHealsHarmsNothing$",
		},
		{
			Name: "a credit is not returned",
			In:   "outbound.taken",
			Old:  "c.messages++",
			New:  "if size != 47 { c.messages++ }",
			Want: "FAIL: TestSchedules",
		},
		{
			Name: "credits that were told are told again",
			In:   "outbound.putReturns",
			Old:  "delete(o.returns, c.key)",
			New:  "c.messages++",
			Want: "FAIL: TestSchedules",
		},
		{
			Name: "a frame is acknowledged before it is delivered",
			In:   "Session.take",
			Old:  "s.fragments(l, f.lane, f.body)",
			New:  "func() error { l.received.Store(next); return s.fragments(l, f.lane, f.body) }()",
			Want: "FAIL: TestNothingIsAcknowledged",
			Run:  "^TestNothingIsAcknowledgedBeforeItIsDelivered$",
		},
		{
			Name: "frames of an earlier session are taken",
			In:   "Session.accept",
			Old:  "s.err != nil || s.theirs == 0 || f.epoch != s.theirs || f.theirs != s.epoch",
			New:  "s.err != nil || s.theirs == 0",
			Want: "FAIL: TestSchedules",
		},
		{
			Name: "the answer of a side that begins late is refused",
			In:   "Session.hello",
			Old:  "f.theirs == 0 && f.epoch <= s.floor",
			New:  "f.epoch <= s.floor",
			Want: "FAIL: TestSchedules",
		},
		{
			Name: "what was not acknowledged is not handed back",
			In:   "outLane.unconfirmed",
			Old:  "all, whole = append(all, whole), nil",
			New:  "all, whole = append(all[:0], whole), nil",
			Want: "FAIL: TestSchedules",
		},
		{
			Name: "a message that is not whole on the other side is forgotten",
			In:   "outbound.acknowledge",
			Old:  "!l.frames[i].cut",
			New:  "l.frames[i].body != nil",
			Want: "FAIL: TestSchedules",
		},
		{
			Name: "a frame grows after it was sent",
			In:   "outbound.put",
			Old:  "l.last() > l.top",
			New:  "l.last() > 0",
			Want: "FAIL: TestSchedules",
		},
		{
			Name: "a message passes those that wait for its target",
			In:   "Session.deliver",
			Old:  "waiting != nil",
			New:  "waiting != nil && len(waiting.queue) > 2",
			Want: "FAIL: TestSchedules",
		},
		{
			Name: "a call of Ready during a delivery is lost",
			In:   "Session.Ready",
			Old:  "c.ready = true",
			New:  "c.ready = false",
			Nth:  2,
			Want: "FAIL: TestReadyDuringADelivery",
			Run:  "^TestReadyDuringADeliveryIsNotLost$",
		},
		{
			Name: "an Exited does not wait",
			In:   "Session.reached",
			Old:  "return false",
			New:  "return true",
			Want: "FAIL: TestSchedules",
		},
		{
			Name: "the checksum is not compared",
			In:   "readFrame",
			Old:  "crc32.Checksum(data[:end], castagnoli) != binary.BigEndian.Uint32(data[end:])",
			New:  "len(data) < 0",
			Want: "FAIL: TestFramesThatWereDamaged",
			Run:  "^TestFramesThatWereDamagedAreDroppedAndMended$",
		},
		{
			Name: "an acknowledgement of what was never sent is believed",
			In:   "outbound.acknowledge",
			Old:  "n > l.top",
			New:  "n > l.top+1000",
			Want: "FAIL: TestAPeerThatBreaksTheProtocol",
			Run:  "^TestAPeerThatBreaksTheProtocolEndsItsSessionAlone$",
		},
		{
			Name: "a message may be endless",
			In:   "Session.fragments",
			Old:  "len(l.partial)+len(part) > limit",
			New:  "len(part) > limit",
			Want: "FAIL: TestAPeerThatBreaksTheProtocol",
			Run:  "^TestAPeerThatBreaksTheProtocolEndsItsSessionAlone$",
		},
		{
			Name: "a target holds any number of messages",
			In:   "held.keep",
			Old:  "len(waiting.queue) >= cfg.Credits",
			New:  "len(waiting.queue) >= 1000*cfg.Credits",
			Want: "FAIL: TestAPeerThatBreaksTheProtocol",
			Run:  "^TestAPeerThatBreaksTheProtocolEndsItsSessionAlone$",
		},
		{
			Name: "a peer that is silent is waited for",
			In:   "Session.due",
			Old:  "silent >= s.cfg.Unreachable",
			New:  "silent < 0",
			Nth:  1,
			Want: "FAIL: TestAOneWayCut",
			Run:  "^TestAOneWayCutEndsBothSides$",
		},
		{
			Name: "no heartbeat is sent",
			In:   "Session.due",
			Old:  "s.established && now.Sub(s.spoke) >= s.cfg.Heartbeat",
			New:  "s.established && now.Sub(s.spoke) < 0",
			Want: "FAIL: TestAnIdleSession",
			Run:  "^TestAnIdleSessionLives$",
		},
		{
			Name: "a credit is returned before there is room",
			In:   "Session.Ready",
			Old:  "waiting.queue = slices.Delete(waiting.queue, 0, 1)\nwaiting.bytes -= len(data)\nh.mu.Unlock()",
			New:  "h.mu.Unlock()\ns.returnCredit(k, 0)\nfor range 1 << 25 {\ns.refused.Load()\n}\nh.mu.Lock()\nwaiting.queue = slices.Delete(waiting.queue, 0, 1)\nwaiting.bytes -= len(data)\nh.mu.Unlock()",
			Want: "FAIL: TestACreditIsReturned",
			Run:  "^TestACreditIsReturnedWhenThereIsRoom$",
		},
		{
			Name: "credits are not counted for each target",
			In:   "Session.trySend",
			Old:  "k := accountKey{m.Target, m.Lane}",
			New:  "k := accountKey{0, m.Lane}",
			Want: "FAIL: TestATargetThatIsFull",
			Run:  "^TestATargetThatIsFullStopsItsOwnSendersAlone$",
		},
	},
}
