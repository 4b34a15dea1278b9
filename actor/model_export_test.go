//go:build modelcheck

package actor

import (
	"context"

	"github.com/troupe-go/troupe/sched"
)

// NewModelSystem returns a system on the scheduler of a model.
func NewModelSystem(s *sched.Scheduler, onDeadLetter func(DeadLetter)) *System {
	sys := &System{cfg: Config{OnDeadLetter: onDeadLetter}, scheduler: s, table: newTable(s), clock: wallClock{}, empty: make(chan struct{})}
	sys.root = &proc{sys: sys, opts: &defaults}
	return sys
}

// ContextOf returns the context of the actor's incarnation.
func ContextOf[M any](r Ref[M]) *Context[M] { return r.cell.proc.ctx.Load().typed.(*Context[M]) }

// ModelSlot is a slot that is used for one ask after the other, as a pool may
// have it.
type ModelSlot struct{ slot replySlot[int] }

// Ask does what Ask does with its slot. Send is called with the reply address.
func (m *ModelSlot) Ask(ctx context.Context, on *sched.Scheduler, send func(Reply[int])) (int, error) {
	s := &m.slot
	s.waiter.Arm(ctx, on)
	round := s.open(nil, nil, address{}, AskWait, Data)
	send(Reply[int]{slot: s, round: round})
	err := s.wait(ctx, round)
	v := s.value
	if err == nil {
		err = s.err
	}
	s.clear()
	return v, err
}
