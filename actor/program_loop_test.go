package actor_test

import (
	"errors"
	"runtime"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
)

// turnLoops starts the event loop of the actors that live in one, and the main one. The first
// may be late, or stop for a while. A simulation has no use for them.
func (p *program) turnLoops() {
	bell := make(chan struct{}, 1)
	pump, err := actor.NewPump(p.sys, func() {
		select {
		case bell <- struct{}{}:
		default:
		}
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.pump = pump
	if p.sim != nil {
		return
	}
	budget := time.Duration(rapid.IntRange(0, 3).Draw(p.draw, "budget")) * 20 * time.Microsecond
	lazy := rapid.IntRange(0, 30).Draw(p.draw, "lazy")
	over := make(chan struct{})
	p.draw.Cleanup(func() {
		close(over)
		if p.ctx.Err() == nil {
			p.loops.Wait()
		}
	})
	p.loop(func() bool {
		for {
			hint, err := pump.Run(budget)
			if err != nil {
				p.t.Errorf("the pump: %v", err)
				return false
			}
			for range lazy {
				runtime.Gosched()
			}
			if hint == actor.ParkPoll {
				continue
			}
			select {
			case <-bell:
			case <-over:
				return false
			}
		}
	})
	p.loop(func() bool {
		err := p.sys.RunMain(p.ctx)
		if err != nil && !errors.Is(err, actor.ErrPumping) && p.ctx.Err() == nil {
			p.t.Errorf("the main loop: %v", err)
		}
		return false
	})
}

// loop calls turn on a goroutine, and again, on another one, when a handler has ended that.
func (p *program) loop(turn func() bool) {
	p.loops.Go(func() {
		again := true
		defer func() {
			if again {
				p.loop(turn)
			}
		}()
		again = turn()
	})
}
