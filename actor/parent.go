package actor

import (
	"fmt"

	"github.com/troupe-go/troupe/internal/workers"
)

// Parent is implemented by an actor that wants to know of its children's ends
// and decides what becomes of them. ChildExited runs like a handler of the
// parent, one at a time. An error ends the parent, as one from Receive does.
//
// A child that is held may be stopped by somebody else, before the parent has
// decided. To decide about it is [ErrStalePID] then, which is not to be returned as a
// failure of the parent: ChildExited is called once more, for the end.
//
// An actor whose parent is no Parent stops when it fails.
type Parent[M any] interface {
	ChildExited(ctx *Context[M], e Exit) error
}

// ChildStartedHandler is implemented by a [Parent] that wants to know when the children are
// ready that it has restarted, or begun: ChildStarted runs when an incarnation's
// Started hook has returned without an error, or at once if it has none. If a child
// fails to start, ChildExited is called instead.
type ChildStartedHandler[M any] interface {
	ChildStarted(ctx *Context[M], child PID) error
}

// traits says which hooks the user's value has that others must know of.
type traits uint8

const (
	isParent        traits = 1 << iota // Decides about its children, see Parent.
	hearsOfStarts                      // See ChildStartedHandler.
	isTrapper                          // Survives the ends of those it is linked to, see Trapper.
	isWatcher                          // May monitor others, see Watcher.
	stopsGracefully                    // Takes its end into its own hands, see GracefulStopper.
	isHealthChecker                    // Can be asked how well it does, see HealthChecker.
)

// Restart begins a new incarnation of a child that is held, and does nothing to
// one that is not. The child keeps its PID, its refs and its waiting messages; the
// one that it failed in is not handled again, unless [WithRetry] says so.
//
// Restart, and whatever else decides about a child, returns [ErrStalePID] if the
// child has stopped, as somebody else may have asked it to; see [Parent]. To restart a child that was spawned by
// [SpawnHeld], when the calling actor's own incarnation is about to end, is refused with [ErrStopped].
func (c *scope) Restart(child PID) error { return c.decide(child, sysRestart) }

// RestartEmpty is [Context.Restart] without the messages that wait: those that
// the child has accepted so far go to the dead letters, with the reason
// [ErrDropped].
func (c *scope) RestartEmpty(child PID) error { return c.decide(child, sysRestartEmpty) }

// Release lets a child that is held stop for good.
func (c *scope) Release(child PID) error { return c.decide(child, sysRelease) }

// StopChild asks a child to stop, whatever it is doing, and does not wait for
// it. A Parent is told when the child has stopped.
func (c *scope) StopChild(child PID) error { return c.decide(child, sysStop) }

// Recall asks a child to end its incarnation after the current message, and
// does not wait for it. A Parent is told, as if the incarnation had ended by
// itself without a reason, and may restart the child later. One that can't be
// restarted stops. Recall does nothing to a child that is held already.
func (c *scope) Recall(child PID) error { return c.decide(child, sysRecall) }

// KillChild kills a child, see [Ref.Kill], with all that are below it.
func (c *scope) KillChild(child PID) error {
	p, err := c.childOf(child)
	if err != nil {
		return err
	}
	p.killAll()
	return nil
}

// killAll kills p and all actors below it. P takes no children after that.
func (p *proc) killAll() {
	_ = p.kill()
	p.mu.Lock()
	children := p.childrenLocked()
	p.mu.Unlock()
	for _, c := range children {
		c.killAll()
	}
}

// Children returns the PIDs of the actor's children that have not stopped, the
// oldest first. The next incarnation of an actor finds those that were spawned by
// [SpawnHeld].
func (c *scope) Children() []PID {
	p := c.p
	p.mu.Lock()
	defer p.mu.Unlock()
	var ids []PID
	for child := p.eldest; child != nil; child = child.younger {
		if !child.stopped.Load() { // Else the word of its end is on its way.
			ids = append(ids, child.pid)
		}
	}
	return ids
}

func (c *scope) decide(child PID, kind sysKind) error {
	p, err := c.childOf(child)
	if err != nil {
		return err
	}
	f := workers.Current(c)
	if kind != sysRestart && kind != sysRestartEmpty {
		p.post(f, sysMessage{kind: kind})
		return nil
	}
	does, err := c.rouse(p)
	if does {
		p.post(f, sysMessage{kind: kind})
		if p.nature.has(seat) {
			c.p.roused(f, p)
		}
	}
	return err
}

// childOf returns the child with the given PID.
func (c *scope) childOf(child PID) (*proc, error) {
	if c.home().fence.Load() {
		return nil, fmt.Errorf("%s decides about %s: %w", c.p, child, ErrFenced)
	}
	p := c.p.sys.lookup(child)
	if p == nil {
		return nil, fmt.Errorf("decide about %s: %w", child, ErrStalePID)
	}
	if p.parent != c.p {
		return nil, fmt.Errorf("%s decides about %s: %w", c.p, p, ErrNotChild)
	}
	return p, nil
}

// childGone takes note of a child that has stopped, or that nothing is left to
// wait for.
func (a *activation) childGone(m sysMessage) {
	a.mu.Lock()
	if m.child != nil {
		a.disownLocked(m.child)
	}
	last := a.barred && a.aloneLocked() // Else its end has yet to wind down, see goOnEnding.
	a.mu.Unlock()
	switch {
	case a.phase.Load() == failing:
		a.holdAtRest()
	case a.phase.Load() == stopping && last:
		a.terminate()
	case m.child != nil && a.phase.Load() <= draining:
		a.tellParent(Exit{PID: m.child.pid, Name: m.child.opts.name, Reason: m.reason})
	}
}

// childHeld hands a child that waits for a decision to the actor.
func (a *activation) childHeld(m sysMessage) {
	a.rests(m.child)
	switch {
	case a.phase.Load() == failing:
		a.holdAtRest()
	case a.phase.Load() <= draining: // Else the child was asked to stop already.
		a.tellParent(Exit{PID: m.child.pid, Name: m.child.opts.name, Reason: m.reason, Held: true})
	}
}

func (a *activation) tellParent(e Exit) {
	if _, err := a.callHook(a.ctx.Load(), occasion{hook: onChildExited, exit: e}); err != nil {
		a.fail(err)
	}
}

// childReady tells the actor that a child has started.
func (a *activation) childReady(m sysMessage) {
	if a.phase.Load() > draining {
		return
	}
	if _, err := a.callHook(a.ctx.Load(), occasion{hook: onChildStarted, child: m.child.pid}); err != nil {
		a.fail(err)
	}
}
