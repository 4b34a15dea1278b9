package actor

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/troupe-go/troupe/sched"
)

// Starter is implemented by an actor that prepares itself. Started runs before
// the first message is handled, in each incarnation. An error ends the
// incarnation, as one from Receive does.
type Starter[M any] interface {
	Started(ctx *Context[M]) error
}

// Stopper is implemented by an actor that clears up after itself. Stopped runs
// once at the end of each incarnation, after the actor's children have stopped.
// Reason is nil if the actor was asked to stop or stopped itself.
type Stopper[M any] interface {
	Stopped(ctx *Context[M], reason error)
}

// Parent is implemented by an actor that wants to know of its children's ends
// and decides what becomes of them. ChildExited runs like a handler of the
// parent, one at a time. An error ends the parent, as one from Receive does.
//
// An actor whose parent is no Parent stops when it fails.
type Parent[M any] interface {
	ChildExited(ctx *Context[M], e Exit) error
}

// Exit tells a parent of the end of a child.
type Exit struct {
	PID  PID
	Name string
	// Reason is nil if the child was asked to stop or stopped itself; else it is
	// the error that its handler returned, a [*PanicError], or [ErrGoexit].
	Reason error
	// Held says that the child can be restarted, and waits, with its messages,
	// for [Context.Restart] or [Context.Release]. Else it has stopped for good.
	Held bool
}

// handleMail handles what is in the system lane. It takes one message at a
// time: when a hook calls Goexit, the others stay for the next activation.
func (a *activation[M]) handleMail() {
	for m, ok := a.takeMail(); ok; m, ok = a.takeMail() {
		a.handleSystem(m)
	}
}

func (a *activation[M]) handleSystem(m sysMessage) {
	switch m.kind {
	case sysStart:
		a.start()
	case sysStop:
		a.requestStop()
	case sysDrain:
		a.requestDrain()
	case sysExit:
		if a.phase <= draining {
			a.endIncarnation(nil)
		}
	case sysChildGone:
		a.childGone(m)
	case sysChildHeld:
		a.childHeld(m)
	case sysRestart:
		if a.phase == waiting {
			a.restart()
		}
	case sysRelease:
		if a.phase == waiting {
			a.stop(a.reason)
		}
	}
}

// start runs the Started hook of a new incarnation.
func (a *activation[M]) start() {
	if hook, ok := a.actor.(Starter[M]); ok {
		if err := a.call(func() error { return hook.Started(a.ctx) }); err != nil {
			a.fail(err)
			return
		}
	}
	a.phase = alive
}

// call runs user code other than Receive, and returns a panic as an error.
// A Goexit is dealt with as a failure on its way.
func (a *activation[M]) call(hook func() error) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
			return
		}
		a.fail(ErrGoexit)
	}()
	err = hook()
	returned = true
	return err
}

// fail ends the incarnation because its code has failed.
func (a *activation[M]) fail(reason error) {
	if a.phase >= failing {
		return // It failed while it ended.
	}
	a.report(reason)
	a.endIncarnation(reason)
}

