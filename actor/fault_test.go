//go:build !modelcheck && !race && !invariants

package actor_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestModelFindsPlantedFaults runs the searches of TestModel, and shows that they
// see what they are there to see.
func TestModelFindsPlantedFaults(t *testing.T) {
	planted.Expect(t, "modelcheck", stateFaults, laneFaults, replyFaults)
}

// TestTestsFindPlantedFaults shows the same of ordinary tests, where no search
// of schedules would reach.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", overflowFaults, withinFaults, orderFaults, choiceFaults, processFaults)
}

var overflowFaults = planted.Group{
	Run: "^(TestBuffers|TestShedByItems|TestShedByBytes|TestLimitSparesWhatIsUrgent|TestLimitOfWaitingSenders|TestBursts|TestInfoOfABatch)$",
	Faults: []planted.Fault{
		{
			Name: "a dropping lane takes what it drops",
			File: "overflow.go",
			Old:  "			v.drop = ErrOverflow\n",
			New:  "",
			Want: "dropped: 0, want 6",
			Run:  "^TestBuffers$",
		},
		{
			Name: "a batch is not interrupted",
			File: "state.go",
			Old:  "	if s&running != 0 && bit != Data.bit() {\n",
			New:  "	if false {\n",
			Want: "a control message waited until",
			Run:  "^TestUrgentMessageInterruptsABatch$",
		},
		{
			Name: "the newest slides away",
			File: "overflow.go",
			Old:  "v.lose(p, which, true, ErrOverflow)",
			New:  "v.lose(p, which, false, ErrOverflow)",
			Want: "want [7 8 9 10]",
			Run:  "^TestBuffers$",
		},
		{
			Name: "what was dropped is no dead letter",
			File: "overflow.go",
			Old:  "	for _, lost := range v.lost {\n",
			New:  "	for _, lost := range v.lost[:0] {\n",
			Want: "dead letters: [], want [1 2 3 4 5 6]",
			Run:  "^TestBuffers$",
		},
		{
			Name: "what was dropped counts as handled",
			File: "overflow.go",
			Old:  "		p.handled-- // It will count as taken.\n",
			New:  "",
			Want: "messages handled: 11, want 5",
			Run:  "^TestBuffers$",
		},
		{
			Name: "what is urgent gives way",
			File: "limit.go",
			Old:  "	for which := Data; which <= than; which++ {\n",
			New:  "	for which := Control; which < numLanes; which-- {\n",
			Want: "FAIL",
			Run:  "^TestShedByItems$",
		},
		{
			Name: "what is less urgent drops what is more",
			File: "limit.go",
			Old:  "	for which := Data; which <= than; which++ {\n",
			New:  "	for which := Data; which <= Control; which++ {\n",
			Want: "FAIL",
			Run:  "^TestLimitSparesWhatIsUrgent$",
		},
		{
			Name: "what was handled still weighs",
			File: "lane.go",
			Old:  "		if l.meter != nil && l.size > 0 {\n			l.meter.drop(true)\n		}\n",
			New:  "",
			Want: "FAIL",
			Run:  "^TestShedByBytes$",
		},
		{
			Name: "senders that waited pass the limit",
			File: "lane.go",
			Old:  "		if l.meter != nil && !l.meter.takes(w.size) {\n",
			New:  "		if false {\n",
			Want: "dead letters: [], want [5]",
			Run:  "^TestLimitOfWaitingSenders$",
		},
		{
			Name: "a burst is as long as the throughput",
			File: "burst.go",
			Old:  "		left := int(b.of[which] - b.spent[which].Load())\n",
			New:  "		left := budget\n",
			Want: "FAIL",
			Run:  "^TestBursts$",
		},
		{
			Name: "what is claimed is left out of a snapshot",
			File: "info.go",
			Old:  "left := l.size - int(l.taken.Load())",
			New:  "left := int(max(0, l.unclaimed.Load()))",
			Want: "messages wait",
			Run:  "^TestInfoOfABatch$",
		},
	},
}

var orderFaults = planted.Group{
	Run: "^TestCausalOrder$",
	Faults: []planted.Fault{
		{
			Name: "senders that waited are let in before what is there",
			File: "buffers.go",
			Old:  "	b.push(*w.message.(*M))\n",
			New:  "	b.in = append(append(b.in[:b.lane.skipped:b.lane.skipped], *w.message.(*M)), b.in[b.lane.skipped:]...)\n",
			Want: "to which it led",
		},
		{
			Name: "what a killed actor had in hand goes last",
			File: "buffers.go",
			Old:  "append(append(fresh.in, b.out[at:]...), b.in[b.lane.skipped:]...)",
			New:  "append(append(fresh.in, b.in[b.lane.skipped:]...), b.out[at:]...)",
			Want: "to which it led",
		},
	},
}

