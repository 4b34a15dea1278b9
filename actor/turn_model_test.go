//go:build modelcheck

package actor_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
	"github.com/troupe-go/troupe/sched"
)

// turnModel is a reentrant actor in a model, that a parent may restart. The handler of message
// 0 waits until a thread wakes it, while others may be handled.
type turnModel struct {
	*actorModel
	turnConfig
	waiter       workers.Waiter // Of the handler that waits.
	armed        xatomic.Bool
	woken        bool // The event that it waits for has happened.
	incarnations int
	// begun is called for each message with the number of the incarnation.
	begun func(m, incarnation int)
}

// turnConfig says what turnModel it is.
type turnConfig struct {
	restarted bool // By a parent.
	fails     bool // The handler that has waited returns an error.
	reads     bool // The messages whose numbers are even only read, and may be handled at once.
	tick      int  // A timer sends this message, if it is not 0.
}

func newTurnModel(p *modelcheck.Program, of turnConfig) *turnModel {
	s := &turnModel{turnConfig: of, actorModel: newActorModel(p), begun: func(int, int) {}}
	opts := []actor.Option{actor.WithReentrancy(actor.FullReentrancy)}
	if s.reads {
		opts = []actor.Option{actor.WithReadOnly(onlyReads), actor.WithMaxReaders(2)}
	}
	var at actor.Spawner = s.sys
	if s.restarted {
		at = actor.ContextOf(must(actor.Spawn(s.sys, restarter{s.actorModel})))
	}
	s.ref = must(actor.SpawnNew(at, func() actor.Actor[int] {
		s.incarnations++
		g := turnIncarnation{turnModel: s, incarnation: s.incarnations, inside: new(xatomic.Int32), writing: new(xatomic.Int32)}
		return actor.Func(g.receive)
	}, opts...))
	p.Finally(func() error {
		if n := actor.Ghosts(s.sys); n != 0 {
			return fmt.Errorf("%d ghosts are left", n)
		}
		return nil
	})
	for i := range 2 {
		f := s.model.Host()
		s.GoExiting(fmt.Sprintf("worker %d", i), func() { s.model.Work(f) })
	}
	if s.tick != 0 {
		timer := must(actor.SendAfter(s.sys, time.Hour, s.ref, s.tick))
		s.left, s.messages = s.left+1, s.messages+1
		s.Go("fire", func() { actor.Fire(timer) })
	}
	s.act("rouser", func() error {
		s.armed.Await(func(armed bool) bool { return armed })
		s.woken = true
		s.waiter.Wake(nil, sched.Normal)
		return nil
	})
	return s
}

// turnIncarnation is one incarnation of it.
type turnIncarnation struct {
	*turnModel
	incarnation int
	inside      *xatomic.Int32 // Handlers that run. Of an actor with readers, also those that wait.
	writing     *xatomic.Int32
}

func onlyReads(m int) bool { return m%2 == 0 }

func (s turnIncarnation) enter(m int) {
	switch n := s.inside.Add(1); {
	case s.reads && onlyReads(m):
		if s.writing.Load() != 0 {
			s.fault("message %d reads beside a write", m)
		}
	case n != 1:
		s.fault("%d handlers of incarnation %d run at once, one of them of message %d", n, s.incarnation, m)
	default:
		s.writing.Add(1)
	}
}

func (s turnIncarnation) leave(m int) {
	if !s.reads || !onlyReads(m) {
		s.writing.Add(-1)
	}
	s.inside.Add(-1)
}

// look is called where the handler runs, and the context of the incarnation that is the
// last one so far leads to it.
func (s turnIncarnation) look(ctx *actor.Context[int]) {
	if s.incarnation == s.incarnations && !actor.IsFenced(ctx) && workers.Current(ctx) == nil {
		s.fault("the context of incarnation %d does not lead to its handler", s.incarnation)
	}
}

func (s turnIncarnation) receive(ctx *actor.Context[int], m int) (err error) {
	s.enter(m)
	s.look(ctx)
	s.begun(m, s.incarnation)
	s.handled = append(s.handled, m)
	for range 3 {
		s.inside.Load() // Others may do something.
		s.look(ctx)
	}
	if m == 0 {
		s.wait(ctx, m)
		if s.fails {
			err = errors.New("the first message")
		}
	}
	s.leave(m)
	s.event()
	return err
}

func (s turnIncarnation) wait(ctx *actor.Context[int], m int) {
	s.waiter.Arm(ctx, s.model.Scheduler())
	if !s.reads {
		s.leave(m)
	}
	s.armed.Store(true)
	for !s.woken { // The end of a context would come by a goroutine, which is none of the model's.
		s.waiter.Wait(background)
	}
	if !s.reads {
		s.enter(m)
	}
	s.look(ctx)
}

// turning has senders to an actor of which one handler waits, and maybe fails then.
func turning(of turnConfig, each ...int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newTurnModel(p, of)
		for id, n := range each {
			s.sender(background, id, make([]actor.Lane, n)...)
		}
	}
}

// turningAtAnEnd has somebody end such an actor, or its incarnation.
func turningAtAnEnd(of turnConfig, end func(*turnModel) error, each ...int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newTurnModel(p, of)
		for id, n := range each {
			s.sender(background, id, make([]actor.Lane, n)...)
		}
		s.act("end", func() error {
			s.armed.Await(func(armed bool) bool { return armed }) // Else nobody may ever wait.
			return end(s)
		})
	}
}

func killTurnModel(s *turnModel) error {
	if err := s.ref.Kill(); err != nil {
		return err
	}
	waiting := actor.NotInHand(s.ref)
	seen := map[int]int{}
	s.begun = func(m, incarnation int) { seen[m] = incarnation }
	s.Finally(func() error {
		for _, m := range waiting {
			if seen[m] != 2 {
				return fmt.Errorf("message %d waited when the actor had been killed, and incarnation %d has handled it", m, seen[m])
			}
		}
		return nil
	})
	return nil
}

func stopTurnModel(s *turnModel) error  { return s.ref.Stop(background) }
func drainTurnModel(s *turnModel) error { s.drained = true; return s.ref.Drain(background) }
