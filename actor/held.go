package actor

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/internal/workers"
)

// A seat is an actor that outlives the incarnations of its parent. It is spawned
// without an incarnation of its own, by SpawnHeld, so that its ref is there
// before anything of it runs; and when its parent ends and may be restarted, it
// is held, with its refs and its messages, until the next incarnation decides
// about it.
//
// A parent is held when its other children have stopped, and those that are
// seats rest. It counts who does not rest, under its mu. A seat rests from its
// spawn on, and from the moment on at which its parent takes note of its end;
// what ends that is the parent's decision to restart it.

// SpawnHeld is [SpawnNew] for an actor that does not begin yet. It is held: it
// accepts messages and handles none, until its parent calls [Context.Restart].
// Its first incarnation is created the same way: newActor is called in the actor, and if
// it fails, the actor has failed and not the parent.
//
// Such a child outlives the incarnations of its parent: when one ends and
// another may begin, the child is held, as by [Context.Recall], and the next
// incarnation restarts or releases it; see [Context.Children]. The parent must
// be a [Parent].
func SpawnHeld[M any](at Spawner, newActor func() Actor[M], opts ...Option) (Ref[M], error) {
	if newActor == nil {
		return Ref[M]{}, errors.New("actor: SpawnHeld was given a nil function")
	}
	return spawn(at, nil, newActor, opts)
}

// unborn reports whether the actor has not had an incarnation.
func (p *proc) unborn() bool {
	return p.nature.has(seat) && p.ctx.Load().incarnation == 0
}

// countLocked takes a new child into account. The caller holds mu.
func (p *proc) countLocked(child *proc, resting bool) {
	child.resting = resting
	if p.traits&isParent != 0 && !resting {
		p.rareLocked().astir++
	}
}

// uncountLocked is the end of that. The caller holds mu.
func (p *proc) uncountLocked(child *proc) {
	if p.traits&isParent != 0 && !child.resting {
		p.rareLocked().astir--
	}
	child.resting = true
}

// atRestLocked reports whether all children rest and nothing is kept. The caller
// holds mu.
func (p *proc) atRestLocked() bool {
	if p.traits&isParent == 0 {
		return p.aloneLocked()
	}
	return p.rareLocked().astir == 0 && !p.keepsLocked()
}

// rests takes note that a child is held.
func (p *proc) rests(child *proc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if child.nature.has(seat) && !child.resting {
		p.uncountLocked(child)
	}
}

// rouse is called before a child is restarted, and roused after a seat was told. Does is false if the child is a seat
// that does not rest.
//
// The parent may be killed between the two. The message about its end must reach the child after the restart, or the
// child would ignore it and begin: so it is left to roused.
func (c *scope) rouse(child *proc) (does bool, err error) {
	p := c.p
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c.home().fence.Load():
		return false, fmt.Errorf("%s restarts %s: %w", p, child, ErrFenced)
	case !child.nature.has(seat):
		return true, nil
	case !child.resting:
		return false, nil
	case p.barred:
		return false, fmt.Errorf("%s, which is about to end, restarts %s: %w", p, child, ErrStopped)
	}
	p.countLocked(child, false)
	child.rousing = true
	return true, nil
}

// roused is the end of rouse. From is the fiber of the caller, if any.
func (p *proc) roused(from *workers.Fiber, child *proc) {
	p.mu.Lock()
	owed := child.owed
	child.rousing, child.owed = false, sysNone
	p.mu.Unlock()
	if owed != sysNone {
		child.post(from, sysMessage{kind: owed})
	}
}

// holdAtRest holds the actor if its end has wound down and all its children are at rest.
func (a *activation) holdAtRest() {
	a.mu.Lock()
	over := a.barred && a.atRestLocked()
	a.mu.Unlock()
	if over && !a.closing {
		a.beHeld()
	}
}

// recalled ends the incarnation because the parent wants it so.
func (a *activation) recalled() {
	if a.phase.Load() <= draining && !a.takesLeave(leavingForNow) {
		a.endIncarnation(nil)
	}
}
