package actor

import (
	"context"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// gathering is several asks for which one caller waits together.
//
// # Protocol
//
// Each ask has a slot as any other has. The slots are not used again, and know
// their gathering, which is the one wait of the handler: proc.waits has the first
// of them and stands for all. The answering goroutine counts the ask before the answer is
// known, so that the last one that counts wakes the caller, and nobody else. The
// caller may therefore find that it has waited enough while an answer is still
// being written; withdraw waits for that.
//
// Where a lane is full, the message takes its place among the senders that wait for room,
// and is left there: one full lane does not keep the rest from beginning, nor the
// caller from going on when it has enough.
//
// In the wait graph the handler has an edge for each ask that is open. One that
// waits for all is stuck as soon as one edge is. One that waits for some of them is
// stuck when those that are not stuck are too few (see package waits); so it looks for
// rings again whenever an ask has ended, since another edge may be the last hope
// then.
//
// Considered and dropped: handles that are begun and waited for one by one. They
// can be forgotten, kept beyond their handler, or waited for in another one, and
// each needs a rule for what its edge is meanwhile; see decision 42.
type gathering struct {
	asks   []inquirer // Not written any more once it was run.
	all    bool       // All of them are waited for, also those that fail.
	waiter workers.Waiter
	asker  *proc // The actor whose handler waits; nil if a goroutine waits.
	up     address
	// entered says that the waits were made known. The caller's own.
	entered bool
	queued  int   // How many messages wait for room. The caller's own.
	why     error // Why the caller went on.

	// need is how many answers are waited for still, and spare how many asks may
	// fail besides. Written at the end of an ask, read by the caller and by
	// searches for rings.
	need, spare xatomic.Int32
}

// run asks, and waits for the answers.
func (g *gathering) run(ctx context.Context) {
	g.why = ErrNotNeeded
	sys := g.system()
	var f *workers.Fiber
	if sys != nil {
		f, g.asker = sys.caller(ctx)
		g.waiter.ArmOn(f, sys.scheduler)
		defer g.waiter.Disarm()
	}
	if g.asker != nil {
		g.up = askedIn(ctx, f, g.asker)
		defer g.leaveGraph()
	}
	defer func() { // Also if the user's function panics.
		for _, q := range g.asks {
			q.conclude(g.why)
			q.wait().endLift()
		}
	}()
	switch {
	case g.enough():
		return
	case ctx.Err() != nil:
		g.why = context.Cause(ctx)
		if err := fenced(ctx); err != nil {
			g.why = err
		}
		return
	}
	for _, q := range g.asks {
		s := q.wait()
		s.group, s.asker = g, g.asker
	}
	g.send(ctx)
	if !g.enough() && sys.asks.applies(ctx) {
		sys.asks.enter(g.asks[0].wait())
		defer sys.asks.leave(g.asks[0].wait())
	}
	lifted := false
	for !g.enough() {
		if g.lookForRoom(); g.asker != nil {
			g.enterGraph(f)
		}
		if g.enough() {
			break
		}
		if !lifted {
			lifted = true
			g.lift(f)
		}
		if sys.simulated {
			sys.explain(ctx, g.describe)
		}
		if !g.waiter.Wait(ctx) {
			g.why = sys.explainLate(context.Cause(ctx))
			break
		}
	}
}

// system returns the system of the first actor, or nil if there is none to ask.
func (g *gathering) system() *System {
	for _, q := range g.asks {
		if p := q.target(); p != nil && p.sys != nowhere {
			return p.sys
		}
	}
	return nil
}

func (g *gathering) send(ctx context.Context) {
	if carries(ctx) {
		errands := make([]errand, len(g.asks))
		for i, q := range g.asks {
			errands[i].begin(ctx, g.asker, g.up)
			q.wait().errand = &errands[i]
		}
	}
	for _, q := range g.asks {
		if q.begin(ctx, g); g.enough() {
			return
		}
	}
}

// lookForRoom looks what has become of the messages that waited for room.
func (g *gathering) lookForRoom() {
	if g.queued == 0 {
		return
	}
	for _, q := range g.asks {
		q.lookForRoom(g)
	}
}

// count takes note of an ask that is about to end, or was ended by the caller. It
// reports whether the caller is to be woken.
func (g *gathering) count(err error) (wake bool) {
	if g.all {
		return g.need.Add(-1) == 0
	}
	if err == nil {
		g.need.Add(-1)
	} else {
		g.spare.Add(-1)
	}
	return true
}

// enough reports whether the caller need not wait any more.
func (g *gathering) enough() bool { return g.need.Load() <= 0 || g.spare.Load() < 0 }

// undecided returns how many asks may still be answered, or are about to be.
func (g *gathering) undecided() (n int) {
	for _, q := range g.asks {
		switch q.wait().state.Load() {
		case onlyRound | slotOpen, onlyRound | slotPinned, onlyRound | slotAnswering:
			n++
		}
	}
	return n
}

// isOpen reports whether some of the asks are open.
func (g *gathering) isOpen() bool {
	for _, q := range g.asks {
		if q.wait().isOpen(onlyRound) {
			return true
		}
	}
	return false
}

// enterGraph makes the waits known, and ends those that have closed a ring.
func (g *gathering) enterGraph(f *workers.Fiber) {
	p, first := g.asker, g.asks[0].wait()
	if (!g.entered || p.reentrancy != NoReentrancy) && !p.showWait(f, first) { // Another handler may have waited meanwhile.
		return
	}
	if !g.entered && p.reentrancy == sharedReads {
		p.noteWait(first)
	}
	g.entered = true
	for _, q := range g.asks {
		s := q.wait()
		if !s.isOpen(onlyRound) || s.moves.Load() == 0 && p != q.target() && !q.target().mayWait(s) {
			continue
		}
		if err := p.refuseRing(s, onlyRound); err != nil {
			q.fail(err)
			g.count(err)
		}
	}
}

// lift has the asks lift the actors that they are for, if the work on f, which waits, is urgent. An actor
// that has answered is lifted no longer once the gathering has ended.
func (g *gathering) lift(f *workers.Fiber) {
	for _, q := range g.asks {
		q.wait().lift(f, g.asker, onlyRound)
	}
}

// leaveGraph has the actor forget the asks, which it would else keep until its
// next wait.
func (g *gathering) leaveGraph() {
	if len(g.asks) > 0 {
		g.asker.waits.CompareAndSwap(g.asks[0].wait(), nil)
	}
}

// maxNamed is how many actors a trace names.
const maxNamed = 5

// describe says for what the caller waits.
func (g *gathering) describe() string {
	var names []string
	for _, q := range g.asks {
		if !q.wait().isOpen(onlyRound) {
			continue
		}
		if len(names) == maxNamed {
			names = append(names, "...")
			break
		}
		names = append(names, q.target().String())
	}
	return fmt.Sprintf("for the answers of %s", strings.Join(names, ", "))
}
