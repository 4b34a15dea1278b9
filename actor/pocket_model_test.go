//go:build modelcheck

package actor_test

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// killing has somebody kill an actor that lives in an event loop, where an activation that has
// lost its actor comes back. Meanwhile messages come, and maybe the message of a timer. The
// parent restarts the actor. Every message that no handler has when the actor is killed goes
// to the next incarnation.
func killing(throughput int, tick bool, opts []actor.Option, each ...[]actor.Lane) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		var bell xatomic.Bool
		pump := must(actor.NewPump(s.sys, func() { bell.Store(true) }))
		parent := must(actor.Spawn(s.sys, restarter{s}, actor.WithPump(pump)))
		incarnations := 0
		second := make(map[int]bool) // The messages that the second incarnation has handled.
		s.ref = must(actor.SpawnNew(actor.ContextOf(parent), func() actor.Actor[int] {
			incarnations++
			n := incarnations
			return actor.Func(func(c *actor.Context[int], m int) error {
				second[m] = n == 2
				return s.receive(c, m)
			})
		}, append(opts, actor.WithPump(pump), actor.WithThroughput(throughput))...))
		s.Go("loop", func() {
			for s.left > 0 {
				if must(pump.Run(time.Hour)) == actor.ParkPoll || s.left == 0 {
					continue
				}
				bell.Await(func(rung bool) bool { return rung })
				bell.Store(false)
			}
		})
		for id, lanes := range each {
			s.sender(background, id, lanes...)
		}
		s.onSent = func() { bell.Store(true) } // The last event may be the sender's.
		s.left++
		s.Go("kill", func() {
			_ = s.ref.Kill()
			for _, m := range actor.NotInHand(s.ref) {
				p.Finally(func() error {
					if !second[m] {
						return fmt.Errorf("message %d waited when the actor had been killed, and was not the next incarnation's", m)
					}
					return nil
				})
			}
			s.event()
			bell.Store(true)
		})
		if tick {
			timer := must(actor.SendAfter(s.sys, time.Hour, s.ref, theTick))
			s.left, s.messages = s.left+1, s.messages+1
			s.Go("fire", func() {
				actor.Fire(timer)
				bell.Store(true)
			})
		}
	}
}

// narrow has an actor with room for one message of Data, and one that is not for Data
// to handle before.
func narrow(p *modelcheck.Program) {
	s := newActorModel(p)
	s.spawn(actor.WithCapacity(actor.Data, 1))
	s.workers(1)
	s.sender(background, 0, actor.Control, actor.Data)
	s.sender(background, 1, actor.Data)
}

// measuring has every message measured, and the first of those that wait together stamped
// at least.
func measuring(each ...int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		var latencies []time.Duration
		must(s.sys.Observe(&actor.Probe{SampleEvery: 1, Handled: func(m actor.Sample) { latencies = append(latencies, m.Latency) }}))
		s.spawn()
		s.workers(1)
		for id, n := range each {
			s.sender(background, id, make([]actor.Lane, n)...)
		}
		p.Finally(func() error {
			unknown := 0
			for _, l := range latencies {
				if l < 0 {
					unknown++
				}
			}
			if len(latencies) != len(s.handled) || unknown == len(latencies) {
				return fmt.Errorf("of %d messages %d are measured, %d without latency", len(s.handled), len(latencies), unknown)
			}
			return nil
		})
	}
}
