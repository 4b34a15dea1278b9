//go:build modelcheck

package actor_test

import (
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// theTick is the message of a timer. All other messages come from an actorModel.
const theTick = 99

// revoking has a timer that fires while somebody stops it, maybe in a lane that has no
// room. Its message is handled if, and only if, the stop was late; the others are
// in any case, in their order.
func revoking(full bool, others int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		var opts []actor.Option
		if full {
			opts = append(opts, actor.WithCapacity(actor.Data, 1))
		}
		s.spawn(opts...)
		s.workers(1)
		timer := must(actor.SendAfter(s.sys, time.Hour, s.ref, theTick))
		s.left, s.messages = 1, 1 // The tick: handled, or returned.
		s.act("fire", func() error { actor.Fire(timer); return nil })
		s.act("stop", func() error {
			if timer.Stop() {
				s.returned = append(s.returned, theTick)
				s.event()
			}
			return nil
		})
		if others > 0 {
			s.sender(background, 0, make([]actor.Lane, others)...)
		}
	}
}

// stoppingWithin has a timer that fires so often, while a handler of the receiver stops
// it. No message of it is handled from then on, and another message behind is.
func stoppingWithin(times int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		var timer actor.Timer
		stopped := false
		s.ref = must(actor.Spawn(s.sys, actor.Func(func(c *actor.Context[int], m int) error {
			switch {
			case m != theTick:
			case stopped:
				s.fault("a tick was handled after the stop")
				return nil
			default:
				return nil
			}
			if m == 0 {
				timer.Stop()
				stopped = true
			}
			return s.receive(c, m)
		})))
		s.workers(1)
		timer = must(actor.Every(s.sys, time.Hour, s.ref, theTick))
		s.act("fire", func() error {
			for range times {
				actor.Fire(timer)
			}
			return nil
		})
		s.sender(background, 0, actor.Data, actor.Data)
	}
}

// makingRoom has a tick that may wait in the only place of a lane, and a handler that
// waits for a sender to get room, which may depend on the timer's stop.
func makingRoom(p *modelcheck.Program) {
	s := newActorModel(p)
	var in xatomic.Bool
	s.ref = must(actor.Spawn(s.sys, actor.Func(func(c *actor.Context[int], m int) error {
		if m == 0 {
			in.Await(func(in bool) bool { return in })
		}
		return s.receive(c, m)
	}), actor.WithCapacity(actor.Data, 1)))
	timer := must(actor.SendAfter(s.sys, time.Hour, s.ref, theTick))
	s.left, s.messages = 2, 2
	if err := s.ref.Send(background, 0); err != nil {
		panic(err)
	}
	s.workers(1)
	s.act("fire", func() error { actor.Fire(timer); return nil })
	s.act("stop", func() error {
		if timer.Stop() {
			s.returned = append(s.returned, theTick)
			s.event()
		}
		return nil
	})
	s.sender(background, 1, actor.Data)
	s.onSent = func() { in.Store(true) }
}
