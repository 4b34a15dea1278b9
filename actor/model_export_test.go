//go:build modelcheck

package actor

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/internal/kernel/pids"
	"github.com/troupe-go/troupe/internal/workers"
)

// NewModelSystem returns a system on the scheduler of a model.
func NewModelSystem(s *workers.Scheduler, onDeadLetter func(DeadLetter)) *System {
	sys := &System{cfg: Config{OnDeadLetter: onDeadLetter, Logger: silence}, scheduler: s, table: pids.New[proc](s.Workers(), 0), clock: wallClock{}, born: time.Now(), empty: make(chan struct{})}
	sys.root = &proc{sys: sys, opts: &defaults}
	sys.watchdog.sys = sys
	sys.asks.sys = sys
	sys.asks.awake.Store(true)     // Likewise: no ask has a limit.
	sys.watchdog.awake.Store(true) // So that nobody starts it: a thread of the model looks.
	return sys
}

// ModelLook does what the watchdog does when it comes to the fiber, at the given time.
func ModelLook(sys *System, at *workers.Fiber, now time.Duration) {
	d, ok := at.Note().(*desk)
	if !ok {
		return
	}
	s := d.handlerWatch.Load()
	if s == nil {
		return
	}
	if p := s.who.Load(); p != nil && s.observe(&sys.watchdog, now) {
		sys.watchdog.act(finding{s, p, 0}, now)
	}
}

// ContextOf returns the context of the actor's incarnation.
func ContextOf[M any](r Ref[M]) *Context[M] { return r.cell.proc.ctx.Load().typed.(*Context[M]) }

// ModelSlot is a slot that is used for one ask after the other, as a pool may
// have it.
type ModelSlot struct{ slot replySlot[int] }

// Ask does what Ask does with its slot. Send is called with the reply address.
func (m *ModelSlot) Ask(ctx context.Context, on *workers.Scheduler, send func(Reply[int])) (int, error) {
	s := &m.slot
	if s.sys == nil {
		s.sys = &System{scheduler: on}
	}
	s.waiter.Arm(ctx, on)
	round := s.open(nil, nil, address{}, AskWait, Data)
	send(Reply[int]{slot: s, round: round})
	err := s.await(ctx, s.sys, round)
	v := s.value
	if err == nil {
		err = s.err
	}
	s.clear()
	return v, err
}

// Fire has the time of the timer come.
func Fire(t Timer) {
	p := t.t.owner
	p.mu.Lock()
	if p.rare != nil {
		p.rare.dues.remove(t.t)
	}
	p.mu.Unlock()
	t.t.fire()
}

// NamesEntered returns how many names are entered in the system, also of actors that
// have stopped.
func NamesEntered(s *System) (n int) {
	s.registry.names.Range(func(any, any) bool { n++; return true })
	return n
}

// NotInHand returns the messages that wait in the pocket, the lanes and beside them, and
// that no activation has taken.
func NotInHand[M any](r Ref[M]) (all []M) {
	p := &r.cell.proc
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pocketed() != 0 {
		all = append(all, *r.cell.pocket())
	}
	for which := range Lane(numLanes) {
		if l := p.lanes[which].Load(); l != nil {
			if b, ok := l.contents.(*boxes); ok {
				for _, box := range b.in[l.skipped:] {
					all = append(all, *(*M)(box))
				}
			} else {
				all = append(all, l.contents.(*buffers[M]).in[l.skipped:]...)
			}
		}
		if s := p.marksOf(which); s != nil {
			for m := s.first; m != nil; m = m.next {
				if t, ok := m.of.(*delivery[M]); ok {
					all = append(all, t.m)
				}
			}
		}
	}
	return all
}

// Ghosts returns how many handlers that were killed still run.
func Ghosts(s *System) int64 { return s.ghosts.Load() }

// IsFenced reports whether the context is one of an incarnation that was killed, or replaced.
func IsFenced[M any](c *Context[M]) bool { return c.fence.Load() }
