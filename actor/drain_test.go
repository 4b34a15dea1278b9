package actor_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// drain begins to drain an actor that is held by its gate, and returns where
// the result will come.
func drain(tb testing.TB, ctx context.Context, ref actor.Ref[int]) <-chan error {
	tb.Helper()
	drained := make(chan error, 1)
	go func() { drained <- ref.Drain(ctx) }()
	until(tb, ctx, func() bool { return actor.Asked(ref) })
	return drained
}

// A drain ends also when the last message uses up what the actor may handle at
// a time.
func TestDrainThatEndsWithTheTurn(t *testing.T) {
	for _, lane := range lanes {
		for _, n := range []int{0, 1, 2, 3, 99, 100} {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{Workers: 1})
			g := newGate()
			ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithThroughput(max(1, n))).On(lane)
			g.hold(t, ctx, ref)
			for i := range n {
				send(t, ctx, ref, i+1)
			}
			drained := drain(t, ctx, ref)
			close(g.open)
			wantNoErr(t, receive(t, ctx, drained))
			if len(g.seen) != n {
				t.Errorf("%d of %d %v messages were handled", len(g.seen), n, lane)
			}
		}
	}
}

// A drain ends also when something critical comes with the last message.
func TestDrainThatIsInterrupted(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1})
	other := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	g := newGate()
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 1 {
			return other.On(actor.Control).Send(c, 1)
		}
		return g.Receive(c, m)
	})
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1)
	drained := drain(t, ctx, ref)
	close(g.open)
	wantNoErr(t, receive(t, ctx, drained))
}

func TestDrainAcceptsNothingNew(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	selfSend := make(chan error, 1)
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 2 {
			selfSend <- c.Self().Send(c, 3)
		}
		return g.Receive(c, m)
	}, actor.WithCapacity(actor.Data, 2))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2)
	waits := make(chan error, 1)
	go func() { waits <- ref.Send(ctx, 4) }()
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 1 })
	drained := drain(t, ctx, ref)
	close(g.open)
	wantNoErr(t, receive(t, ctx, drained))
	wantErr(t, receive(t, ctx, selfSend), actor.ErrStopped)
	wantErr(t, receive(t, ctx, waits), actor.ErrStopped)
	wantErr(t, ref.Send(ctx, 5), actor.ErrStopped)
	if handled, letters := len(g.seen), sys.Stats().DeadLetters; handled != 2 || letters != 3 {
		t.Errorf("%d messages were handled and %d dead letters counted, want 2 and 3", handled, letters)
	}
}

func TestStopCutsADrainShort(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2)
	drained := drain(t, ctx, ref)
	wantErr(t, ref.Stop(ended()), context.Canceled)
	close(g.open)
	wantNoErr(t, receive(t, ctx, drained))
	if handled, letters := len(g.seen), sys.Stats().DeadLetters; handled != 0 || letters != 2 {
		t.Errorf("%d messages were handled and %d dead letters counted, want 0 and 2", handled, letters)
	}
}

func TestFailureEndsADrain(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			g := newGate()
			var reason error
			ref := spawnActor(t, sys, actor.Actor[int](&hooks[int]{
				receive: func(c *actor.Context[int], m int) error {
					if m == 1 {
						return f.fail()
					}
					return g.Receive(c, m)
				},
				stopped: func(_ *actor.Context[int], r error) { reason = r },
			}))
			g.hold(t, ctx, ref)
			send(t, ctx, ref, 1, 2)
			drained := drain(t, ctx, ref)
			close(g.open)
			wantNoErr(t, receive(t, ctx, drained))
			wantErr(t, reason, f.reason)
			if n := sys.Stats().DeadLetters; n != 1 {
				t.Errorf("%d dead letters, want 1", n)
			}
		})
	}
}

// Whatever is accepted is handled or becomes a dead letter, however the actor
// ends while others send.
func TestNothingAcceptedIsLost(t *testing.T) {
	ends := map[string]func(context.Context, *actor.System, *traffic) error{
		"drain":       func(ctx context.Context, _ *actor.System, f *traffic) error { return f.to.Drain(ctx) },
		"stop":        func(ctx context.Context, _ *actor.System, f *traffic) error { return f.to.Stop(ctx) },
		"system stop": func(ctx context.Context, sys *actor.System, _ *traffic) error { return sys.Stop(ctx) },
		"failure": func(ctx context.Context, _ *actor.System, f *traffic) error {
			_ = f.count(f.to.On(actor.Control).Send(ctx, -1))
			for f.count(f.to.Send(ctx, 1)) == nil {
				continue
			}
			return f.to.Stop(ctx) // It may still be busy with its dead letters.
		},
	}
	for name, end := range ends {
		for _, capacity := range []int{1, 4, 1024} {
			t.Run(fmt.Sprint(name, capacity), func(t *testing.T) {
				for range 20 {
					nothingIsLost(t, capacity, end)
				}
			})
		}
	}
}

// traffic counts what becomes of the messages to an actor.
type traffic struct {
	to                                  actor.Ref[int]
	accepted, refused, handled, letters atomic.Int64
}

func (f *traffic) count(err error) error {
	switch {
	case err == nil:
		f.accepted.Add(1)
	case errors.Is(err, actor.ErrStopped):
		f.refused.Add(1)
	}
	return err
}

func (f *traffic) Receive(_ *actor.Context[int], m int) error {
	f.handled.Add(1)
	if m < 0 {
		return errHook
	}
	return nil
}

func nothingIsLost(t testing.TB, capacity int, end func(context.Context, *actor.System, *traffic) error) {
	t.Helper()
	ctx := guarded(t)
	var f traffic
	sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) { f.letters.Add(1) }})
	f.to = spawnActor(t, sys, actor.Actor[int](&f), actor.WithCapacity(actor.Data, capacity), actor.WithThroughput(7))
	var all sync.WaitGroup
	begun := make(chan struct{}, 4)
	for s := range 4 {
		all.Go(func() {
			for i := 0; !errors.Is(f.count(sendImpatiently(ctx, f.to.On(lanes[(s+i)%3]), 1)), actor.ErrStopped); i++ {
				if i == 20 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range 2 {
		receive(t, ctx, begun)
	}
	wantNoErr(t, end(ctx, sys, &f))
	all.Wait()
	if in, out := f.accepted.Load()+f.refused.Load(), f.handled.Load()+f.letters.Load(); in != out {
		t.Errorf("%d accepted + %d refused, but %d handled + %d dead letters",
			f.accepted.Load(), f.refused.Load(), f.handled.Load(), f.letters.Load())
	}
	if n := sys.Stats().DeadLetters; int64(n) != f.letters.Load() {
		t.Errorf("%d dead letters were counted, %d shown", n, f.letters.Load())
	}
}
