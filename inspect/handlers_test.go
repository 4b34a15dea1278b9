package inspect_test

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// starter is a gate with a hook.
type starter struct{ *gate }

func (starter) Started(*actor.Context[int]) error { return nil }

// Slow and late handlers and dropped messages are counted by the kind of actor, and the time of handlers also by what
// they handle.
func TestHandlersByKind(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	cfg := quiet
	cfg.SampleEvery, cfg.SlowAfter = 1, time.Millisecond
	i := newInspector(t, sys, cfg)
	events := i.Subscribe(inspect.Subscription{})
	defer events.Close()
	await := func(kind inspect.EventKind) {
		t.Helper()
		for {
			// On a busy machine the hook may be slow, too.
			if e := next(t, ctx, events); e.Kind == kind && e.Handler == "send" {
				if e.ActorKind != "inspect_test.starter" || e.Message != "int" {
					t.Errorf("the event is %+v", e)
				}
				return
			}
		}
	}
	g := newGate()
	slow := spawn(t, sys, actor.Actor[int](starter{g}), actor.WithCapacity(actor.Data, 1), actor.WithBuffer(actor.Data, actor.Dropping))
	g.hold(t, ctx, slow)
	send(t, ctx, slow, 1, 2, 3) // The lane drops two.
	await(inspect.BlockedHandler)
	g.open <- struct{}{}
	await(inspect.SlowHandler)
	late := spawn(t, sys, actor.Actor[int](starter{g}), actor.WithSendTimeout(time.Millisecond, actor.TimeoutWarn))
	send(t, ctx, late, 1)
	await(inspect.TimedOut)
	close(g.open)
	wantNoErr(t, slow.Drain(ctx))
	wantNoErr(t, late.Drain(ctx))
	wantNoErr(t, sys.Stop(ctx))
	for _, k := range i.Metrics().Kinds {
		if k.Kind != "inspect_test.starter" {
			continue
		}
		if k.Dropped["data"] != 2 || k.Dropped["control"] != 0 || k.SlowHandlers == 0 || k.Timeouts["warn"] != 1 || k.Timeouts["stop"] != 0 {
			t.Errorf("the figures are %+v", k)
		}
		if k.Durations["send"].Count != 3 || k.Durations["Started"].Count != 2 || k.Duration.Count != 3 {
			t.Errorf("%d messages, %d hooks and %d in all were measured", k.Durations["send"].Count, k.Durations["Started"].Count, k.Duration.Count)
		}
		return
	}
	t.Error("the kind is missing")
}
