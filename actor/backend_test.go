package actor_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/gid"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/simtest"
)

// onEachBackend runs a test with an option for each.
func onEachBackend(t *testing.T, test func(t *testing.T, ctx context.Context, sys *actor.System, on actor.Option)) {
	t.Helper()
	for _, b := range []actor.Backend{actor.OnScheduler, actor.OnBlocking, actor.OnOwnThread, actor.OnMainThread} {
		t.Run(b.String(), func(t *testing.T) {
			sys := newSystem(t, actor.Config{})
			if b == actor.OnMainThread {
				go func() { _ = sys.RunMain(context.Background()) }()
			}
			test(t, guarded(t), sys, actor.WithBackend(b))
		})
	}
	t.Run("pump", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel) // After the system's.
		sys := newSystem(t, actor.Config{})
		l := newLoop(t, sys)
		go l.run(ctx)
		test(t, guarded(t), sys, actor.WithPump(l.pump))
	})
}

// Lanes keep their order, and a handler may ask.
func TestBackendsHandleMessages(t *testing.T) {
	onEachBackend(t, func(t *testing.T, ctx context.Context, sys *actor.System, on actor.Option) {
		g := newGate()
		ref := spawnActor(t, sys, actor.Actor[int](g), on, actor.WithThroughput(2))
		g.hold(t, ctx, ref)
		send(t, ctx, ref, 1, 2, 3, 4, 5)
		send(t, ctx, ref.On(actor.Control), 10, 11)
		close(g.open)
		var got []int
		for range 7 {
			got = append(got, receive(t, ctx, g.seen))
		}
		if want := []int{10, 11, 1, 2, 3, 4, 5}; !slices.Equal(got, want) {
			t.Errorf("the messages were handled as %v, want %v", got, want)
		}
		behind := spawn(t, sys, answer)
		front := spawn(t, sys, func(ctx *actor.Context[question], q question) error {
			if err := ctx.Checkpoint(); err != nil {
				return err
			}
			n, err := actor.Ask(ctx, behind, asking(q.n))
			if err != nil {
				return err
			}
			return q.reply.Send(ctx, n+1)
		}, on)
		for n := range 50 {
			got, err := actor.Ask(ctx, front, asking(n))
			if got != n+2 || err != nil {
				t.Fatalf("got %d, %v; want %d", got, err, n+2)
			}
		}
		_, err := actor.Ask(ctx, spawn(t, sys, func(ctx *actor.Context[question], q question) error {
			_, err := actor.Ask(ctx, ctx.Self(), asking(1))
			return q.reply.Fail(ctx, err)
		}, on), asking(1))
		wantErr(t, err, actor.ErrAskCycle)
	})
}

// Whatever a handler does, its actor ends or begins again, and the next goes on.
func TestBackendsSurviveTheirHandlers(t *testing.T) {
	onEachBackend(t, func(t *testing.T, ctx context.Context, sys *actor.System, on actor.Option) {
		ends := map[string]func() error{
			"an error": func() error { return errors.New("out of paper") },
			"a panic":  func() error { panic("out of ink") },
		}
		if t.Name() != "TestBackendsSurviveTheirHandlers/pump" && t.Name() != "TestBackendsSurviveTheirHandlers/main_thread" {
			ends["Goexit"] = func() error { runtime.Goexit(); return nil } // It would end the loop.
		}
		for name, end := range ends {
			children := make(chan actor.Ref[question], 1)
			parent := &keeping[int]{}
			parent.started = func(ctx *actor.Context[int]) error {
				child, err := actor.SpawnNew(ctx, func() actor.Actor[question] {
					return actor.Func(func(ctx *actor.Context[question], q question) error {
						if q.n == 0 {
							return end()
						}
						return answer(ctx, q)
					})
				}, on)
				children <- child
				return err
			}
			parent.exited = func(ctx *actor.Context[int], e actor.Exit) error { return ctx.Restart(e.PID) }
			spawnActor(t, sys, actor.Actor[int](parent))
			child := receive(t, ctx, children)
			for range 3 {
				_, err := actor.Ask(ctx, child, asking(0))
				wantErr(t, err, actor.ErrNoReply)
				if n, err := actor.Ask(ctx, child, asking(7)); n != 8 || err != nil {
					t.Errorf("%s: the next incarnation answered %d, %v", name, n, err)
				}
			}
		}
	})
}

