// Package droppederror has handlers that drop the errors of sends.
package droppederror

import (
	"context"

	"github.com/troupe-go/troupe/actor"
)

type ask struct{ done actor.Reply[int] }

type drops struct{ other actor.Ref[int] }

func (d *drops) Receive(ctx *actor.Context[ask], m ask) error {
	d.other.Send(ctx, 1)                    // want `the error of Ref.Send is dropped`
	d.other.TrySend(ctx, 1)                 // want `the error of Ref.TrySend is dropped`
	d.other.On(actor.Control).Offer(ctx, 1) // want `the error of Ref.Offer is dropped`
	m.done.Send(ctx, 1)                     // want `the error of Reply.Send is dropped`
	return nil
}

func (d *drops) Started(ctx *actor.Context[ask]) error {
	defer d.other.Send(ctx, 2) // want `the error of Ref.Send is dropped`
	go d.other.Send(ctx, 3)    // want `the error of Ref.Send is dropped`
	return nil
}

var literal = actor.Func(func(ctx *actor.Context[ask], m ask) error {
	func() {
		m.done.Fail(ctx, context.Canceled) // want `the error of Reply.Fail is dropped`
	}()
	return nil
})

// All below is right. One and two: it is returned, or looked at.
func returns(ctx *actor.Context[ask], m ask) error {
	if err := m.done.Send(ctx, 1); err != nil {
		return err
	}
	return m.done.Send(ctx, 2)
}

// Three: it is dropped on purpose.
func onPurpose(ctx *actor.Context[ask], m ask) error {
	_ = m.done.Send(ctx, 1)
	return nil
}

// Four: a function that is no handler is the business of other linters.
func outside(ctx context.Context, to actor.Ref[int]) {
	to.Send(ctx, 1)
}

// Five: methods without such an error.
func others(ctx *actor.Context[ask], m ask) error {
	ctx.Stop()
	ctx.Self().Kill()
	return m.done.Send(ctx, 1)
}

// Six: it is silenced.
func silenced(ctx *actor.Context[ask], m ask) error {
	//troupe:ignore droppederror: nobody minds
	m.done.Send(ctx, 1)
	return nil
}