var choiceFaults = planted.Group{
	Run: "^Test(KillIsNotPassedOn|MonitorsAreToldInTheirOrder|TimerOutlivesItsReceiversIncarnation|EndAfterTheLastHandler)$",
	Faults: []planted.Fault{
		{
			Name: "who is killed by a link counts as killed",
			File: "link.go",
			Old:  "		a.fail(&LinkedError{PID: s.exit.PID, Name: s.exit.Name, Reason: s.exit.Reason})\n",
			New:  "		a.fail(s.exit.Reason)\n",
			Want: "was told as killed",
			Run:  "^TestKillIsNotPassedOn$",
		},
		{
			Name: "monitors are told the last one first",
			File: "end.go",
			Old:  "return cmp.Compare(a.monitor.id, b.monitor.id)",
			New:  "return cmp.Compare(b.monitor.id, a.monitor.id)",
			Want: "told were the monitors",
			Run:  "^TestMonitorsAreToldInTheirOrder$",
		},
		{
			Name: "the timers of others end with the incarnation",
			File: "timer.go",
			Old:  "	if t.over || !t.owner.isPresent(t.incarnation) {\n",
			New:  "	if t.over || !t.owner.isPresent(t.incarnation) || t.to.cell.proc.restarts > 0 {\n",
			Want: "it happened: begin, 0, begin",
			Run:  "^TestTimerOutlivesItsReceiversIncarnation$",
		},
		{
			Name: "nobody goes on with the end when the last handler had spent the budget",
			File: "activation.go",
			Old:  "		case phase >= failing:\n			continue // The last",
			New:  "		case phase > stopping:\n			continue // The last",
			Want: "got error <nil>",
			Run:  "^TestEndAfterTheLastHandler$",
		},
	},
}

