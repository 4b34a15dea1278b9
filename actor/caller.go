package actor

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers"
)

// A wait in a handler is recognized by the fiber that it runs on, whatever its
// context: with one that does not lead to the handler, such as context.Background
// or the Context of another actor, the wait holds no worker either, and is an edge
// of the wait graph.

// caller returns the fiber that the caller runs on, or nil, and the actor whose code
// he is, or nil.
func (s *System) caller(ctx context.Context) (f *workers.Fiber, asker *proc) {
	if f = workers.Current(ctx); f != nil {
		return f, current(f)
	}
	return s.callerHere()
}

// callerHere is caller without a context that leads to the fiber. A ghost, which no
// fence keeps from using such a one, is nobody's code: what it waits for, its
// actor does not.
func (s *System) callerHere() (f *workers.Fiber, asker *proc) {
	f = s.scheduler.Here()
	if asker = current(f); asker != nil && isGhost(f, asker) {
		asker = nil
	}
	return f, asker
}

// isCaller reports whether the caller is code of p.
func (p *proc) isCaller(ctx context.Context) bool {
	_, asker := p.sys.caller(ctx)
	return asker == p
}

// isGhost reports whether the code of p on f is of an incarnation that was killed.
func isGhost(f *workers.Fiber, p *proc) bool {
	if !fencing.Load() {
		return false
	}
	x, _ := codeOn(f, p)
	return x == nil || x.fence.Load()
}

// codeOn returns the Context of the incarnation whose code runs on f, which is p's,
// and which ask it handles.
func codeOn(f *workers.Fiber, p *proc) (x *scope, asked address) {
	for d := deskAt(f); d != nil; d = d.next {
		if a := &d.activation; a.proc == p && a.scope != nil {
			if t := a.turn; t != nil && t.reads {
				return a.scope, t.asked
			}
			return a.scope, a.scope.asked
		}
		if b := d.body; b != nil && b.scope.p == p {
			return b.scope, b.scope.asked
		}
	}
	return nil, address{}
}

// askedIn returns the ask that the caller is handling, or the zero address. The
// caller is code of asker, on f.
func askedIn(ctx context.Context, f *workers.Fiber, asker *proc) (asked address) {
	if c := scopeOf(ctx); c != nil && c.p == asker && (c.view() != nil || asker.reentrancy != sharedReads) {
		return c.asked
	}
	_, asked = codeOn(f, asker)
	return asked
}
