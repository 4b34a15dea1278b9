package actor_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
)

// loop drives a pump as an event loop would, on a goroutine of its own, until
// the system has stopped.
type loop struct {
	pump *actor.Pump
	bell chan struct{}
	runs atomic.Int64
}

func newLoop(tb testing.TB, sys *actor.System) *loop {
	tb.Helper()
	l := &loop{bell: make(chan struct{}, 1)}
	pump, err := actor.NewPump(sys, func() {
		select {
		case l.bell <- struct{}{}:
		default:
		}
	})
	if err != nil {
		tb.Fatal(err)
	}
	l.pump = pump
	return l
}

// run goes on until ctx ends.
func (l *loop) run(ctx context.Context) {
	for ctx.Err() == nil {
		l.runs.Add(1)
		if hint, _ := l.pump.Run(time.Millisecond); hint == actor.ParkPoll {
			continue
		}
		select {
		case <-l.bell:
		case <-ctx.Done():
		}
	}
}

// The doorbell rings once for a batch, and not while the loop is at work.
func TestPumpRingsOncePerBatch(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	rung := 0
	pump, err := actor.NewPump(sys, func() { rung++ })
	wantNoErr(t, err)
	t.Cleanup(func() { // So that a failure ends, too.
		go func() {
			for sys.Stats().Actors > 0 {
				_, _ = pump.Run(time.Millisecond)
				runtime.Gosched()
			}
		}()
	})
	wantRun := func(budget time.Duration, want actor.ParkHint) {
		t.Helper()
		if got, err := pump.Run(budget); got != want || err != nil {
			t.Fatalf("Run returned %v, %v; want %v", got, err, want)
		}
	}
	wantRun(time.Hour, actor.ParkWait)
	var got []int
	var refs []actor.Ref[int]
	for range 3 {
		refs = append(refs, spawn(t, sys, func(ctx *actor.Context[int], m int) error {
			got = append(got, m)
			if m == 0 {
				if _, err := pump.Run(0); !errors.Is(err, actor.ErrPumping) {
					t.Errorf("Run in a handler returned %v", err)
				}
				return refs[2].Send(ctx, 100)
			}
			return nil
		}, actor.WithPump(pump), actor.WithThroughput(2)))
	}
	for range 3 {
		send(t, ctx, refs[0], 1, 2, 3)
		send(t, ctx, refs[1], 1, 0)
		if rung != 1 {
			t.Fatalf("the doorbell rang %d times for one batch", rung)
		}
		wantRun(0, actor.ParkPoll)
		wantRun(time.Hour, actor.ParkWait)
		if want := []int{1, 2, 1, 0, 3, 100}; !slices.Equal(got, want) {
			t.Fatalf("handled was %v, want %v", got, want)
		}
		if rung != 1 {
			t.Fatalf("the doorbell rang %d times while the loop was at work", rung)
		}
		got, rung = nil, 0
	}
	stopped := make(chan error)
	go func() { stopped <- sys.Stop(ctx) }()
	for running := true; running; {
		select {
		case err := <-stopped:
			wantNoErr(t, err)
			running = false
		default:
			_, err := pump.Run(0)
			wantNoErr(t, err)
			runtime.Gosched()
		}
	}
}

// No message is left behind when the loop goes to sleep.
func TestPumpLosesNoWakeUp(t *testing.T) {
	lane.Check(t)
	simulated.Too(t, testPumpLosesNoWakeUp)
}

func testPumpLosesNoWakeUp(t testing.TB) {
	ctx := guarded(t)
	looping, cancel := context.WithCancel(ctx)
	defer cancel()
	sys := newSystem(t, actor.Config{})
	l := newLoop(t, sys)
	go l.run(looping)
	ref := spawn(t, sys, answer, actor.WithPump(l.pump))
	const asks = 2000
	errs := make(chan error, 4)
	for range 4 {
		go func() {
			for n := range asks {
				if got, err := actor.Ask(ctx, ref, asking(n)); got != n+1 || err != nil {
					errs <- errors.Join(err, errors.New("answered "+strconv.Itoa(got)))
					return
				}
			}
			errs <- nil
		}()
	}
	for range 4 {
		wantNoErr(t, receive(t, ctx, errs))
	}
	wantNoErr(t, sys.Stop(ctx))
}

