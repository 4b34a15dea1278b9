//go:build modelcheck

package actor_test

import (
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// pumping has senders to an actor that lives in an event loop. The loop sleeps when
// it is told to wait, until the doorbell rings, and gives one actor its turn at a
// time if it is short.
func pumping(short bool, throughput int, each ...int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		var bell xatomic.Bool
		pump := must(actor.NewPump(s.sys, func() { bell.Store(true) }))
		s.spawn(actor.WithPump(pump), actor.WithThroughput(throughput))
		budget := time.Hour
		if short {
			budget = 0
		}
		s.Go("loop", func() {
			for s.left > 0 {
				if must(pump.Run(budget)) == actor.ParkPoll || s.left == 0 {
					continue
				}
				bell.Await(func(rung bool) bool { return rung })
				bell.Store(false)
			}
		})
		for id, n := range each {
			s.sender(background, id, make([]actor.Lane, n)...)
		}
	}
}
