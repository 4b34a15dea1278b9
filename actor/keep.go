package actor

import (
	"maps"
	"slices"

	"github.com/troupe-go/troupe/internal/workers"
)

// An actor keeps the groups of tasks that were opened with its context: when
// its incarnation ends, they are asked to end together with the children, and the
// Stopped hook runs when both have. So the end of an actor is the end of all that
// was begun in it.
//
// A killed actor lets them go. They are cancelled, but may be as deaf as the
// handler that it was killed for.

var _ workers.Keeper = (*Context[int])(nil)

// Keep has the end of the incarnation wait for k. It is called by package task;
// see [workers.Keeper].
func (c *scope) Keep(k workers.Kept) bool { return k != nil && c.p.keep(k, c.incarnation) }

// LetGo is the end of Keep.
func (c *scope) LetGo(from *workers.Fiber, k workers.Kept) { c.p.letGo(from, k) }

// KeeperID returns the number of the actor's PID, by which package task tells whose a group
// is.
func (c *scope) KeeperID() uint64 { return c.p.pid.Number() }

func (p *proc) keep(k workers.Kept, incarnation uint32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.accepts(incarnation) != nil {
		return false
	}
	r := p.rareLocked()
	if r.kept == nil {
		r.kept = map[workers.Kept]uint64{}
	}
	r.keptCount++
	r.kept[k] = r.keptCount
	return true
}

// letGo takes note that k has ended, and tells the actor if k was the last that
// its end has waited for.
func (p *proc) letGo(from *workers.Fiber, k workers.Kept) {
	p.mu.Lock()
	if p.rare == nil || p.rare.kept[k] == 0 {
		p.mu.Unlock()
		return
	}
	delete(p.rare.kept, k)
	last := p.barred && (p.aloneLocked() || p.atRestLocked())
	p.mu.Unlock()
	if last {
		p.post(from, sysMessage{kind: sysChildGone})
	}
}

// keepsLocked reports whether the end of the incarnation has to wait for work
// that is kept, or for handlers. The caller holds mu.
func (p *proc) keepsLocked() bool {
	return p.rare != nil && len(p.rare.kept) != 0 || p.suspendedLocked() != 0
}

// aloneLocked reports whether there are neither children nor kept work. The
// caller holds mu.
func (p *proc) aloneLocked() bool { return p.eldest == nil && !p.keepsLocked() }

// keptLocked returns what is kept, in the order in which it came. The caller
// holds mu.
func (p *proc) keptLocked() []workers.Kept {
	if p.rare == nil || len(p.rare.kept) == 0 {
		return nil
	}
	kept := p.rare.kept
	return slices.SortedFunc(maps.Keys(kept), func(a, b workers.Kept) int { return int(kept[a]) - int(kept[b]) })
}

// forsake is the end of all that is kept by an incarnation that was killed: it
// is asked to end, and not waited for. It reports whether there was anything.
func (p *proc) forsake(cause error) bool {
	p.mu.Lock()
	kept := p.keptLocked()
	if p.rare != nil {
		p.rare.kept = nil
	}
	p.mu.Unlock()
	for _, k := range kept {
		k.KeeperEnds(cause)
	}
	return len(kept) != 0
}
