package actor

import (
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/workers"
)

// The phases: where an actor is in its life.
const (
	starting uint32 = iota // Started has not returned.
	alive
	draining // Accepts nothing new, handles what it has, then stops.
	failing  // Waits for its children to stop, to be held then.
	waiting  // Held: its parent decides.
	stopping // Waits for its children to stop, to stop then.
)

// activation is one run of an actor by the scheduler.
type activation struct {
	*proc
	f          *workers.Fiber
	term       uint32        // See state.go.
	todo       uint32        // Lanes that may have messages.
	budget     int           // How many messages of Management and Data may still be handled.
	began      time.Duration // By the worker's clock.
	urgentOnly bool          // Queued at critical: leave Management and Data alone.
	// countsControl says that Control messages take from the budget too.
	countsControl bool
	interrupted   bool          // Something critical waits elsewhere.
	inCode        bool          // The flag of the state is set.
	fetched       catch         // The message in hand from a step after which no announcement was taken.
	measured      bool          // The message that has come by the pocket is.
	ticked        *lane         // Of the last tick that has become a message, whose number there is
	tickedAt      int64         // this one.
	lost          bool          // The actor belongs to another activation now.
	handlerWatch  *handlerWatch // Watches the handlers, or nil.
	noted         bool          // More is watched than how long handlers take, so each message is noted.
	probes        *probes       // Observe the handlers, or nil.
	served        func(error)   // Tells them how a handler has ended, or nil.
	turn          *turn         // The turn of the last handler or hook, if the actor is reentrant.
	scope         *scope        // The scope of the code that runs, or has run last.
}

// desk is what the activations on a fiber use one after the other, the fiber's
// note: they would have to be allocated else, since the code that handles a
// batch is found at run time.
type desk struct {
	activation   activation
	handlerWatch atomic.Pointer[handlerWatch] // Made when a handler is watched first.
	slot         any                          // For the next ask on the fiber, or nil; see takeSlot.
	told         occasion                     // Of the hook that runs.
	body         *body                        // Of a process, that runs on the fiber instead, or nil.
	next         *desk                        // Of an activation that runs while this one does not go on.
}

// deskOf returns the desk of f, or another one if an activation is at it: that
// has let this one go first.
func deskOf(f *workers.Fiber) *desk {
	d, ok := f.Note().(*desk)
	if !ok {
		d = &desk{}
		f.SetNote(d)
	}
	for d.activation.proc != nil {
		if d.next == nil {
			d.next = &desk{}
		}
		d = d.next
	}
	return d
}

// Run is one activation: it handles system messages, all Control messages, and
// others up to the actor's throughput, and for no longer than turnTime. The scheduler
// calls it.
func (p *proc) Run(f *workers.Fiber, priority workers.Priority) {
	todo, term, fetched, ok := p.transitionToRunning(f, priority)
	if !ok {
		return
	}
	invariants.Yield()
	f.SetOwner(p)
	d := deskOf(f)
	a := &d.activation
	a.proc, a.f, a.term, a.todo, a.budget = p, f, term, todo, p.opts.throughput
	a.urgentOnly, a.inCode, a.fetched = priority == workers.Critical && !p.isLifted(), todo&pendingSystem == 0, fetched
	a.began = f.Clock()
	a.probes = p.sys.probes.Load()
	a.countsControl = p.sys.simulated || p.opts.bursts != nil && p.opts.bursts.of[Control] > 0
	if p.sys.simulated {
		a.budget = 1 // So that each message is a step of its own.
	}
	if credit := p.credit.Load(); !a.urgentOnly && credit > 0 {
		a.budget = int(credit)
		p.credit.Store(0)
	}
	if w := p.timing(); w != nil {
		a.openWatch(w, d)
	}
	finished := false
	defer func() {
		if !finished && !a.lost { // The user's code has called Goexit.
			a.finish()
		}
		if a.lost { // Else transitionFromRunning has done it.
			calmFiber(f)
		}
		*a = activation{}
	}()
	a.work()
	a.finish()
	finished = true
}

