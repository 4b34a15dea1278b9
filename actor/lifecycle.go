package actor

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/recording"
)

// Starter is implemented by an actor that prepares itself. Started runs before
// the first message is handled, in each incarnation. An error ends the
// incarnation, as one from Receive does.
type Starter[M any] interface {
	Started(ctx *Context[M]) error
}

// Stopper is implemented by an actor that clears up after itself. Stopped runs
// once at the end of each incarnation, after the actor's children have stopped and
// the groups of tasks that were opened with its context have ended.
// Reason is nil if the actor was asked to stop or stopped itself. A panic in it is
// contained and logged, and changes nothing: the incarnation has its reason.
type Stopper[M any] interface {
	Stopped(ctx *Context[M], reason error)
}

// handleMail takes note of a kill, and handles what is in the system lane. It
// takes one message at a time: when a hook calls Goexit, the others stay for
// the next activation.
func (a *activation) handleMail() {
	if wasKilled, wasSeized := a.transitionFromKilled(); wasKilled {
		a.beKilled(wasSeized)
	}
	for more := true; more; {
		var m sysMessage
		m, more = a.takeMail()
		a.handleSystem(m)
	}
}

func (a *activation) handleSystem(m sysMessage) {
	switch m.kind {
	case sysStart:
		if a.phase.Load() == starting {
			a.start()
		}
	case sysStop:
		a.requestStop()
	case sysDrain:
		a.requestDrain()
	case sysExit:
		if a.phase.Load() <= draining && !a.ctx.Load().fence.Load() {
			a.endIncarnation(nil)
		}
	case sysFailed:
		if a.phase.Load() <= draining {
			a.fail(m.reason)
		}
	case sysChildGone:
		a.childGone(m)
	case sysChildHeld:
		a.childHeld(m)
	case sysChildReady:
		a.childReady(m)
	case sysRestart, sysRestartEmpty:
		if a.phase.Load() == waiting {
			a.restart(m.kind == sysRestartEmpty)
		}
	case sysRecall:
		a.recalled()
	case sysRelease:
		if a.phase.Load() == waiting {
			a.stop(a.reason)
		}
	case sysSuspend:
		a.suspend()
	case sysResume:
		a.resume()
	case sysUnstash:
		a.unstash(false)
	case sysCheckup:
		a.examine(m.checkup)
	case sysSignal:
		a.handleSignal(m.signal)
	}
}

// start runs the Started hook of a new incarnation.
func (a *activation) start() {
	x := a.ctx.Load()
	if _, err := a.callHook(x, occasion{hook: onStarted}); err != nil {
		a.fail(err)
		return
	}
	a.phase.Store(alive)
	if a.parent.traits&hearsOfStarts != 0 && x.incarnation != 0 {
		a.parent.post(a.f, sysMessage{kind: sysChildReady, child: a.proc})
	}
}

// call runs user code other than Receive, and returns a panic as an error.
// A Goexit is dealt with as a failure on its way. The code of an actor that was
// killed meanwhile does not run.
func (a *activation) call(what handlerKind, code func() error) error {
	x := a.ctx.Load()
	if a.scope = x; !a.enter() {
		return ErrKilled
	}
	if a.reentrancy != NoReentrancy {
		a.beginTurn(x, numLanes, nil) // Which the hook keeps while it waits.
		defer a.endTurn()
	}
	x.lane, x.asked = numLanes, address{}
	err := a.contain(what, code)
	a.leave()
	return err
}

func (a *activation) contain(what handlerKind, code func() error) (err error) {
	returned := false
	defer func() {
		a.f.ComeBack()
		if returned {
			return
		}
		a.breakWatch()
		if v := recover(); v != nil {
			err = workers.NewPanicError(v)
			return
		}
		a.endTurn()
		a.leave()
		a.fail(ErrGoexit)
	}()
	err = a.watched(what, code)
	returned = true
	return err
}

// fail ends the incarnation because its code has failed.
func (a *activation) fail(reason error) {
	if a.phase.Load() >= failing {
		return // It failed while it ended.
	}
	if a.ctx.Load().fence.Load() {
		reason = a.whyKilled() // Even if it failed because of the fence, before it was told.
	}
	a.report(reason)
	if a.sys.simulated {
		a.trace("fails", reason)
	}
	if a.f.Recorded() {
		a.f.Mark(recording.Failure, fmt.Sprint(reason)) // Also if its Error panics.
	}
	a.endIncarnation(reason)
}

