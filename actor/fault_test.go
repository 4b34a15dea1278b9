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
		watchdogFaults, handlerKindFaults, boxFaults, walkFaults, pocketFaults, tickFaults)
}

var stateFaults = planted.Group{
	Run: "^TestModel$/^(state|urgent|held|end)$",
	Faults: []planted.Fault{
		{
			Name: "a lost announcement",
			In:   "proc.announced",
			Old:  "s&dead != 0 || s&bit != 0 && !p.lags(s, bit)",
			New:  "s&(dead|running) != 0 || s&bit != 0 && !p.lags(s, bit)",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "a double run",
			In:   "proc.transitionToRunning",
			Old:  "(running|dead)",
			New:  "dead",
			Want: "2 handlers run at once",
			Run:  "^TestModel$/^urgent$",
		},
		{
			Name: "a void entry is taken for a real one",
			In:   "proc.transitionToRunning",
			Old:  "return todo, s & termBits, fetched, ok",
			New:  "return todo, s & termBits, fetched, true",
			Want: "FAIL",
			Run:  "^TestModel$/^urgent$",
		},
		{
			Name: "a void entry takes the announcements with it",
			In:   "proc.transitionToRunning",
			Old:  "next := s &^ entry",
			New:  "next := s &^ entry &^ pendingAny",
			Want: "deadlock",
			Run:  "^TestModel$/^urgent$",
		},
		{
			Name: "a torn take of the announcements",
			In:   "proc.takeAnnounced",
			Old: `s := p.mu.Acquire()
if s&termBits != term {
	p.mu.Release(s)
	return 0, nothing, false
}`,
			New: `s := p.mu.Load()
if s&termBits != term {
	return 0, nothing, false
}`,
			Want: "deadlock",
			Run:  "^TestModel$/^urgent$",
		},
		{
			Name: "a fetch is taken for newer than it is",
			In:   "activation.listen",
			Old:  "a.todo, a.fetched = a.todo|news, fetched",
			New:  "a.todo, a.fetched = a.todo|news, max(fetched, fromLane)",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "an activation ends without a last look",
			In:   "proc.transitionFromRunning",
			Old:  "s&pendingAny | todo",
			New:  "todo",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "a torn change from running to idle",
			In:   "proc.transitionFromRunning",
			Old: `if !p.mu.CompareAndSwap(s, now) {
	continue
}`,
			New:  "p.mu.Init(now)",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "what is left is not announced again",
			In:   "proc.transitionFromRunning",
			Old:  "s&^(running|inCode) | todo",
			New:  "s &^ (running | inCode)",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "the doorbell is lost where a batch is split",
			In:   "activation.handleLane",
			Old:  "fresh && l.left() == 0",
			New:  "(fresh || true) && l.left() == 0",
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "announcements are taken after the swap",
			In:   "activation.handleLane",
			Old:  "a.todo &^= which.bit()",
			New:  "a.mu.And(^pendingAny)\na.todo &^= which.bit()",
			Nth:  2,
			Want: "deadlock",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "held is forgotten",
			In:   "proc.runnable",
			Old: `if s&(held|paused|crowded) != 0 {
	return pending & (pendingSystem | pendingTurn)
}`,
			New:  "",
			Want: "FAIL",
			Run:  "^TestModel$/^held$",
		},
		{
			Name: "held is never left",
			In:   "activation.beginAgain",
			Old: `a.reason = nil
a.release()`,
			New:  "a.reason = nil",
			Want: "deadlock",
			Run:  "^TestModel$/^held$",
		},
		{
			Name: "a torn lock of the mailbox",
			Dir:  "../internal/kernel/stateword",
			In:   "Word.Acquire",
			Old: `if s&LockBit == 0 && w.word.CompareAndSwap(s, s|LockBit) {
	return s
}`,
			New: `if s&LockBit == 0 {
	w.word.Store(s | LockBit)
	return s
}`,
			Want: "FAIL",
			Run:  "^TestModel$/^state$",
		},
		{
			Name: "a send after the close",
			In:   "activation.closeAtOnce",
			Old:  "a.closed, a.barred = true, true",
			New:  "a.barred = true",
			Want: "deadlock",
			Run:  "^TestModel$/^end$",
		},
		{
			Name: "a waiter for the end comes too late",
			In:   "proc.end",
			Old:  "p.mu.Release(state | dead)",
			New: `p.stopped.Store(false)
p.mu.Release(state | dead)
defer p.stopped.Store(true)`,
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
			In:   "activation.publish",
			Old: `if l.queue.Load() != 0 {
	a.letIn(l)
}`,
			New:  "",
			Want: "deadlock",
		},
		{
			Name: "what was let in is not looked for",
			In:   "activation.handleLane",
			Old:  "fresh && l.left() == 0 && !l.admitted && !l.large()",
			New:  "fresh && l.left() == 0 && !l.large()",
			Want: "deadlock",
		},
		{
			Name: "a sender queues up after its last look",
			In:   "lane.await",
			Old: `l.queue.Store(l.waiting.Len() + 1)
if !l.crowded() {
	l.queue.Store(l.waiting.Len())
	return false
}`,
			New: `if !l.crowded() {
	return false
}
l.queue.Store(l.waiting.Len() + 1)`,
			Want: "deadlock",
		},
		{
			Name: "the consumer looks for senders before it makes room",
			In:   "activation.publish",
			Old: `l.publish(rest)
if l.queue.Load() != 0 {
	a.letIn(l)
}`,
			New: `some := l.queue.Load() != 0
l.publish(rest)
if some {
	a.letIn(l)
}`,
			Want: "deadlock",
		},
		{
			Name: "a sender that leaves stays in the queue",
			In:   "lane.withdraw",
			Old:  "l.waiting.Remove(&w.place)",
			New:  "",
			Want: "FAIL",
		},
		{
			Name: "a sender leaves though its message is in",
			In:   "proc.awaitRoom",
			Old: `case done, !goOn:
	return p.leaveQueue(w, which, mode, p.sys.explainLate(context.Cause(ctx)))`,
			New: `case !goOn:
	return context.Cause(ctx)
case done:
	return p.leaveQueue(w, which, mode, p.sys.explainLate(context.Cause(ctx)))`,
			Want: "FAIL",
		},
	},
}

