// Package keptcontext has actors that use a Context where it has no effect, and others that do not.
package keptcontext

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/task"
)

type keeper struct {
	ctx   *actor.Context[string]
	other *keeper
	name  string
}

// One and two: it is kept, and used by another handler.
func (k *keeper) Started(ctx *actor.Context[string]) error {
	k.ctx = ctx // want `the Context is kept in the field ctx`
	return nil
}

func (k *keeper) Receive(ctx *actor.Context[string], m string) error {
	return k.ctx.Become(k.later) // want `Become by a Context that was kept in a field`
}

func (k *keeper) later(ctx *actor.Context[string], m string) error {
	go func() {
		_ = ctx.Unbecome() // want `Unbecome beside the handler`
	}()
	return k.other.ctx.Stash(m) // want `Stash by a Context that was kept in a field`
}

// Three to six: functions that run beside the handler.
func beside(ctx *actor.Context[string], m string) error {
	time.AfterFunc(time.Second, func() {
		_, _ = ctx.Unstash() // want `Unstash beside the handler`
	})
	if err := actor.PipeToSelf(ctx, func(context.Context) (int, error) {
		return 1, ctx.Stash(m) // want `Stash beside the handler`
	}, func(int, error) string { return "" }); err != nil {
		return err
	}
	_, err := task.Run(ctx, task.FirstFailure[int](), func(_ context.Context, g *task.Group[int]) error {
		_, err := g.Go(func(context.Context) (int, error) {
			return 0, ctx.Become(nil) // want `Become beside the handler`
		})
		return err
	})
	return err
}

// All below is right. One: by the handler's own Context.
type good struct {
	name  string
	self  actor.Ref[string]
	since time.Time
}

func (g *good) Receive(ctx *actor.Context[string], m string) error {
	g.self = ctx.Self() // Two: a ref may be kept.
	g.name = ctx.Name()
	if m == "later" {
		return ctx.Stash(m)
	}
	return ctx.Become(g.opened)
}

// Three: a function that is called at once.
func (g *good) opened(ctx *actor.Context[string], m string) error {
	close := func() error { return ctx.Unbecome() }
	return close()
}

// Four: what may be done on any goroutine.
func (g *good) Started(ctx *actor.Context[string]) error {
	go func() {
		<-ctx.Done()
		_ = ctx.Self().Send(ctx, "ended")
	}()
	return nil
}

// Five: a handler that is made in a goroutine has a Context of its own.
func spawn(sys *actor.System) {
	go func() {
		_, _ = actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], m string) error {
			return ctx.Stash(m)
		}))
	}()
}

// Six: a value that lives for one call may have the Context.
type call struct{ ctx *actor.Context[string] }

func (g *good) pass(ctx *actor.Context[string], m string) error {
	c := &call{}
	c.ctx = ctx
	return c.do(m)
}

func (c *call) do(m string) error { return c.ctx.Self().Send(c.ctx, m) }

// Seven: it is renewed with each message.
type renews struct{ ctx *actor.Context[string] }

func (r *renews) Receive(ctx *actor.Context[string], m string) error {
	r.ctx = ctx
	return r.tell(m)
}

func (r *renews) tell(m string) error { return r.ctx.Self().Send(r.ctx, m) }

func (r *renews) keepsLate(ctx *actor.Context[string], m string) error {
	if m == "first" {
		r.ctx = ctx // want `the Context is kept in the field ctx`
	}
	return nil
}
