package actor

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/sched"
)

// cell is an actor in the scheduler: its control block, its mailbox, and the
// user's value that handles the messages.
//
// All fields are written by the activation that is running, lanes also by
// senders. Those that are atomic are so because an activation that has lost the
// actor to a kill may still look at them.
type cell[M any] struct {
	proc
	// lanes are made when they are first sent to. Written under proc.mu; the
	// consumer looks at a lane after it was announced.
	lanes [numLanes]atomic.Pointer[lane[M]]

	produce func() Actor[M] // Makes the actor anew; nil if it can't be restarted.
	// ctx is the context of the present incarnation, or of the last, and leads
	// to the user's value.
	ctx atomic.Pointer[Context[M]]
	// firstCtx is the context of the first incarnation. It is here so that a spawn
	// is one allocation; an actor that is restarted has it for nothing.
	firstCtx Context[M]
	phase    atomic.Uint32
	// credit is what an activation that was interrupted had left of its budget,
	// for the next one to go on with; 0 means all. Without it, an actor that is
	// interrupted again and again would never give others their turn.
	credit atomic.Int32
	// relics has, by their term, what killed handlers that have not returned have
	// left behind. Guarded by proc.mu.
	relics map[uint32][]*lane[M]
	// handled counts the messages of lanes that are closed. Guarded by proc.mu.
	handled int64
}

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
type activation[M any] struct {
	*cell[M]
	f           *sched.Fiber
	term        uint32  // See state.go.
	todo        uint32  // Lanes that may have messages.
	budget      int     // How many messages of Management and Data may still be handled.
	urgentOnly  bool    // Queued at critical: leave Management and Data alone.
	interrupted bool    // Something critical waits elsewhere.
	inCode      bool    // The flag of the state is set.
	lost        bool    // The actor belongs to another activation now.
	span        *span   // By which the handlers are watched, or nil.
	timing      *timing // What for.
	probes      *probes // Who is told of them, or nil.
}

// Run is one activation: it handles system messages, all Control messages, and
// others up to the actor's throughput. The scheduler calls it.
func (c *cell[M]) Run(f *sched.Fiber, priority sched.Priority) {
	todo, term, ok := c.transitionToRunning(priority)
	if !ok {
		return
	}
	invariants.Yield()
	c.frame.Enter(f)
	f.SetOwner(&c.proc)
	a := activation[M]{
		cell: c, f: f, term: term, todo: todo, budget: c.opts.throughput,
		urgentOnly: priority == sched.Critical, inCode: todo&pendingSystem == 0,
	}
	a.probes = c.sys.probes.Load()
	if c.sys.simulated {
		a.budget = 1 // So that each message is a step of its own.
	}
	if credit := c.credit.Load(); !a.urgentOnly && credit > 0 {
		a.budget = int(credit)
		c.credit.Store(0)
	}
	if w := c.timing(); w != nil {
		a.openSpan(w)
	}
	finished := false
	defer func() {
		if !finished && !a.lost { // The user's code has called Goexit.
			a.finish()
		}
	}()
	a.work()
	a.finish()
	finished = true
}

func (a *activation[M]) finish() {
	if a.interrupted && !a.urgentOnly {
		a.credit.Store(int32(a.budget))
	}
	a.closeSpan()
	a.f.SetOwner(nil)
	if !a.transitionFromRunning(a.f, a.todo, a.term, a.interrupted) {
		a.vanish()
	}
}