var replyFaults = planted.Group{
	Run: "^TestModel$/^reply$",
	Faults: []planted.Fault{
		{
			Name: "two answers to one ask",
			In:   "asking.begin",
			Old:  "!s.state.CompareAndSwap(round|slotOpen, round|slotAnswering)",
			New:  "s.state.Load() != round|slotOpen",
			Want: "but accepted were",
			Run:  "^TestModel$/^reply$/^two_answers$",
		},
		{
			Name: "a late reply to a slot that is in use again",
			In:   "Reply.answer",
			Old: `if err := s.begin(r.round, err); err != nil {
	return err
}`,
			New: `r.round = s.state.Load() &^ slotPhase
if err := s.begin(r.round, err); err != nil {
	return err
}`,
			Want: "but accepted were",
		},
		{
			Name: "the round stays the same",
			In:   "asking.open",
			Old:  "s.state.Load()&^slotPhase + slotRound",
			New:  "s.state.Load() &^ slotPhase",
			Want: "but accepted were",
		},
		{
			Name: "the answer is written before the slot is owned",
			In:   "Reply.answer",
			Old: `if err := s.begin(r.round, err); err != nil {
	return err
}`,
			New: `s.value = v
if err := s.begin(r.round, err); err != nil {
	return err
}`,
			Want: "but accepted were",
		},
		{
			Name: "the asker is woken before the answer is there",
			In:   "asking.conclude",
			Old: `s.state.Store(state)
waiter.Wake(f, workers.Own)`,
			New: `waiter.Wake(f, workers.Own)
s.state.Store(state)`,
			Want: "deadlock",
		},
		{
			Name: "the asker leaves while it is answered",
			In:   "asking.withdraw",
			Old: `case round | slotAnswering:
	xatomic.Spin(&s.state, round|slotAnswering) // The answer is being copied.
default:
	return false`,
			New: `case round | slotAnswering:
	return true // The answer is being copied.
default:
	return false`,
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
			In:   "registry.claim",
			Old:  "!holder.stopped.Load()",
			New:  "true",
			Want: "the name is not free",
		},
		{
			Name: "a name leads to one that has stopped",
			In:   "registry.find",
			Old: `if !ok || p.(*proc).stopped.Load() {
	return nil
}`,
			New: `if !ok {
	return nil
}`,
			Want: "behind the stop",
		},
		{
			Name: "one that has stopped is registered",
			In:   "System.Register",
			Old: `if p.stopped.Load() {
	return fmt.Errorf("register %s as %q: %w", p, name, ErrStalePID)
}`,
			New:  "",
			Want: "names are left",
		},
		{
			Name: "the end forgets the names",
			In:   "registry.enter",
			Old:  "rare.names = append(rare.names, name)",
			New:  "_ = rare.names",
			Want: "names are left",
		},
		{
			Name: "the end forgets the name of the spawn",
			In:   "proc.spawn",
			Old:  "p.rareLocked().names = []string{name}",
			New:  "_ = name",
			Want: "names are left",
		},
		{
			Name: "the end takes the name from the next",
			In:   "registry.leave",
			Old:  "r.names.CompareAndDelete(name, p)",
			New:  "r.names.Delete(name)",
			Want: "at the end, the name leads to",
		},
	},
}

