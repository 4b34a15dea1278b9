//go:build modelcheck

package actor_test

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// watching has a watchdog that looks at the handlers of an actor, again and again. It cancels
// each handler that it finds twice. This must not affect the next handler.
func watching(looks, messages int) func(*modelcheck.Program) {
	return func(p *modelcheck.Program) {
		s := newActorModel(p)
		var step xatomic.Bool
		s.ref = must(actor.Spawn(s.sys, actor.Func(func(ctx *actor.Context[int], m int) error {
			if ctx.Err() != nil {
				s.fault("message %d begins with a context that has ended by: %v", m, context.Cause(ctx))
			}
			step.Store(true) // It lasts.
			return s.receive(ctx, m)
		}), actor.WithHandlerTimeout(time.Nanosecond, actor.TimeoutCancel)))
		f := s.model.Fiber()
		s.Go("worker", func() { s.model.Work(f) })
		s.sender(background, 0, make([]actor.Lane, messages)...)
		s.act("watchdog", func() error {
			for now := range looks {
				actor.ModelLook(s.sys, f, time.Duration(now)*time.Hour)
			}
			return nil
		})
	}
}