var processFaults = planted.Group{
	Run: "^Test(AlarmsOfOtherReceives|AlarmsEndWithTheirReceive|ProcessIsToldOfEndsInTheirPlace|ProcessKeepsTheUrgencyOfItsMessage|PumpRingsOncePerBatch)$",
	Faults: []planted.Fault{
		{
			Name: "an alarm ends whatever receive there is",
			File: "body.go",
			Old:  "	case w.timed && !now.Before(b.due):\n",
			New:  "	case w.timed:\n",
			Want: "a receive within",
			Run:  "^TestAlarmsOfOtherReceives$",
		},
		{
			Name: "a receive that is over leaves its alarm",
			File: "body.go",
			Old:  "	case w.limit > 0:\n		b.alarm.Stop()\n",
			New:  "	case w.limit > 0:\n",
			Want: "an alarm is left",
			Run:  "^TestAlarmsEndWithTheirReceive$",
		},
		{
			Name: "a process forgets the urgency of its message",
			File: "body.go",
			Old:  "	if b.lane == Control {\n",
			New:  "	if false {\n",
			Want: "bulk work came before",
			Run:  "^TestProcessKeepsTheUrgencyOfItsMessage$",
		},
		{
			Name: "a trapped exit comes before the messages",
			File: "process.go",
			Old:  "p.proc.exited, p.proc.body.traps = told, told != nil",
			New:  "p.proc.exited, p.proc.body.traps = told, false",
			Want: "received was",
			Run:  "^TestProcessIsToldOfEndsInTheirPlace$",
		},
		{
			Name: "the doorbell does not ring",
			File: "pump.go",
			Old:  "ring := !p.rung && !p.busy",
			New:  "ring := false && !p.rung && !p.busy",
			Want: "the doorbell rang 0 times",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
		{
			Name: "the doorbell rings for each entry",
			File: "pump.go",
			Old:  "ring := !p.rung && !p.busy",
			New:  "ring := !p.busy",
			Want: "the doorbell rang 2 times",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
		{
			Name: "a loop that finds nothing is not rung for again",
			File: "pump.go",
			Old:  "		p.rung = false\n		p.leaveLocked()\n",
			New:  "		p.leaveLocked()\n",
			Want: "the doorbell rang 0 times",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
		{
			Name: "the hint is to sleep though there is more",
			File: "pump.go",
			Old:  "		return ParkWait\n	}\n	return ParkPoll\n",
			New:  "		return ParkWait\n	}\n	return ParkWait\n",
			Want: "want poll",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
	},
}

var withinFaults = planted.Group{
	Run: "^(TestStopWithinInTime|TestStopWithinForcesChildren)$",
	Faults: []planted.Fault{
		{
			Name: "who stops in time is killed too",
			File: "within.go",
			Old:  "	if !over {\n		return err\n	}\n	killed := p.killDown(nil)\n",
			New:  "	_, _ = over, err\n	killed := p.killDown(nil)\n",
			Want: "FAIL",
			Run:  "^TestStopWithinInTime$",
		},
		{
			Name: "those are named that were idle",
			File: "within.go",
			Old:  "	if p.mu.Load()&inCode != 0 {\n",
			New:  "	if p.mu.Load()&inCode == 0 {\n",
			Want: "the error is",
			Run:  "^TestStopWithinForcesChildren$",
		},
	},
}

var stateFaults = planted.Group{
	Run: "^TestModel$/^(state|urgent|held|end)$",
	Faults: []planted.Fault{
		{
			Name: "a lost announcement",
			File: "state.go",
			Old:  "if s&dead != 0 || s&bit != 0 &&",
			New:  "if s&(dead|running) != 0 || s&bit != 0 &&",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "a double run",
			File: "state.go",
			Old:  "ok = s&(running|dead) == 0 &&",
			New:  "ok = s&dead == 0 &&",
			Want: "2 handlers run at once",
			Run:  "^TestModel$/^urgent$",
		},
		{
			Name: "a void entry is taken for a real one",
			File: "state.go",
			Old:  "return todo, s & termBits, fetched, ok",
			New:  "return todo, s & termBits, fetched, true",
			Want: "FAIL",
			Run:  "^TestModel$/^urgent$",
		},
		{
			Name: "a void entry takes the announcements with it",
			File: "state.go",
			Old:  "	next := s &^ entry\n",
			New:  "	next := s &^ entry &^ pendingAny\n",
			Want: "deadlock",
			Run:  "^TestModel$/^urgent$",
		},
		{
			Name: "a torn take of the announcements",
			File: "state.go",
			Old:  "	s := p.mu.lock()\n	if s&termBits != term {\n		p.mu.unlock(s)\n		return 0",
			New:  "	s := p.mu.Load()\n	if s&termBits != term {\n		return 0",
			Want: "deadlock",
			Run:  "^TestModel$/^urgent$",
		},
		{
			Name: "a fetch is taken for newer than it is",
			File: "activation.go",
			Old:  "a.todo, a.fetched = a.todo|news, fetched",
			New:  "a.todo, a.fetched = a.todo|news, fetched || true",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "an activation ends without a last look",
			File: "state.go",
			Old:  "		pending := s&pendingAny | todo\n",
			New:  "		pending := todo\n",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "a torn change from running to idle",
			File: "state.go",
			Old:  "		if !p.mu.CompareAndSwap(s, now) {\n			continue\n		}\n",
			New:  "		p.mu.word.Store(now)\n",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "what is left is not announced again",
			File: "state.go",
			Old:  "now := s&^(running|inCode) | todo",
			New:  "now := s &^ (running | inCode)",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "the doorbell is lost where a batch is split",
			File: "activation.go",
			Old:  "if fresh && l.left() == 0 && !l.admitted",
			New:  "if (fresh || true) && l.left() == 0 && !l.admitted",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "announcements are taken after the swap",
			File: "activation.go",
			Old:  "		a.todo &^= which.bit()\n	}\n}\n\n// refill",
			New:  "		_, _, _ = a.takeAnnounced(a.term, false)\n		a.todo &^= which.bit()\n	}\n}\n\n// refill",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "held is forgotten",
			File: "state.go",
			Old:  "	if s&(held|paused|crowded) != 0 {\n		return pending & (pendingSystem | pendingTurn)\n	}\n",
			New:  "",
			Want: "FAIL",
			Run:  "^TestModel$/^held$",
		},
		{
			Name: "held is never left",
			File: "lifecycle.go",
			Old:  "	a.release()\n",
			New:  "",
			Want: "deadlock",
			Run:  "^TestModel$/^held$",
		},
		{
			Name: "a torn lock of the mailbox",
			File: "latch.go",
			Old:  "	if s&latched == 0 && l.word.CompareAndSwap(s, s|latched) {\n",
			New:  "	if s&latched == 0 {\n		l.word.Store(s | latched)\n",
			Want: "FAIL",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "a send after the close",
			File: "lifecycle.go",
			Old:  "	a.closed, a.barred = true, true\n",
			New:  "	a.barred = true\n",
			Want: "deadlock",
			Run:  "^TestModel$/^end$",
		},
		{
			Name: "a waiter for the end comes too late",
			File: "end.go",
			Old:  "	p.mu.unlock(state | dead)\n",
			New:  "	p.stopped.Store(false)\n	p.mu.unlock(state | dead)\n	defer p.stopped.Store(true)\n",
			Want: "deadlock",
			Run:  "^TestModel$/^end$",
		},
	},
}

var laneFaults = planted.Group{
	Run: "^TestModel$/^full$",
	Faults: []planted.Fault{
		{
			Name: "a sender is not let in",
			File: "activation.go",
			Old:  "	if l.queue.Load() != 0 {\n		a.letIn(l)\n	}\n",
			New:  "",
			Want: "deadlock",
		},
		{
			Name: "what was let in is not looked for",
			File: "activation.go",
			Old:  "l.left() == 0 && !l.admitted &&",
			New:  "l.left() == 0 &&",
			Want: "deadlock",
		},
		{
			Name: "a sender queues up after its last look",
			File: "lane.go",
			Old:  "	l.queue.Store(int32(len(l.waiting) + 1))\n	if !l.crowded() {\n		l.queue.Store(int32(len(l.waiting)))\n		return false\n	}\n",
			New:  "	if !l.crowded() {\n		return false\n	}\n	l.queue.Store(int32(len(l.waiting) + 1))\n",
			Want: "deadlock",
		},
		{
			Name: "the consumer looks for senders before it makes room",
			File: "activation.go",
			Old:  "	l.publish(rest)\n	if l.queue.Load() != 0 {\n",
			New:  "	some := l.queue.Load() != 0\n	l.publish(rest)\n	if some {\n",
			Want: "deadlock",
		},
		{
			Name: "a sender that leaves stays in the queue",
			File: "lane.go",
			Old:  "	l.waiting = slices.DeleteFunc(l.waiting, func(other *sendWaiter) bool { return other == w })\n",
			New:  "	_ = slices.DeleteFunc[[]*sendWaiter]\n",
			Want: "FAIL",
		},
		{
			Name: "a sender leaves though its message is in",
			File: "send.go",
			Old:  "		if done || !goOn {\n",
			New:  "		if !goOn {\n			return context.Cause(ctx)\n		}\n		if done {\n",
			Want: "FAIL",
		},
	},
}

var replyFaults = planted.Group{
	Run: "^TestModel$/^reply$",
	Faults: []planted.Fault{
		{
			Name: "two answers to one ask",
			File: "asking.go",
			Old:  "!s.state.CompareAndSwap(round|slotOpen, round|slotAnswering)",
			New:  "s.state.Load() != round|slotOpen",
			Want: "but accepted were",
			Run:  "^TestModel$/^reply$/^two_answers$",
		},
		{
			Name: "a late reply to a slot that is in use again",
			File: "reply.go",
			Old:  "	if err := s.begin(r.round); err != nil {\n",
			New:  "	r.round = s.state.Load() &^ slotPhase\n	if err := s.begin(r.round); err != nil {\n",
			Want: "but accepted were",
		},
		{
			Name: "the round stays the same",
			File: "asking.go",
			Old:  "round = s.state.Load()&^slotPhase + slotRound",
			New:  "round = s.state.Load() &^ slotPhase",
			Want: "but accepted were",
		},
		{
			Name: "the answer is written before the slot is owned",
			File: "reply.go",
			Old:  "	if err := s.begin(r.round); err != nil {\n",
			New:  "	s.value = v\n	if err := s.begin(r.round); err != nil {\n",
			Want: "but accepted were",
		},
		{
			Name: "the asker is woken before the answer is there",
			File: "asking.go",
			Old:  "	s.state.Store(state)\n	waiter.Wake(f, sched.Normal)\n",
			New:  "	waiter.Wake(f, sched.Normal)\n	s.state.Store(state)\n",
			Want: "deadlock",
		},
		{
			Name: "the asker leaves while it is answered",
			File: "asking.go",
			Old:  "			xatomic.Spin(&s.state, round|slotAnswering) // The answer",
			New:  "			return true // The answer",
			Want: "but accepted were",
			Run:  "^TestModel$/^reply$/^two_answers$",
		},
	},
}