func (a *activation[M]) work() {
	for {
		var ok bool
		if a.todo, ok = a.takeAnnounced(a.todo, a.term); !ok {
			a.vanish()
		}
		switch {
		case a.todo&pendingSystem != 0:
			a.leave()
			a.handleMail()
			a.todo &^= pendingSystem
		case a.phase.Load() >= failing:
			return
		case a.todo&Control.bit() != 0:
			a.handleLane(Control)
		case a.urgentOnly && a.todo != 0:
			return
		case a.todo&Management.bit() != 0:
			a.handleLane(Management)
		case a.todo&Data.bit() != 0:
			a.handleLane(Data)
		case a.phase.Load() == draining:
			a.leave()
			a.stopIfDrained()
		default:
			return
		}
		if a.todo == 0 && a.phase.Load() == draining {
			continue // Nobody will announce anything more, so it may stop now.
		}
		if a.budget <= 0 {
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

// interrupts has, for each lane, what is handled before its next message.
var interrupts = [numLanes]uint32{
	Data:       pendingSystem | Control.bit() | Management.bit(),
	Management: pendingSystem | Control.bit(),
	Control:    pendingSystem,
}

// handleLane handles the messages that the consumer has in hand, or else
// fetches new ones.
func (a *activation[M]) handleLane(which Lane) {
	if !a.inCode && !a.enter() {
		return // To take note of the kill.
	}
	l, x := a.lanes[which].Load(), a.ctx.Load()
	if a.state.Load()&termBits != a.term {
		a.vanish() // They belong to the next.
	}
	fresh := l.ready() == 0
	if fresh && which == Data && (a.marked.Load() || l.left() > 0) && !a.handleMarks(l) {
		return
	}
	if l.ready() == 0 && !a.refill(l, which) {
		a.todo &^= which.bit()
		return
	}
	// A handler that waits shall be resumed as urgently as its message came.
	priority := sched.Normal
	if which == Control {
		priority = sched.Critical
	}
	x.lane, x.asked = which, address{}
	before := a.f.SetPriority(priority)
	err := a.handleBatch(x, l, which)
	a.f.SetPriority(before)
	if err != nil || l.chunk == 1 {
		a.leave()
		l.forget()
	}
	if err != nil {
		a.fail(err)
		return
	}
	if fresh && l.left() == 0 && !l.admitted && !l.large() && (which != Data || !a.marked.Load()) {
		// Whatever was sent since the swap has been, or will be, announced, and
		// that announcement is still in the state: it was taken before the swap
		// only. Of a batch that was begun earlier this is not known.
		a.todo &^= which.bit()
	}
}

// refill swaps the lane's buffers. It returns false if there was nothing.
func (a *activation[M]) refill(l *lane[M], which Lane) bool {
	a.mu.Lock()
	woken := l.swap(nil)
	if which == Data && a.rare != nil {
		a.limit(which, l)
	}
	if l.left() == 0 {
		l.trim()
	}
	a.mu.Unlock()
	a.wake(woken)
	return l.ready() > 0
}

// handleBatch hands messages to the actor until none are in hand, the budget
// is used up, or something more urgent has come. It returns the reason if the
// actor has failed.
func (a *activation[M]) handleBatch(x *Context[M], l *lane[M], which Lane) (err error) {
	var m M
	var ok, returned bool
	defer func() {
		if returned {
			return
		}
		failed := m // Copied here, so that m itself need not be on the heap.
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
			a.giveBack(l, which, failed, err)
			return
		}
		a.giveBack(l, which, failed, ErrGoexit)
		a.leave()
		l.forget()
		a.fail(ErrGoexit)
	}()
	stopAt := interrupts[which] | termBits
	for {
		if m, ok = l.take(); !ok {
			break // Its term is over.
		}
		if rest := l.left(); l.due(rest) {
			l.publish(rest)
			if l.queue.Load() != 0 {
				a.letIn(l)
			}
		}
		if a.sys.simulated {
			traceMessage(a.f, &a.proc, which, m)
			a.f.Handling(a.opts.name)
		}
		var asked address
		if l.locator != nil {
			asked = addressIn(l.locator, &m)
			x.asked = asked
		}
		switch {
		case a.probes != nil:
			err = a.measured(x, l, which, m)
		case a.span != nil:
			err = a.receiveWatched(x, m)
		default:
			err = x.actor.Receive(x, m)
		}
		if asked.slot != nil && asked.slot.isOpen(asked.round) {
			a.keep(x, l, asked)
		}
		if err != nil {
			if !a.bears(err, which, m) {
				a.giveBack(l, which, m, err)
				break
			}
			err = nil
		}
		a.f.Tick()
		if which != Control || a.sys.simulated {
			a.budget--
		}
		if l.ready() == 0 || a.budget <= 0 || (a.state.Load()^a.term)&stopAt != 0 || a.f.Urgent() {
			break
		}
	}
	returned = true
	if ok && a.state.Load()&termBits != a.term {
		a.abandon(m, ErrKilled) // It can't have replied.
	}
	return err
}

// letIn gives the room that has become free to waiting senders.
func (a *activation[M]) letIn(l *lane[M]) {
	a.mu.Lock()
	woken := l.admit(nil)
	a.mu.Unlock()
	a.wake(woken)
}

func (a *activation[M]) wake(waiters []sched.Waiter) {
	for i := range waiters {
		waiters[i].Wake(a.f, sched.Normal)
	}
}

// sendMode says what a send does with a message that is not accepted at once.
type sendMode uint8

const (
	mayWait sendMode = 1 << iota // For room in the lane.
	mayKeep                      // If the actor has stopped, the message stays the sender's.
)

// send puts m into a lane. If the lane is full it waits, or returns ErrFull.
func (c *cell[M]) send(ctx context.Context, which Lane, m M, mode sendMode) error {
	if c.sys.simulated {
		c.sys.interleave(ctx)
		if c.sys.scheduler.PretendsFull(c.opts.name) && mode&mayWait == 0 {
			return ErrFull
		}
	}
	if which >= numLanes {
		return fmt.Errorf("actor: unknown lane %d; use Data, Management or Control", which)
	}
	if err := fenced(ctx); err != nil {
		return fmt.Errorf("send to %s: %w", &c.proc, err)
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return c.refuse(which, m, mode, ErrStopped)
	}
	l := c.lanes[which].Load()
	if l == nil {
		l = c.laneLocked(which)
	}
	if l.full() {
		return c.sendFull(ctx, l, which, m, mode)
	}
	var moved address
	if l.locator != nil {
		moved = c.entrust(addressIn(l.locator, &m))
	}
	l.in = append(l.in, m)
	if l.stamp != nil {
		c.stampLast(l)
	}
	c.mu.Unlock()
	if c.state.Load()&which.bit() == 0 {
		c.announce(sched.Current(ctx), which.bit())
	}
	if moved.slot != nil {
		c.breakRing(moved)
	}
	return nil
}

// laneLocked returns a lane, which is made on first use. The caller holds mu.
func (c *cell[M]) laneLocked(which Lane) *lane[M] {
	l := c.lanes[which].Load()
	if l == nil {
		l = newLane[M](c.opts.capacity[which])
		if o := c.sys.probes.Load(); o != nil {
			l.stamp = newStamp(o, c.pid)
		}
		c.lanes[which].Store(l)
	}
	return l
}

// sendFull deals with a full lane. The caller holds mu, which sendFull unlocks.
func (c *cell[M]) sendFull(ctx context.Context, l *lane[M], which Lane, m M, mode sendMode) error {
	wait := mode&mayWait != 0
	f := sched.Current(ctx)
	self := current(f) == &c.proc
	if !wait || self {
		c.mu.Unlock()
		if self && wait {
			return fmt.Errorf("send to %s from its own handler, with %d messages in the %v lane: %w", &c.proc, l.capacity, which, ErrFull)
		}
		return ErrFull
	}
	w := &sendWaiter[M]{m: m}
	if l.stamp != nil {
		w.since = c.sys.uptime()
	}
	asker := current(f)
	if asker != nil {
		w.wait = newWait(asker, &c.proc, SendWait, which)
		defer w.endWait()
	}
	var waiter sched.Waiter
	waiter.Arm(ctx, c.sys.scheduler)
	defer waiter.Disarm()
	w.wake = waiter
	var moved address
	if l.locator != nil {
		moved = c.entrust(addressIn(l.locator, &m))
	}
	if !l.await(w) {
		l.in = append(l.in, m)
		if l.stamp != nil {
			c.stampLast(l)
		}
		c.mu.Unlock()
		c.announce(f, which.bit())
		if moved.slot != nil {
			c.breakRing(moved)
		}
		return nil
	}
	c.mu.Unlock()
	if moved.slot != nil {
		c.breakRing(moved)
	}
	if asker != nil {
		if err := asker.enterWait(&c.proc, w.wait, onlyRound); err != nil {
			return c.leaveQueue(w, which, mode, err)
		}
	}
	if c.sys.simulated {
		explain(ctx, func() string { return fmt.Sprintf("for room in the %v lane of %s", which, &c.proc) })
	}
	for {
		goOn := waiter.Wait(ctx)
		c.mu.Lock()
		done := w.done
		c.mu.Unlock()
		if done || !goOn {
			return c.leaveQueue(w, which, mode, context.Cause(ctx))
		}
	}
}

// refuse deals with a message that the actor does not take, since it has
// stopped.
func (c *cell[M]) refuse(which Lane, m M, mode sendMode, reason error) error {
	if mode&mayKeep == 0 {
		c.deadLetter(which, m, reason)
	}
	return fmt.Errorf("send to %s: %w", &c.proc, reason)
}

// leaveQueue ends the wait of a sender. It returns why the message was not
// accepted: cause, unless something else came before that, or nil.
func (c *cell[M]) leaveQueue(w *sendWaiter[M], which Lane, mode sendMode, cause error) error {
	c.mu.Lock()
	if w.done {
		c.mu.Unlock()
		if w.err != nil {
			return c.refuse(which, w.m, mode, w.err)
		}
		return nil
	}
	l := c.lanes[which].Load()
	if l != nil { // It may have been replaced.
		l.withdraw(w)
	}
	c.mu.Unlock()
	if l != nil && l.locator != nil {
		if a := addressIn(l.locator, &w.m); a.slot != nil {
			a.release(&c.proc)
		}
	}
	return fmt.Errorf("send to %s, whose %v lane is full: %w", &c.proc, which, cause)
}

// entrust makes known that the actor has the message of an ask from now on. If
// it was sent on to here, and the actor waits, entrust returns the address,
// since that may have closed a ring. The caller holds mu, and has not put the
// message into the lane yet.
func (c *cell[M]) entrust(a address) address {
	switch {
	case a.slot == nil:
	case a.slot.place(a.round): // By the asker, to whom it has asked.
	case a.slot.hold(a.round, &c.proc) && c.mayWait(nil):
		return a
	}
	return address{}
}

// keep takes note that the handler has returned without an answer. If it has
// put the message aside, it will see it again.
func (a *activation[M]) keep(x *Context[M], l *lane[M], asked address) {
	if e := x.extra; e != nil {
		for _, s := range e.stash {
			if addressIn(l.locator, &s.m) == asked {
				return
			}
		}
	}
	asked.release(&a.proc)
}

// abandon answers the asks in a message that will not be handled to its end.
func (c *cell[M]) abandon(m M, reason error) {
	abandonReplies(m, fmt.Errorf("%w from %s: %w", ErrNoReply, &c.proc, reason))
}

// deadLetter accounts for a message that is not handled.
func (c *cell[M]) deadLetter(which Lane, m M, reason error) {
	c.abandon(m, reason)
	c.sys.deadLetters.Add(1)
	o := c.sys.probes.Load()
	if c.sys.cfg.OnDeadLetter == nil && (o == nil || !o.letters) {
		return
	}
	s := c.subject()
	d := DeadLetter{To: s.PID, Name: s.Name, Kind: s.Kind, Lane: which, Message: m, Reason: reason}
	if c.sys.cfg.OnDeadLetter != nil {
		c.sys.tellDeadLetter(d)
	}
	if o != nil {
		o.tellDeadLetter(d)
	}
}