func (a *activation) finish() {
	if a.interrupted && !a.urgentOnly && !a.lost {
		a.credit.Store(int32(a.budget))
	}
	a.closeWatch()
	a.f.SetOwner(nil)
	if a.lost {
		return // To a handler that has waited.
	}
	if !a.transitionFromRunning(a.f, a.todo, a.term, a.interrupted) {
		a.vanish()
	}
}

func (a *activation) work() {
	for {
		if a.fetched < fromPocket {
			a.listen()
		}
		switch {
		case a.fetched >= fromPocket:
			a.handlePocket()
		case a.todo&pendingSystem != 0:
			a.leave()
			a.handleMail()
			a.todo &^= pendingSystem
		case a.todo&pendingTurn != 0:
			if a.admit() {
				return
			}
		case a.phase.Load() >= failing:
			a.goOnEnding()
			return
		case a.paused && !a.drained():
			return
		case a.reentrancy != NoReentrancy && a.mu.Load()&crowded != 0:
			return
		case a.todo&Control.bit() != 0 && !a.sated(Control):
			a.handleLane(Control)
		case a.urgentOnly && a.todo != 0 && !a.sated(Control):
			return
		case a.todo&Management.bit() != 0 && !a.sated(Management):
			a.handleLane(Management)
		case a.todo&Data.bit() != 0 && !a.sated(Data):
			a.handleLane(Data)
		case a.todo&pendingLanes != 0:
			a.endRound()
		case a.phase.Load() == draining:
			if a.handlersAway() {
				return
			}
			a.leave()
			a.stopIfDrained()
		default:
			return
		}
		if a.lost {
			return
		}
		switch phase := a.phase.Load(); {
		case a.todo == 0 && phase == draining:
			continue // Nobody will announce anything more, so it may stop now.
		case phase >= failing:
			continue // The last handler may have returned, and nobody else goes on with the end.
		}
		if a.budget <= 0 || a.todo&Control.bit() == 0 && a.timeIsUp() {
			if a.probes != nil && a.todo&pendingLanes != 0 {
				a.probes.tellYielded(a.subject())
			}
			return
		}
		if a.f.Urgent() {
			a.interrupted = true
			return
		}
	}
}

// listen takes what was announced since.
func (a *activation) listen() {
	s := a.mu.Load()
	if s&termBits == a.term && s&pendingAny == 0 {
		return
	}
	news, fetched, ok := a.takeAnnounced(a.term, a.todo == 0 && a.inCode && !a.urgentOnly)
	if !ok {
		a.vanish()
	}
	a.todo, a.fetched = a.todo|news, fetched
}

// interrupts has, for each lane, what is handled before its next message.
var interrupts = [numLanes]uint32{
	Data:       pendingSystem | pendingTurn | Control.bit() | Management.bit(),
	Management: pendingSystem | pendingTurn | Control.bit(),
	Control:    pendingSystem | pendingTurn,
}