func (a *activation) report(reason error) {
	log := a.sys.log()
	if !log.Enabled(background, slog.LevelError) {
		return
	}
	attrs := []any{slog.String("pid", a.pid.String()), slog.String("name", a.opts.name), slog.Any("reason", reason)}
	if p := (*PanicError)(nil); errors.As(reason, &p) {
		attrs = append(attrs, slog.String("stack", string(p.Stack())))
	}
	log.Error("actor failed", attrs...)
}

// endIncarnation ends the life of the present incarnation: the actor is held
// for its parent to decide if it can be restarted, or else stops. One that was
// asked to stop meanwhile is not offered for a restart.
func (a *activation) endIncarnation(reason error) {
	if !a.nature.has(renewable) || a.parent.traits&isParent == 0 || a.leaving == leavingForGood ||
		a.phase.Load() == draining || a.stopAwaits() {
		a.stop(reason)
		return
	}
	a.reason = reason
	a.phase.Store(failing)
	a.hold()
	if reason != nil && a.handlersAway() {
		a.cancel(reason) // So that they don't wait any longer.
	}
	a.windDown()
}

// windDown asks the children to stop, and goes on with the end of the incarnation
// if there are none. If handlers wait, the last of them does that.
func (a *activation) windDown() {
	phase := a.phase.Load()
	if phase != failing && phase != stopping || a.handlersAway() {
		return
	}
	if phase == failing { // Also what handlers that have waited have failed in since.
		a.unstash(true)
	}
	switch over := a.windUp(a.f, phase == failing); {
	case !over:
	case phase == failing:
		a.beHeld()
	default:
		a.terminate()
	}
}

// beHeld ends the incarnation, whose children have stopped, and asks the
// parent for its decision.
func (a *activation) beHeld() {
	defer func() { // Also if the hook calls Goexit.
		if !a.lost {
			a.offer()
		}
	}()
	a.callStopped()
}

// offer asks the parent for its decision about the actor.
func (a *activation) offer() {
	a.phase.Store(waiting)
	a.sever(a.f, a.reason)
	defer a.parent.post(a.f, sysMessage{kind: sysChildHeld, child: a.proc, reason: a.reason}) // Also if a Probe calls Goexit.
	if o := a.sys.probes.Load(); o != nil {
		o.tellEnded(a.proc, a.reason, true)
	}
}

// callStopped runs the Stopped hook, unless the actor was killed, and ends the
// incarnation's context.
func (a *activation) callStopped() {
	a.closing = true
	defer func() {
		if !a.lost {
			a.retire()
		}
	}()
	x := a.ctx.Load()
	if x.fence.Load() {
		return
	}
	if _, err := a.callHook(x, occasion{hook: onStopped, exit: Exit{Reason: a.reason}}); err != nil {
		a.report(fmt.Errorf("in Stopped: %w", err))
	}
}

// retire ends the incarnation's context and lets go of the user's value.
func (a *activation) retire() {
	x := a.ctx.Load()
	if x.fence.Load() {
		// A handler may still use it, so it can't be changed.
		stone := a.impl.newScope(x.incarnation, x.kind.Load())
		stone.fence.Store(true)
		a.ctx.Store(stone)
		a.disownBody()
		return
	}
	state := a.mu.Acquire()
	x.typed.begin(nil)
	a.mu.Release(state)
	x.cancel(ErrStopped)
}

// restart begins a new incarnation after the one that ended. PID,
// refs and messages stay, unless the messages are not wanted.
func (a *activation) restart(empty bool) {
	defer a.beginAgain() // Also if a dead-letter callback calls Goexit.
	if empty {
		a.dropMail()
	}
}

func (a *activation) beginAgain() {
	unborn := a.unborn()
	a.mu.Lock()
	if !unborn {
		a.fence() // Code of the last incarnation that still runs must not act for this one.
		a.restarts++
	}
	a.incarnation++
	if a.rare != nil {
		a.rare.killed = nil
		a.rare.turns = a.newTurns()
	}
	x := a.impl.newScope(a.incarnation, a.ctx.Load().kind.Load())
	a.ctx.Store(x)
	a.barred = false
	a.mu.Unlock()
	a.phase.Store(starting)
	a.closing, a.leaving = false, staying
	a.reason = nil
	a.release()
	if a.sys.simulated && !unborn {
		a.trace("restarts", nil)
	}
	if o := a.sys.probes.Load(); o != nil && !unborn {
		o.tellRestarted(a.subject())
	}
	if err := a.checkGhosts(); err != nil {
		a.fail(err)
		return
	}
	var actor any
	err := a.call(made, func() (err error) {
		if actor, err = a.impl.produceActor(); err != nil {
			return err
		}
		return check(actor, reflect.TypeOf(x.typed))
	})
	if err != nil {
		a.fail(err)
		return
	}
	x.typed.begin(actor)
	_, x.process = actor.(sequel)
	if unborn {
		k, _ := kindOf(actor)
		x.kind.Store(k)
		t := x.traits()
		a.mu.Lock()
		a.traits |= t
		a.mu.Unlock()
	}
	a.start()
}