var withdrawFaults = planted.Group{
	Run: "^TestModel$/^withdraw$",
	Faults: []planted.Fault{
		{
			Name: "an ask leaves though its message is in",
			In:   "proc.leaveQueue",
			Old:  "w.done",
			New:  "w.done && w.err != nil",
			Nth:  2,
			Want: "answers were accepted",
			Run:  "^TestModel$/^withdraw$/^an_ask$",
		},
		{
			Name: "what is not needed stays in the queue",
			In:   "inquiry.conclude",
			Old:  "_ = q.target().leaveQueue(q.place.w, q.place.lane, mayWait, why)",
			New:  "",
			Want: "waits for room still",
		},
		{
			Name: "who has enough leaves the other asks open",
			In:   "inquiry.conclude",
			Old: `case s.withdraw(onlyRound):
	q.fail(why)`,
			New: `case false:
	q.fail(why)`,
			Want: "answers were accepted",
		},
	},
}

var pumpFaults = planted.Group{
	Run: "^TestModel$/^pump$",
	Faults: []planted.Fault{
		{
			Name: "a loop that has found nothing says so too late",
			Dir:  "../internal/kernel/hosts",
			In:   "Loop.next",
			Old: `if !ok {
	l.rung = false
	l.leaveLocked()
}`,
			New: `l.mu.Unlock()
l.mu.Lock()
if !ok {
	l.rung = false
	l.leaveLocked()
}`,
			Want: "deadlock",
		},
		{
			Name: "the doorbell rings before there is anything",
			Dir:  "../internal/kernel/hosts",
			In:   "Loop.Submit",
			Old: `l.queue.push(entry{n, p})
ring := !l.rung && !l.busy
l.rung = true
l.mu.Unlock()
if ring {
	l.ring()
}`,
			New: `ring := !l.rung && !l.busy
l.rung = true
l.mu.Unlock()
if ring {
	l.ring()
}
l.mu.Lock()
l.queue.push(entry{n, p})
l.mu.Unlock()`,
			Want: "deadlock",
		},
		{
			Name: "a turn that was the last leaves the doorbell as rung",
			Dir:  "../internal/kernel/hosts",
			In:   "Loop.pause",
			Old:  "l.rung = false",
			New:  "",
			Want: "deadlock",
			Run:  "^TestModel$/^pump$/^a_turn",
		},
	},
}

var watchFaults = planted.Group{
	Run: "^TestModel$/^watch$",
	Faults: []planted.Fault{
		{
			Name: "the watchdog looks before it leaves its mark",
			In:   "watchdog.act",
			Old: `s.marked.Store(s.seen)
if s.turn.Load() != s.seen || w == nil || s.who.Load() != f.p {
	s.mu.Unlock()
	return
}`,
			New: `if s.turn.Load() != s.seen || w == nil || s.who.Load() != f.p {
	s.mu.Unlock()
	return
}
s.marked.Store(s.seen)`,
			Want: "begins with a context that has ended",
		},
		{
			Name: "a handler looks for a mark before it has ended",
			In:   "activation.endWatch",
			Old: `s.turn.Store(n + 1)
if s.alarm != nil {
	s.alarm.Stop()
}
marked := uintptr(0)
if s.timing.Load().strict {
	marked = s.marked.Swap(0)
} else {
	marked = s.marked.Load()
}`,
			New: `marked := s.marked.Swap(0)
s.turn.Store(n + 1)`,
			Want: "begins with a context that has ended",
		},
		{
			Name: "a context that a time-out has ended is not renewed",
			In:   "activation.tidyWatch",
			Old: `if x != nil {
	x.renew()
}`,
			New:  "",
			Want: "begins with a context that has ended",
		},
	},
}