// handleLane handles the messages that the consumer has in hand, or else
// fetches new ones.
func (a *activation) handleLane(which Lane) {
	if !a.inCode && !a.enter() {
		return // To take note of the kill.
	}
	l, x := a.lanes[which].Load(), a.ctx.Load()
	if a.mu.Load()&termBits != a.term {
		a.vanish() // They belong to the next.
	}
	if l == nil {
		a.reach()
		return
	}
	fresh := a.fetched == fromLane
	a.fetched = nothing
	if l.ready() == 0 && (a.marked.Load() || l.left() > 0) && !a.handleMarks(l, which) {
		return
	}
	if l.ready() == 0 {
		if fresh = true; !a.refill(l, which) {
			if !l.admitted { // Else a sender was let in, where what had been announced was shed.
				a.todo &^= which.bit()
			}
			return
		}
	}
	// A handler that waits shall be resumed as urgently as its message came.
	a.scope = x
	before := a.f.SetPriority(a.opts.priorityOf(which))
	budget, allowed := a.beginBurst(which)
	var err error
	switch a.reentrancy {
	case NoReentrancy:
		x.lane, x.asked = which, address{} // With others it takes the turn to write there.
		err = x.typed.handleBatch(a, l, which)
	case sharedReads:
		err, fresh = a.handleShared(x, l, which), false
	default:
		err = a.handleInTurn(x, l, which, nil)
		fresh = fresh && !a.turn.waited
	}
	a.endBurst(which, budget, allowed)
	a.f.SetPriority(before)
	if a.lost {
		return // It was a reader.
	}
	if err != nil || l.chunk == 1 {
		a.leave()
		l.forget()
	}
	if err != nil {
		a.fail(err)
		return
	}
	if fresh && l.left() == 0 && !l.admitted && !l.large() && !a.marked.Load() {
		// Whatever was sent since the swap has been, or will be, announced, and
		// that announcement is still in the state: it was taken before the swap
		// only. Of a batch that was begun earlier this is not known.
		a.todo &^= which.bit()
	}
}

// refill swaps the lane's buffers. It returns false if there was nothing.
func (a *activation) refill(l *lane, which Lane) bool {
	state := a.mu.Acquire()
	if state&termBits != a.term {
		a.mu.Release(state)
		a.vanish() // The messages belong to the next activation.
	}
	woken := l.swap(nil)
	if a.rare != nil {
		a.limit(which, l)
	}
	if l.left() == 0 {
		l.trim()
	}
	a.mu.Release(state)
	woken.tell(a.f)
	return l.ready() > 0
}

// letIn gives the room that has become free to waiting senders.
func (a *activation) letIn(l *lane) {
	a.mu.Lock()
	woken := l.admit(nil)
	a.mu.Unlock()
	woken.tell(a.f)
}

// publish makes known that rest messages are in hand behind the present one,
// and lets waiting senders in.
func (a *activation) publish(l *lane, rest int) {
	l.publish(rest)
	if l.queue.Load() != 0 {
		a.letIn(l)
	}
}

// batchOver counts a message that was handled, and reports whether the batch ends
// behind it. A handler that has waited has no budget left, and, killed meanwhile, no
// lane: that is the next incarnation's.
func (a *activation) batchOver(l *lane, which Lane) bool {
	if which != Control || a.countsControl {
		a.budget--
	}
	switch {
	case a.budget <= 0:
		a.f.Tick()
		return true
	case l.ready() == 0:
		a.f.Rest()
		return true
	}
	a.f.Tick()
	return a.alert.Load() != a.term && a.isInterrupted(which) || a.f.Urgent() || which != Control && a.timeIsUp()
}

// turnTime is how long an actor handles messages of Data and Management before it gives
// others their turn. It is ten times what a worker keeps its processor for, and leaves
// an actor its whole throughput if it takes less than 10 us for a message.
const turnTime = time.Millisecond

// timeIsUp reports whether the activation has lasted for turnTime. It is told by what its
// worker knows of the time, which is right within some 50 us.
func (a *activation) timeIsUp() bool { return a.f.Clock()-a.began > turnTime }

// isInterrupted reports whether something comes before the next message of the
// lane, or the term is over.
func (a *activation) isInterrupted(which Lane) bool {
	return (a.mu.Load()^a.term)&(interrupts[which]|termBits) != 0
}

// crash deals with a handler that has not returned, but panicked with v, or
// called Goexit.
func (a *activation) crash(l *lane, which Lane, m letter, v any) error {
	a.f.ComeBack()
	a.endServing(errNotReturned)
	a.breakWatch()
	if v != nil {
		err := errorOf(v)
		a.giveBack(which, m, err)
		return err
	}
	a.giveBack(which, m, ErrGoexit)
	a.endTurn()
	a.leave()
	l.forget()
	a.fail(ErrGoexit)
	a.goOnEnding() // Which work does after the others.
	return nil
}