// Control messages put their actor before others on a backend, too.
func TestUrgentActorsOfAPumpGoFirst(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	pump, err := actor.NewPump(sys, func() {})
	wantNoErr(t, err)
	var got []string
	pumped := func(name string) actor.Ref[int] {
		return spawn(t, sys, func(*actor.Context[int], int) error { got = append(got, name); return nil }, actor.WithPump(pump))
	}
	a, b, c := pumped("a"), pumped("b"), pumped("c")
	send(t, ctx, a, 1)
	send(t, ctx, b, 1)
	send(t, ctx, c.On(actor.Control), 1)
	for n := 1; n <= 3; n++ {
		_, err := pump.Run(0)
		wantNoErr(t, err)
		if len(got) != n {
			t.Fatalf("after %d runs of one actor each it was the turn of %v", n, got)
		}
	}
	if want := []string{"c", "a", "b"}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
	endPumped(t, sys, pump)
}

// endPumped stops the system while it runs the pump.
func endPumped(tb testing.TB, sys *actor.System, pump *actor.Pump) {
	tb.Helper()
	stopped := make(chan error, 1)
	go func() { stopped <- sys.Stop(guarded(tb)) }()
	for len(stopped) == 0 {
		_, err := pump.Run(time.Hour)
		wantNoErr(tb, err)
		runtime.Gosched()
	}
	wantNoErr(tb, <-stopped)
}

// A handler that ends the loop's goroutine leaves a pump that the next loop can run,
// and the doorbell rings for what is left.
func TestGoexitInAPump(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	rung := 0
	pump, err := actor.NewPump(sys, func() { rung++ })
	wantNoErr(t, err)
	ending := spawn(t, sys, func(*actor.Context[int], int) error { runtime.Goexit(); return nil }, actor.WithPump(pump))
	handled := false
	other := spawn(t, sys, func(*actor.Context[int], int) error { handled = true; return nil }, actor.WithPump(pump))
	send(t, ctx, ending, 1)
	send(t, ctx, other, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = pump.Run(time.Hour)
		t.Error("the loop has outlived its handler")
	}()
	receive(t, ctx, over)
	if rung != 2 || handled {
		t.Errorf("the doorbell rang %d times, and the other actor was handled: %v", rung, handled)
	}
	if hint, err := pump.Run(time.Hour); hint != actor.ParkWait || err != nil || !handled {
		t.Errorf("the next loop was told to %v, %v; and the other actor was handled: %v", hint, err, handled)
	}
	receive(t, ctx, ending.Done())
	endPumped(t, sys, pump)
}

// A handler that waits holds up the loop. So one that waits for another actor of the loop
// waits for itself, whether it does so itself or by way of others, and is told so.
func TestRingThroughALoop(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	l := newLoop(t, sys)
	over, cancel := context.WithCancel(ctx)
	ran := make(chan struct{})
	go func() { defer close(ran); l.run(over) }()
	inLoop := func(name string, do func(c *actor.Context[question]) error) actor.Ref[question] {
		return spawn(t, sys, func(c *actor.Context[question], q question) error {
			if err := do(c); err != nil {
				return q.reply.Fail(c, err)
			}
			return q.reply.Send(c, q.n+1)
		}, actor.WithPump(l.pump), actor.WithName(name))
	}
	second := inLoop("second", func(*actor.Context[question]) error { return nil })
	between := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if _, err := actor.Ask(c, second, asking(1)); err != nil {
			return q.reply.Fail(c, err)
		}
		return q.reply.Send(c, q.n+1)
	}, actor.WithName("between"))
	for _, way := range []struct {
		name string
		do   func(c *actor.Context[question]) error
	}{
		{"ask", func(c *actor.Context[question]) error { _, err := actor.Ask(c, second, asking(1)); return err }},
		{"way", func(c *actor.Context[question]) error { _, err := actor.Ask(c, between, asking(1)); return err }},
		{"gather", func(c *actor.Context[question]) error {
			var a, b actor.Answer[int]
			return actor.Gather(c, actor.Into(&a, between, asking(1)), actor.Into(&b, second, asking(1)))
		}},
		{"stop", func(c *actor.Context[question]) error { return second.Stop(c) }},
	} {
		t.Run(way.name, func(t *testing.T) {
			if n, err := actor.Ask(ctx, between, asking(1)); err != nil || n != 2 {
				t.Errorf("outside of the loop: %d, %v", n, err)
			}
			_, err := actor.Ask(ctx, inLoop("first", way.do), asking(1))
			wantErr(t, err, actor.ErrCycle)
			var cycle *actor.CycleError
			if errors.As(err, &cycle); cycle == nil || !slices.ContainsFunc(cycle.Waits, func(w actor.Wait) bool {
				return w.Kind == actor.LoopWait && w.Name == "second" && w.OnName == "first"
			}) || !strings.Contains(cycle.Error(), "(loop)") {
				t.Errorf("the error does not say that the second actor can't run: %v", err)
			}
		})
	}
	wantNoErr(t, sys.Stop(ctx))
	cancel()
	receive(t, ctx, ran)
}
