//go:build !modelcheck && !race && !invariants

package actor_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestModelFindsPlantedFaults runs the searches of TestModel, and shows that they
// see what they are there to see.
func TestModelFindsPlantedFaults(t *testing.T) {
	planted.Expect(t, "modelcheck", stateFaults, laneFaults, replyFaults, nameFaults, withdrawFaults, pumpFaults, watchFaults,
		pocketModelFaults, tickModelFaults, turnModelFaults)
}

// TestTestsFindPlantedFaults shows the same of ordinary tests, where no search
// of schedules would reach. All that is planted is built once.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", overflowFaults, orderFaults, lifeFaults, choiceFaults, withinFaults, processFaults,
		suspendFaults, turnFaults, readerFaults, backendFaults, gatherFaults, behaviourFaults, stashFaults, registryFaults,
		vigilFaults, walkFaults, pocketFaults, tickFaults)
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
			New:  "a.todo, a.fetched = a.todo|news, max(fetched, fromLane)",
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
			Old:  "this is not known.\n		a.todo &^= which.bit()\n",
			New:  "this is not known.\n		_, _, _ = a.takeAnnounced(a.term, false)\n		a.todo &^= which.bit()\n",
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
			Old:  "		case done, !goOn:\n",
			New:  "		case !goOn:\n			return context.Cause(ctx)\n		case done:\n",
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
			Old:  "	if err := s.begin(r.round, err); err != nil {\n",
			New:  "	r.round = s.state.Load() &^ slotPhase\n	if err := s.begin(r.round, err); err != nil {\n",
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
			Old:  "	if err := s.begin(r.round, err); err != nil {\n",
			New:  "	s.value = v\n	if err := s.begin(r.round, err); err != nil {\n",
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

var nameFaults = planted.Group{
	Run: "^TestModel$/^name$",
	Faults: []planted.Fault{
		{
			Name: "the name of one that has stopped is taken",
			File: "registry.go",
			Old:  "		if !holder.stopped.Load() {\n",
			New:  "		if true {\n",
			Want: "the name is not free",
		},
		{
			Name: "a name leads to one that has stopped",
			File: "registry.go",
			Old:  "	if !ok || p.(*proc).stopped.Load() {\n",
			New:  "	if !ok {\n",
			Want: "behind the stop",
		},
		{
			Name: "one that has stopped is registered",
			File: "registry.go",
			Old:  "	if p.stopped.Load() {\n		return fmt.Errorf(\"register %s as %q: %w\", p, name, ErrStalePID)\n	}\n",
			New:  "",
			Want: "names are left",
		},
		{
			Name: "the end forgets the names",
			File: "registry.go",
			Old:  "		rare.names = append(rare.names, name)\n",
			New:  "		_ = rare.names\n",
			Want: "names are left",
		},
		{
			Name: "the end forgets the name of the spawn",
			File: "spawn.go",
			Old:  "		p.rareLocked().names = []string{name}\n",
			New:  "		_ = name\n",
			Want: "names are left",
		},
		{
			Name: "the end takes the name from the next",
			File: "registry.go",
			Old:  "	for _, name := range names {\n		r.names.CompareAndDelete(name, p)\n",
			New:  "	for _, name := range names {\n		r.names.Delete(name)\n",
			Want: "at the end, the name leads to",
		},
	},
}

var withdrawFaults = planted.Group{
	Run: "^TestModel$/^withdraw$",
	Faults: []planted.Fault{
		{
			Name: "an ask leaves though its message is in",
			File: "send.go",
			Old:  "	if w.done {\n		p.mu.Unlock()\n		if w.err == nil {\n			return nil\n		}\n",
			New:  "	if w.done && w.err != nil {\n		p.mu.Unlock()\n",
			Want: "answers were accepted",
			Run:  "^TestModel$/^withdraw$/^an_ask$",
		},
		{
			Name: "what is not needed stays in the queue",
			File: "gather.go",
			Old:  "		_ = q.target().leaveQueue(q.place.w, q.place.lane, mayWait, why) // The ask says why.\n",
			New:  "",
			Want: "waits for room still",
		},
		{
			Name: "who has enough leaves the other asks open",
			File: "gather.go",
			Old:  "	case s.withdraw(onlyRound):\n",
			New:  "	case false:\n",
			Want: "answers were accepted",
		},
	},
}

var pumpFaults = planted.Group{
	Run: "^TestModel$/^pump$",
	Faults: []planted.Fault{
		{
			Name: "a loop that has found nothing says so too late",
			File: "pump.go",
			Old:  "	e, ok := p.queue.pop()\n	if !ok {\n",
			New:  "	e, ok := p.queue.pop()\n	p.mu.Unlock()\n	p.mu.Lock()\n	if !ok {\n",
			Want: "deadlock",
		},
		{
			Name: "the doorbell rings before there is anything",
			File: "pump.go",
			Old:  "	p.queue.push(entry{n, prio})\n	ring := !p.rung && !p.busy\n	p.rung = true\n	p.mu.Unlock()\n	if ring {\n		p.ring()\n	}\n",
			New: "	ring := !p.rung && !p.busy\n	p.rung = true\n	p.mu.Unlock()\n	if ring {\n		p.ring()\n	}\n" +
				"	p.mu.Lock()\n	p.queue.push(entry{n, prio})\n	p.mu.Unlock()\n",
			Want: "deadlock",
		},
		{
			Name: "a turn that was the last leaves the doorbell as rung",
			File: "pump.go",
			Old:  "	if p.queue.empty() {\n		p.rung = false\n",
			New:  "	if p.queue.empty() {\n",
			Want: "deadlock",
			Run:  "^TestModel$/^pump$/^a_turn",
		},
	},
}

var watchFaults = planted.Group{
	Run: "^TestModel$/^watch$",
	Faults: []planted.Fault{
		{
			Name: "the vigil looks before it leaves its mark",
			File: "vigil.go",
			Old:  "	s.marked.Store(s.seen)\n	if s.turn.Load() != s.seen || w == nil || s.who.Load() != f.p {\n		s.mu.Unlock()\n		return\n	}\n",
			New:  "	if s.turn.Load() != s.seen || w == nil || s.who.Load() != f.p {\n		s.mu.Unlock()\n		return\n	}\n	s.marked.Store(s.seen)\n",
			Want: "begins with a context that has ended",
		},
		{
			Name: "a handler looks for a mark before it has ended",
			File: "span.go",
			Old:  "	n := s.turn.Load()\n	s.turn.Store(n + 1)\n	if s.alarm != nil {\n		s.alarm.Stop()\n	}\n	marked := uintptr(0)\n	if s.timing.Load().strict {\n		marked = s.marked.Swap(0)\n	} else {\n		marked = s.marked.Load()\n	}\n",
			New:  "	n := s.turn.Load()\n	marked := s.marked.Swap(0)\n	s.turn.Store(n + 1)\n",
			Want: "begins with a context that has ended",
		},
		{
			Name: "a context that a time-out has ended is not renewed",
			File: "span.go",
			Old:  "	if x != nil {\n		x.renew()\n	}\n",
			New:  "",
			Want: "begins with a context that has ended",
		},
	},
}
