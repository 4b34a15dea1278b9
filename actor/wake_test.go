package actor_test

import (
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

// wokenActor notes messages, and that it was woken by 0.
type wokenActor struct {
	seen chan int
	fail bool
}

func (w *wokenActor) Receive(_ *actor.Context[int], m int) error { w.seen <- m; return nil }

func (w *wokenActor) Woken(*actor.Context[int]) error {
	w.seen <- 0
	if w.fail {
		return errHook
	}
	return nil
}

func TestWokenHook(t *testing.T) { simulated.Too(t, testWokenHook) }

func testWokenHook(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	w := &wokenActor{seen: make(chan int, 10)}
	ref := spawnActor(t, sys, actor.Actor[int](w))
	suspend(t, ctx, sys, ref.PID())
	send(t, ctx, ref.On(actor.Control), 1)
	for range 2 { // Once for each call, also while it is suspended.
		wantNoErr(t, sys.Wake(ref.PID()))
		if got := receive(t, ctx, w.seen); got != 0 {
			t.Errorf("a suspended actor has got %d", got)
		}
	}
	wantNoErr(t, sys.Resume(ref.PID()))
	if got := receive(t, ctx, w.seen); got != 1 {
		t.Errorf("got %d, want the message", got)
	}
	until(t, ctx, func() bool { return actor.Idle(ref) })
	w.fail = true
	wantNoErr(t, sys.Wake(ref.PID()))
	receive(t, ctx, ref.Done())
	wantErr(t, ref.Err(), errHook)
	wantErr(t, sys.Wake(ref.PID()), actor.ErrStalePID)
	plain := spawn(t, sys, func(_ *actor.Context[int], m int) error { w.seen <- m; return nil })
	wantNoErr(t, sys.Wake(plain.PID())) // It has no hook, so nothing happens.
	send(t, ctx, plain, 2)
	for got := range w.seen {
		if got == 2 {
			break
		}
	}
	wantErr(t, (*actor.System)(nil).Wake(ref.PID()), actor.ErrNoSystem)
}
