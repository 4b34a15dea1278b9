package inspect_test

import (
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

func TestMailboxesThatFillUp(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	cfg := quiet
	cfg.ScanEvery, cfg.Watermark = soon, 0.5
	i := newInspector(t, sys, cfg)
	s := i.Subscribe(inspect.Subscription{})
	g := newGate()
	ref := spawn(t, sys, actor.Actor[int](g), actor.WithCapacity(actor.Data, 100))
	g.hold(t, ctx, ref)
	for range 49 {
		send(t, ctx, ref, 1)
	}
	send(t, ctx, ref, 1)
	if e := next(t, ctx, s); e.Kind != inspect.MailboxHigh || e.PID != ref.PID() || e.Mailbox != 50 || e.Lane != "data" {
		t.Errorf("the event is %+v", e)
	}
	for range 50 {
		send(t, ctx, ref, 1)
	}
	if e := next(t, ctx, s); e.Kind != inspect.MailboxHigh || e.Mailbox != 100 {
		t.Errorf("the event at twice the length is %+v", e)
	}
	close(g.open)
	go func() {
		for range g.entered {
		}
	}()
	if e := next(t, ctx, s); e.Kind != inspect.MailboxNormal {
		t.Errorf("the event in the end is %+v", e)
	}
	wantNoErr(t, ref.Drain(ctx))
	close(g.entered)
}

// A lane without a limit has no share that is too much, but a length.
func TestUnboundedMailboxThatFillsUp(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	cfg := quiet
	cfg.ScanEvery, cfg.Watermark = soon, 0.5
	i := newInspector(t, sys, cfg)
	s := i.Subscribe(inspect.Subscription{})
	g := newGate()
	ref := spawn(t, sys, actor.Actor[int](g), actor.WithBuffer(actor.Data, actor.Unbounded))
	g.hold(t, ctx, ref)
	for range 5000 {
		send(t, ctx, ref, 1)
	}
	if e := next(t, ctx, s); e.Kind != inspect.MailboxHigh || e.Mailbox != 5000 {
		t.Errorf("the event is %+v", e)
	}
	if a, err := i.Actor(ref.PID()); err != nil || a.Lanes[2].Capacity != 0 || a.Lanes[2].Length != 5000 {
		t.Errorf("the actor is %+v, %v", a, err)
	}
	close(g.open)
	go func() {
		for range g.entered {
		}
	}()
	wantNoErr(t, ref.Drain(ctx))
	close(g.entered)
}