// A kill does not wait for the handler, where the next incarnation has another
// goroutine.
func TestBackendsKill(t *testing.T) {
	onEachBackend(t, func(t *testing.T, ctx context.Context, sys *actor.System, on actor.Option) {
		g := newGate()
		ref := spawnActor(t, sys, actor.Actor[int](g), on)
		other := spawn(t, sys, answer, on)
		g.hold(t, ctx, ref)
		send(t, ctx, ref, 1, 2, 3)
		wantNoErr(t, ref.Kill())
		switch t.Name() {
		case "TestBackendsKill/pump", "TestBackendsKill/main_thread":
			close(g.open)
			wantKilled(t, ctx, ref)
		default:
			wantKilled(t, ctx, ref)
			close(g.open)
		}
		if n, err := actor.Ask(ctx, other, asking(1)); n != 2 || err != nil {
			t.Errorf("another actor answered %d, %v", n, err)
		}
		until(t, ctx, func() bool { return sys.Stats().Ghosts == 0 })
		if len(g.seen) > 0 {
			t.Error("a message was handled after the kill")
		}
	})
}

func TestBackendsDrainAndStop(t *testing.T) {
	onEachBackend(t, func(t *testing.T, ctx context.Context, sys *actor.System, on actor.Option) {
		g := newGate()
		ref := spawnActor(t, sys, actor.Actor[int](g), on)
		for m := range 300 {
			send(t, ctx, ref, m+1)
		}
		wantNoErr(t, ref.Drain(ctx))
		if len(g.seen) != 300 {
			t.Errorf("%d of 300 messages were handled", len(g.seen))
		}
		idle := spawnActor(t, sys, actor.Actor[int](g), on)
		wantNoErr(t, idle.Stop(ctx))
		ref = spawnActor(t, sys, actor.Actor[int](g), on, actor.WithHandlerTimeout(soon, actor.TimeoutCancel))
		send(t, ctx, ref, 1)
		wantNoErr(t, sys.Stop(ctx))
	})
}

// The handlers of one actor stay on one thread, also beside others.
func TestOwnThread(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	on := actor.WithBackend(actor.OnOwnThread)
	who := func(ctx *actor.Context[question], q question) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if _, err := actor.Ask(ctx, spawn(t, sys, answer), asking(1)); err != nil {
			return err
		}
		return q.reply.Send(ctx, int(gid.Number()))
	}
	seen := map[int]bool{}
	for range 3 {
		ref := spawn(t, sys, who, on)
		first, err := actor.Ask(ctx, ref, asking(1))
		wantNoErr(t, err)
		if seen[first] {
			t.Error("two actors have one thread")
		}
		seen[first] = true
		for range 20 {
			if id, err := actor.Ask(ctx, ref, asking(1)); id != first || err != nil {
				t.Errorf("a handler ran on goroutine %d, another on %d, %v", first, id, err)
			}
		}
	}
}

// Handlers that block take no workers, and no more goroutines than allowed.
func TestBlockingLimit(t *testing.T) {
	ctx := guarded(t)
	sys := onOneWorker(t, actor.Config{MaxBlocking: 3})
	gates := make([]*gate, 5)
	entered, open := make(chan struct{}, 5), make(chan struct{})
	for i := range gates {
		gates[i] = &gate{entered: entered, open: open}
		ref := spawnActor(t, sys, actor.Actor[int](gates[i]), actor.WithBackend(actor.OnBlocking))
		send(t, ctx, ref, 0)
	}
	if n := actor.BlockingGoroutines(sys); n != 3 {
		t.Errorf("there are %d goroutines", n)
	}
	for range 3 {
		receive(t, ctx, entered)
	}
	if n, err := actor.Ask(ctx, spawn(t, sys, answer), asking(1)); n != 2 || err != nil {
		t.Errorf("the only worker answered %d, %v", n, err)
	}
	if len(entered) > 0 {
		t.Error("more than 3 handlers run at once")
	}
	close(open)
	for range 2 {
		receive(t, ctx, entered)
	}
}

// Without a limit, more handlers block at the same time than the default allows.
func TestBlockingWithoutALimit(t *testing.T) {
	const handlers = 600
	ctx := guarded(t)
	sys := onOneWorker(t, actor.Config{MaxBlocking: -1})
	entered, open := make(chan struct{}, handlers), make(chan struct{})
	for range handlers {
		ref := spawnActor(t, sys, actor.Actor[int](&gate{entered: entered, open: open}), actor.WithBackend(actor.OnBlocking))
		send(t, ctx, ref, 0)
	}
	for range handlers {
		receive(t, ctx, entered)
	}
	close(open)
}