func (a *activation[M]) report(reason error) {
	log := a.sys.cfg.Logger
	if log == nil {
		return
	}
	attrs := []any{slog.String("pid", a.pid.String()), slog.String("name", a.opts.name), slog.Any("reason", reason)}
	if p := (*PanicError)(nil); errors.As(reason, &p) {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	log.Error("actor failed", attrs...)
}

// endIncarnation ends the life of the present incarnation: the actor is held
// for its parent to decide if it can be restarted, or else stops. One that was
// asked to stop meanwhile is not offered for a restart.
func (a *activation[M]) endIncarnation(reason error) {
	if a.produce == nil || !a.parent.keeper || a.phase == draining || a.stopAwaits() {
		a.stop(reason)
		return
	}
	a.reason = reason
	a.phase = failing
	a.hold()
	if a.stopChildren(a.f, true) {
		a.beHeld()
	}
}

// beHeld ends the incarnation, whose children have stopped, and asks the
// parent for its decision.
func (a *activation[M]) beHeld() {
	defer func() { // Also if the hook calls Goexit.
		a.phase = waiting
		a.parent.post(a.f, sysMessage{kind: sysChildHeld, child: &a.proc, reason: a.reason})
	}()
	a.callStopped()
}

// callStopped runs the Stopped hook, and ends the incarnation's context.
func (a *activation[M]) callStopped() {
	actor := a.actor
	a.actor = nil
	defer a.ctx.cancel(ErrStopped)
	hook, ok := actor.(Stopper[M])
	if !ok {
		return
	}
	if err := a.call(func() error { hook.Stopped(a.ctx, a.reason); return nil }); err != nil {
		a.report(fmt.Errorf("in Stopped: %w", err))
	}
}

// restart begins a new incarnation in the place of the one that ended. PID,
// refs and messages stay.
func (a *activation[M]) restart() {
	a.mu.Lock()
	a.ctx = &Context[M]{cell: a.cell}
	a.barred = false
	a.mu.Unlock()
	a.phase = starting
	a.reason = nil
	a.release()
	err := a.call(func() error {
		if a.actor = a.produce(); a.actor == nil {
			return errors.New("actor: the function that makes the actor returned nil")
		}
		return nil
	})
	if err != nil {
		a.fail(err)
		return
	}
	a.start()
}

// requestStop begins to stop the actor, in whatever phase it is.
func (a *activation[M]) requestStop() {
	switch a.phase {
	case stopping:
	case failing:
		a.phase = stopping // Its children are on their way out already.
		a.closeLanes()
	default:
		a.stop(nil)
	}
}

// requestDrain makes the actor stop when it has handled what it has. One that
// is held has no handler to do so, and stops at once.
func (a *activation[M]) requestDrain() {
	if a.phase > draining {
		a.requestStop()
		return
	}
	a.phase = draining
	a.mu.Lock()
	a.closed = true
	var woken []sched.Waiter
	for _, l := range a.lanes {
		if l != nil {
			woken = l.refuse(ErrStopped, woken)
		}
	}
	a.mu.Unlock()
	a.wake(woken)
}

// stopIfDrained stops the actor if no messages are left. A sender may have put
// one in before the lanes were closed and not have announced it yet.
func (a *activation[M]) stopIfDrained() {
	a.mu.Lock()
	for i, l := range a.lanes {
		if l != nil && len(l.in)+l.left() > 0 {
			a.todo |= Lane(i).bit()
		}
	}
	a.mu.Unlock()
	if a.todo == 0 {
		a.stop(nil)
	}
}

// stop ends the actor for good, once its children have stopped.
func (a *activation[M]) stop(reason error) {
	a.reason = reason
	a.phase = stopping
	a.hold()
	a.closeLanes()
	if a.stopChildren(a.f, true) {
		a.terminate()
	}
}

// closeLanes refuses further messages and makes dead letters of those that
// are there.
func (a *activation[M]) closeLanes() {
	a.mu.Lock()
	a.closed = true
	var woken []sched.Waiter
	var letters [numLanes][]M
	for i, l := range a.lanes {
		if l == nil {
			continue
		}
		woken = l.refuse(ErrStopped, woken)
		letters[i] = append(l.out[l.head:len(l.out):len(l.out)], l.in...)
		a.lanes[i] = nil
	}
	a.mu.Unlock()
	a.todo &^= pendingLanes
	a.wake(woken)
	for which := Control; ; which-- {
		for _, m := range letters[which] {
			a.deadLetter(which, m, ErrStopped)
		}
		if which == Data {
			return
		}
	}
}

// terminate is the end of an actor whose children have stopped.
func (a *activation[M]) terminate() {
	defer func() { // Also if the hook calls Goexit.
		a.end(a.f, a.reason)
	}()
	if a.actor != nil {
		a.callStopped()
	}
}

// childGone takes note of a child that has stopped.
func (a *activation[M]) childGone(m sysMessage) {
	childless := a.disown(m.child)
	switch {
	case a.phase == failing && childless:
		a.beHeld()
	case a.phase == stopping && childless:
		a.terminate()
	case a.phase <= draining:
		a.tellParent(Exit{PID: m.child.pid, Name: m.child.opts.name, Reason: m.reason})
	}
}

// childHeld hands a child that waits for a decision to the actor.
func (a *activation[M]) childHeld(m sysMessage) {
	if a.phase <= draining { // Else the child was asked to stop already.
		a.tellParent(Exit{PID: m.child.pid, Name: m.child.opts.name, Reason: m.reason, Held: true})
	}
}

func (a *activation[M]) tellParent(e Exit) {
	hook, ok := a.actor.(Parent[M])
	if !ok {
		return
	}
	if err := a.call(func() error { return hook.ChildExited(a.ctx, e) }); err != nil {
		a.fail(err)
	}
}
