package actor_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// A message that closes a ring, and makes room for itself by a dead letter, ends the ring. It
// does so even if the function that receives the dead letter calls Goexit. The message may be
// sent, or come from a timer.
func TestGoexitOfADeadLetterFunctionInARing(t *testing.T) {
	for name, move := range map[string]func(*actor.System, instructedRef, instruction) error{
		"send": func(_ *actor.System, to instructedRef, m instruction) error { return to.Send(context.Background(), m) },
		"tick": func(sys *actor.System, to instructedRef, m instruction) error {
			_, err := actor.SendAfter(sys, 0, to, m)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) { runtime.Goexit() }})
			kept := make(chan actor.Reply[error], 1)
			hall := spawn(t, sys, func(_ *actor.Context[instruction], m instruction) error { kept <- m.reply; return nil })
			x := spawn(t, sys, run, actor.WithName("x"))
			y := spawn(t, sys, run, actor.WithName("y"), actor.WithCapacity(actor.Data, 1), actor.WithBuffer(actor.Data, actor.Sliding))
			ended := make(chan error, 1)
			go func() {
				ended <- let(ctx, x, func(c *actor.Context[instruction]) error { return let(c, hall, nil) })
			}()
			reply := receive(t, ctx, kept)
			go func() {
				_ = let(ctx, y, func(c *actor.Context[instruction]) error { return let(c, x, nil) })
			}()
			until(t, ctx, func() bool {
				return slices.ContainsFunc(sys.Waits(), func(w actor.Wait) bool { return w.Name == "y" })
			})
			send(t, ctx, y, instruction{})
			go func() { _ = move(sys, y, instruction{reply: reply}) }()
			_ = wantRing(t, receive(t, ctx, ended), "x", "y")
		})
	}
}

// deliberate is a context that, when it is armed, takes its time before it answers that it has
// ended.
type deliberate struct {
	context.Context
	armed, done, asked, open chan struct{}
}

func (d *deliberate) Deadline() (time.Time, bool) { return time.Time{}, false }
func (d *deliberate) Done() <-chan struct{}       { return d.done }

func (d *deliberate) Err() error {
	select {
	case <-d.armed:
		close(d.asked)
		<-d.open
		return context.Canceled
	case <-d.done:
		return context.Canceled
	default:
		return nil
	}
}

// A handler that answers with an error looks at the asker's context. That context may be of
// any type. While it takes its time, the asker can leave.
func TestAskerLeavesWhileItsContextIsAsked(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	d := &deliberate{ctx, make(chan struct{}, 1), make(chan struct{}), make(chan struct{}), make(chan struct{})}
	kept, left := make(chan actor.Reply[int], 1), make(chan error, 1)
	ref := spawn(t, sys, func(_ *actor.Context[question], q question) error { kept <- q.reply; return nil })
	go func() {
		_, err := actor.Ask(d, ref, asking(0))
		left <- err
	}()
	reply := receive(t, ctx, kept)
	late := make(chan error, 1)
	d.armed <- struct{}{}
	go func() { late <- reply.Fail(context.Background(), context.Canceled) }()
	receive(t, ctx, d.asked)
	close(d.done)
	select {
	case err := <-left:
		wantErr(t, err, context.Canceled)
	case <-ctx.Done():
		t.Error("the asker waits for who looks at its context")
	}
	close(d.open)
	wantErr(t, receive(t, ctx, late), actor.ErrLateReply)
}
