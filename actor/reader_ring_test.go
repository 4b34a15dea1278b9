package actor_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// A write that waits for readers may close a ring in which it is neither an asker nor asked:
// the reader that is part of it gets the error, whatever it waits for.
func TestWriteEndsTheWaitOfAReader(t *testing.T) {
	waits := map[actor.WaitKind]func(ctx context.Context, other actor.Ref[int]) error{
		actor.SendWait: func(ctx context.Context, other actor.Ref[int]) error { return other.Send(ctx, 3) },
		actor.StopWait: func(ctx context.Context, other actor.Ref[int]) error { return other.Stop(ctx) },
	}
	for kind, wait := range waits {
		t.Run(kind.String(), func(t *testing.T) {
			for n := 0; !writeEndsTheWait(t, kind, wait); n++ {
				if n == 100 {
					t.Fatal("the ask has closed the ring each time")
				}
			}
		})
	}
}

// writeEndsTheWait returns false if the write came between the begin of the other actor's ask and its search for rings: then
// the ask has closed the ring, and gets the error.
func writeEndsTheWait(t *testing.T, kind actor.WaitKind, wait func(ctx context.Context, other actor.Ref[int]) error) bool {
	t.Helper()
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	shared := spawnShared(t, sys, 2)
	answered := make(chan error, 1)
	other := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 1 {
			_, err := o.ask(c, 1)
			answered <- errors.Join(err, visit(c, shared, false, nil))
		}
		return nil
	}, actor.WithCapacity(actor.Data, 1))
	send(t, ctx, other, 1)
	begin := o.next(t, ctx)
	send(t, ctx, other, 2) // Now it is full.
	go func() {
		_ = visit(ctx, shared, false, func(c *actor.Context[access]) error {
			_, err := o.ask(c, 2)
			return err
		})
	}()
	end := o.next(t, ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- visit(ctx, shared, false, func(c *actor.Context[access]) error { return wait(c, other) })
	}()
	known := func(of actor.PID, kind actor.WaitKind) {
		until(t, ctx, func() bool {
			return slices.ContainsFunc(sys.Waits(), func(w actor.Wait) bool { return w.PID == of && w.Kind == kind })
		})
	}
	known(shared.PID(), kind)
	wantNoErr(t, begin.reply.Send(ctx, 0)) // The other asks, behind two readers. One of these may go on.
	until(t, ctx, func() bool { i, err := shared.Info(); return err == nil && i.Mailbox[actor.Data] == 1 })
	known(other.PID(), actor.AskWait)
	send(t, ctx, shared.On(actor.Control), access{write: true})
	wantNoErr(t, end.reply.Send(ctx, 0)) // It leaves, and the write waits for the other reader.
	of := receive(t, ctx, ended)
	if of == nil {
		wantErr(t, receive(t, ctx, answered), actor.ErrCycle)
		return false
	}
	wantErr(t, of, actor.ErrCycle)
	wantNoErr(t, receive(t, ctx, answered))
	return true
}