// RunMain has the handlers on its own goroutine, and Stop runs them when it has
// returned.
func TestRunMain(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	on := actor.WithBackend(actor.OnMainThread)
	ran := make(chan uint64, 16)
	ref := spawn(t, sys, func(*actor.Context[int], int) error { ran <- gid.Number(); return nil }, on)
	send(t, ctx, ref, 1)
	until, cancel := context.WithCancelCause(ctx)
	busy := spawn(t, sys, func(*actor.Context[int], int) error {
		if err := sys.RunMain(ctx); !errors.Is(err, actor.ErrPumping) {
			t.Errorf("RunMain in a handler of the main thread returned %v", err)
		}
		cancel(errors.New("closing time"))
		return nil
	}, on)
	send(t, ctx, busy, 1)
	if err := sys.RunMain(until); err == nil || err.Error() != "closing time" {
		t.Errorf("RunMain returned %v", err)
	}
	if id := receive(t, ctx, ran); id != gid.Number() {
		t.Errorf("a handler ran on goroutine %d, not on %d", id, gid.Number())
	}
	send(t, ctx, ref, 2)
	if err := sys.Stop(ended()); err != nil { // The handlers may be quicker than the look at the context.
		wantErr(t, err, context.Canceled)
	}
	wantNoErr(t, sys.Stop(ctx))
	wantNoErr(t, sys.RunMain(ctx))
}

// In a simulation, everything runs on the scheduler.
func TestBackendsInASimulation(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		pump, err := actor.NewPump(sys, func() { s.Error("the doorbell rang") })
		if err != nil {
			s.Fatal(err)
		}
		n := 0
		for _, on := range []actor.Option{
			actor.WithBackend(actor.OnBlocking), actor.WithBackend(actor.OnOwnThread), actor.WithBackend(actor.OnMainThread), actor.WithPump(pump),
		} {
			ref := spawn(s, sys, func(*actor.Context[int], int) error { n++; return nil }, on)
			if err := ref.Send(context.Background(), 1); err != nil {
				s.Fatal(err)
			}
		}
		s.RunUntilIdle()
		if hint, err := pump.Run(time.Hour); hint != actor.ParkWait || err != nil || n != 4 {
			s.Errorf("%d messages were handled; Run returned %v, %v", n, hint, err)
		}
	})
}

func TestBackendOptions(t *testing.T) { simulated.Too(t, testBackendOptions) }

func testBackendOptions(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	for name, opt := range map[string]actor.Option{"unknown": actor.WithBackend(9), "nil": actor.WithPump(nil)} {
		if _, err := actor.Spawn(sys, actor.Func(answer), opt); err == nil {
			t.Errorf("%s: Spawn returned no error", name)
		}
	}
	if _, err := actor.NewPump(nil, func() {}); err == nil {
		t.Error("NewPump accepted a nil System")
	}
	if _, err := actor.NewPump(sys, nil); err == nil {
		t.Error("NewPump accepted a nil doorbell")
	}
	if _, err := actor.NewSystem(actor.Config{MaxBlocking: -2}); err == nil {
		t.Error("a negative Config.MaxBlocking was accepted")
	}
	other := newSystem(t, actor.Config{})
	pump, err := actor.NewPump(other, func() {})
	wantNoErr(t, err)
	if _, err := actor.Spawn(sys, actor.Func(answer), actor.WithPump(pump)); err == nil {
		t.Error("Spawn accepted the pump of another system")
	}
}

// A backend's name and text lead back to it, however it is spelled, and nothing else does.
func TestParseBackend(t *testing.T) {
	for _, b := range []actor.Backend{actor.OnScheduler, actor.OnBlocking, actor.OnOwnThread, actor.OnMainThread} {
		text, err := b.MarshalText()
		wantNoErr(t, err)
		for _, name := range []string{b.String(), string(text), strings.ToUpper(b.String()), strings.ReplaceAll(b.String(), " ", "_"), strings.ReplaceAll(b.String(), " ", "-"), strings.ReplaceAll(b.String(), " ", "")} {
			read := actor.Backend(77)
			if got, err := actor.ParseBackend(name); got != b || err != nil || read.UnmarshalText([]byte(name)) != nil || read != b {
				t.Errorf("%q is %v and %v: %v", name, got, read, err)
			}
		}
	}
	for _, name := range []string{"", " ", "thread", "Backend(1)", "ownthreads", "own\tthread"} {
		read := actor.OnBlocking
		if _, err := actor.ParseBackend(name); err == nil || read.UnmarshalText([]byte(name)) == nil || read != actor.OnBlocking {
			t.Errorf("%q is %v: %v", name, read, err)
		}
	}
	if text, err := actor.Backend(4).MarshalText(); err == nil {
		t.Errorf("a backend that does not exist is written as %q", text)
	}
}