// requestStop begins to stop the actor, in whatever phase it is.
func (a *activation) requestStop() {
	switch {
	case a.phase.Load() == stopping || a.takesLeave(leavingForGood):
	case a.phase.Load() == failing:
		a.stop(a.reason) // Its children are on their way out already, seats apart.
	default:
		a.stop(nil)
	}
}

// requestDrain makes the actor stop when it has handled what it has. One that
// is held has no handler to do so, and stops at once; a GracefulStopper drains by
// itself.
func (a *activation) requestDrain() {
	if a.ctx.Load().has(onLeave) || a.phase.Load() > draining {
		a.requestStop()
		return
	}
	a.phase.Store(draining)
	a.close(a.f)
}

// stopIfDrained stops the actor if no messages are left. A sender that found a
// lane full, or a timer, may have put one in before the lanes were closed and not
// have announced it yet.
func (a *activation) stopIfDrained() {
	if a.findMessages(); a.todo == 0 {
		a.stop(nil)
	}
}

// findMessages notes which lanes have messages, announced or not.
func (a *activation) findMessages() {
	a.mu.Lock()
	for i := range a.lanes {
		l := a.lanes[i].Load()
		if l != nil && l.pending()+l.left() > 0 {
			a.todo |= Lane(i).bit()
		}
	}
	if a.pocketed() != 0 {
		a.todo |= Data.bit()
	}
	a.mu.Unlock()
}

// stop ends the actor for good, once its children have stopped.
func (a *activation) stop(reason error) {
	a.reason = reason
	a.phase.Store(stopping)
	if a.closeAtOnce() {
		a.terminate()
		return
	}
	a.hold()
	defer func() { // Also if a dead-letter callback calls Goexit.
		if reason != nil && a.handlersAway() {
			a.cancel(reason)
		}
		a.windDown()
	}()
	a.closeLanes()
}

// closeAtOnce is all that comes before the end of an actor that has neither
// messages nor children, as most when they end: it lets in no more of either. It
// takes the lock once, where the several steps of stop take it five times. It
// returns false, and does nothing, if there is more to do than that.
func (a *activation) closeAtOnce() bool {
	state := a.mu.Acquire()
	if a.eldest != nil || a.ctx.Load().typed.stashedLocked() != 0 || a.rare != nil && a.rare.needsEnding() || !a.lanesDone() {
		a.mu.Release(state)
		return false
	}
	a.closed, a.barred = true, true
	for i := range a.lanes {
		if l := a.lanes[i].Load(); l != nil {
			a.handled += l.handled() + l.slid
			a.lanes[i].Store(nil)
		}
	}
	a.mu.Release(state | held)
	a.todo &^= pendingLanes
	return true
}

// lanesDone reports whether the lanes have neither messages nor waiting senders.
// The caller holds mu and is the consumer.
func (a *activation) lanesDone() bool {
	for i := range a.lanes {
		if l := a.lanes[i].Load(); l != nil && (l.left() != 0 || l.pending() != 0 || l.waiting.Len() != 0) {
			return false
		}
	}
	return a.pocketed() == 0
}

// needsEnding reports whether there is something that is to be ended, or waited
// for, before its actor can end. The caller holds mu.
func (r *rare) needsEnding() bool {
	return r.timers != nil || len(r.kept) != 0 || r.turns != nil || r.body != nil
}

// closeLanes refuses further messages and makes dead letters of those that
// are there.
func (a *activation) closeLanes() {
	a.unstash(true)
	a.mu.Lock()
	a.closed = true
	a.emptyPocket()
	var woken waiters
	var left leftovers
	for i := range a.lanes {
		l := a.lanes[i].Load()
		if l == nil {
			continue
		}
		refused := l.refuse(ErrStopped, nil, nil)
		a.handled += l.handled() + l.slid
		left.take(a.proc, Lane(i), l)
		woken = append(woken, left.takeRefused(Lane(i), refused)...)
		a.lanes[i].Store(nil)
	}
	a.mu.Unlock()
	a.todo &^= pendingLanes
	woken.tell(a.f)
	a.deadLetters(&left, ErrStopped)
}

// terminate is the end of an actor whose children have stopped.
func (a *activation) terminate() {
	defer func() { // Also if the hook calls Goexit.
		if !a.lost {
			a.end(a.f, a.reason)
		}
	}()
	if !a.closing {
		a.callStopped()
	}
}
