package actor_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/sched"
)

func TestSystemConfig(t *testing.T) {
	s, err := sched.New(sched.Config{})
	wantNoErr(t, err)
	defer func() { wantNoErr(t, s.Stop(guarded(t))) }()
	stopped, err := sched.New(sched.Config{})
	wantNoErr(t, err)
	wantNoErr(t, stopped.Stop(guarded(t)))
	for _, cfg := range []actor.Config{
		{Workers: -1}, {Workers: math.MaxInt}, {Scheduler: s, Workers: 1}, {Scheduler: &sched.Scheduler{}}, {Scheduler: stopped},
		{MaxBlocking: -2}, {SlowAfter: -2},
	} {
		if _, err := actor.NewSystem(cfg); err == nil || !strings.HasPrefix(err.Error(), "actor: ") {
			t.Errorf("a system with %+v: %v", cfg, err)
		}
	}
	sys := newSystem(t, actor.Config{Scheduler: s})
	if sys.Scheduler() != s {
		t.Error("the system has another scheduler than it was given")
	}
	wantNoErr(t, sys.Stop(guarded(t)))
	j, err := s.Go(context.Background(), func(context.Context) error { return nil })
	wantNoErr(t, err) // It is not the system's own, so it goes on.
	wantNoErr(t, j.Wait(guarded(t)))
}

// A System that NewSystem has not made refuses what can fail, and has nothing to
// tell.
func TestMethodsOfASystemThatWasNotMade(t *testing.T) {
	live := spawn(t, newSystem(t, actor.Config{}), func(*actor.Context[int], int) error { return nil })
	one := actor.Func(func(*actor.Context[int], int) error { return nil })
	anew := func() actor.Actor[int] { return one }
	for name, sys := range map[string]*actor.System{"nil": nil, "zero": {}} {
		ctx, id := guarded(t), live.PID()
		for what, f := range map[string]func() error{
			"Spawn":     func() error { _, err := actor.Spawn(sys, one); return err },
			"SpawnNew":  func() error { _, err := actor.SpawnNew(sys, anew); return err },
			"SpawnHeld": func() error { _, err := actor.SpawnHeld(sys, anew); return err },
			"SpawnProcess": func() error {
				_, err := actor.SpawnProcess(sys, func(*actor.Process[int]) error { return nil })
				return err
			},
			"SendAfter": func() error { _, err := actor.SendAfter(sys, 1, live, 1); return err },
			"Every":     func() error { _, err := actor.Every(sys, 1, live, 1); return err },
			"Lookup":    func() error { _, err := actor.Lookup[int](sys, "x"); return err },
			"Resolve":   func() error { _, err := actor.Resolve[int](sys, id); return err },
			"NewPump":   func() error { _, err := actor.NewPump(sys, func() {}); return err },
			"AskBy": func() error {
				_, err := actor.AskBy(ctx, sys, nil, func(actor.Reply[int]) int { return 1 })
				return err
			},
			"Register":    func() error { return sys.Register("x", id) },
			"Unregister":  func() error { return sys.Unregister("x") },
			"WhereIs":     func() error { _, err := sys.WhereIs("x"); return err },
			"Kill":        func() error { return sys.Kill(id) },
			"RequestStop": func() error { return sys.RequestStop(id) },
			"Suspend":     func() error { return sys.Suspend(id) },
			"Resume":      func() error { return sys.Resume(id) },
			"Info":        func() error { _, err := sys.Info(id); return err },
			"Children":    func() error { _, err := sys.Children(actor.PID{}, actor.PID{}, 1); return err },
			"Observe":     func() error { _, err := sys.Observe(&actor.Probe{}); return err },
			"RunMain":     func() error { return sys.RunMain(ctx) },
			"Stop":        func() error { return sys.Stop(ctx) },
			"StopWithin":  func() error { return sys.StopWithin(ctx, time.Second) },
		} {
			if err := f(); !errors.Is(err, actor.ErrNoSystem) {
				t.Errorf("%s of a %s system: %v", what, name, err)
			}
		}
		for range sys.Infos(actor.PID{}) {
			t.Errorf("a %s system has actors", name)
		}
		for range sys.Names() {
			t.Errorf("a %s system has names", name)
		}
		down, cancel := sys.Monitor(id)
		wantErr(t, receive(t, ctx, down).Reason, actor.ErrStalePID)
		cancel()
		if sys.Stats() != (actor.Stats{}) || sys.Scheduler() != nil || len(sys.Checkup(ctx))+len(sys.Waits())+len(sys.Handlers()) != 0 {
			t.Errorf("a %s system has something to tell", name)
		}
	}
}

func TestSystemStopIsIdempotent(t *testing.T) {
	ctx := guarded(t)
	sys, err := actor.NewSystem(actor.Config{})
	wantNoErr(t, err)
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g))
	g.hold(t, ctx, ref)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := sys.Stop(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	until(t, ctx, func() bool { return actor.Asked(ref) })
	_, err = actor.Spawn(sys, actor.Func(answer))
	wantErr(t, err, actor.ErrSystemStopped)
	err = sys.Stop(ended())
	wantErr(t, err, context.Canceled)
	if !strings.Contains(err.Error(), ref.String()) {
		t.Errorf("%q does not name %v", err, ref)
	}
	close(g.open)
	all.Wait()
	wantNoErr(t, sys.Stop(ended()))
	_, err = actor.Spawn(sys, actor.Func(answer))
	wantErr(t, err, actor.ErrSystemStopped)
	wantErr(t, ref.Send(ctx, 1), actor.ErrStopped)
	wantNoErr(t, ref.Stop(ctx))
	if s := sys.Stats(); s.Actors != 0 || s.DeadLetters != 1 {
		t.Errorf("a system that has stopped has %+v", s)
	}
}

func TestStopOfAnEmptySystem(t *testing.T) { simulated.Too(t, testStopOfAnEmptySystem) }

func testStopOfAnEmptySystem(t testing.TB) {
	sys, err := actor.NewSystem(actor.Config{})
	wantNoErr(t, err)
	wantNoErr(t, sys.Stop(nil)) //nolint:staticcheck // A nil context is one of the cases.
}

func TestForcedSystemStopReachesEveryHandler(t *testing.T) {
	ctx := guarded(t)
	sys, err := actor.NewSystem(actor.Config{})
	wantNoErr(t, err)
	const n = 6
	entered, causes := make(chan struct{}, n), make(chan error, n)
	wait := func(c *actor.Context[int], m int) error {
		if m > 1 {
			if err := spawn(t, c, func(c *actor.Context[int], _ int) error {
				entered <- struct{}{}
				<-c.Done()
				causes <- context.Cause(c)
				return nil
			}).Send(c, 1); err != nil {
				return err
			}
		}
		entered <- struct{}{}
		<-c.Done()
		causes <- context.Cause(c)
		return nil
	}
	for range n / 2 {
		send(t, ctx, spawn(t, sys, wait), 2)
	}
	for range n {
		receive(t, ctx, entered)
	}
	err = sys.Stop(ended())
	wantErr(t, err, context.Canceled)
	if !strings.Contains(err.Error(), "6 actors are left") || !strings.Contains(err.Error(), "...") {
		t.Errorf("the error is %q", err)
	}
	for range n {
		wantErr(t, receive(t, ctx, causes), actor.ErrForced)
	}
	wantNoErr(t, sys.Stop(ctx))
}

// Spawns race with the stop of their system: each is refused, or its actor has
// a full life.
func TestSpawnsDuringSystemStop(t *testing.T) {
	lane.Check(t)
	for range 50 {
		ctx := guarded(t)
		sys, err := actor.NewSystem(actor.Config{Workers: 2})
		wantNoErr(t, err)
		var d [2]eventLog
		var all sync.WaitGroup
		begun := make(chan struct{}, 2)
		for i := range 2 {
			all.Go(func() {
				for n := 0; ; n++ {
					ref, err := actor.Spawn(sys, actor.Actor[int](noted(&d[i])))
					if err != nil {
						wantErr(t, err, actor.ErrSystemStopped)
						return
					}
					_ = ref
					if n == 5 {
						begun <- struct{}{}
					}
				}
			})
		}
		receive(t, ctx, begun)
		wantNoErr(t, sys.Stop(ctx))
		all.Wait()
		for i := range d {
			life := d[i].String()
			if a, b := strings.Count(life, "started"), strings.Count(life, "stopped <nil>"); a != b {
				t.Fatalf("%d actors have started and %d stopped", a, b)
			}
		}
	}
}

func TestDeadLettersOfAllKinds(t *testing.T) { simulated.Too(t, testDeadLettersOfAllKinds) }

func testDeadLettersOfAllKinds(t testing.TB) {
	ctx := guarded(t)
	letters := make(chan actor.DeadLetter, 10)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) { letters <- d }})
	ref := spawn(t, sys, func(*actor.Context[int], int) error { return errHook }, actor.WithName("failing"))
	send(t, ctx, ref, 1)
	until(t, ctx, func() bool { return sys.Stats().Actors == 0 })
	wantErr(t, ref.On(actor.Control).Send(ctx, 2), actor.ErrStopped)
	want := actor.DeadLetter{To: ref.PID(), Name: "failing", Kind: kindOf(t, ref), Lane: actor.Control, Message: 2, Reason: actor.ErrStopped}
	if d := receive(t, ctx, letters); d != want {
		t.Errorf("dead letter %+v, want %+v", d, want)
	}
	if len(letters) != 0 {
		t.Error("the message in which an actor failed is no dead letter")
	}
}

// TestPanicInOnDeadLetter has the user's function panic, where an actor stops
// and where a goroutine sends.
func TestPanicInOnDeadLetter(t *testing.T) {
	ctx := guarded(t)
	var log strings.Builder
	sys := newSystem(t, actor.Config{
		OnDeadLetter: func(actor.DeadLetter) { panic("oops") },
		Logger:       slog.New(slog.NewTextHandler(&log, nil)),
	})
	g := newGate()
	ref := spawnActor(t, sys, g)
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2)
	wantErr(t, ref.Stop(ended()), context.Canceled)
	close(g.open)
	wantNoErr(t, ref.Stop(ctx))
	wantErr(t, ref.Send(ctx, 3), actor.ErrStopped)
	if n := strings.Count(log.String(), "OnDeadLetter panicked"); n != 3 {
		t.Errorf("%d panics were logged, want 3:\n%s", n, log.String())
	}
}

// TestSpawnInAHandlerAfterSystemStop spawns a child when the system has begun to
// stop and the parent does not know of it yet.
func TestSpawnInAHandlerAfterSystemStop(t *testing.T) {
	simulated.Too(t, testSpawnInAHandlerAfterSystemStop)
}

func testSpawnInAHandlerAfterSystemStop(t testing.TB) {
	ctx := guarded(t)
	sys, err := actor.NewSystem(actor.Config{})
	wantNoErr(t, err)
	begun, stopping, got := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	ref := spawn(t, sys, func(ctx *actor.Context[int], _ int) error {
		close(begun)
		<-stopping
		_, err := actor.Spawn(ctx, actor.Func(answer))
		got <- err
		return nil
	})
	send(t, ctx, ref, 1)
	<-begun
	wantErr(t, sys.Stop(ended()), context.Canceled)
	close(stopping)
	wantErr(t, receive(t, ctx, got), actor.ErrSystemStopped)
	wantNoErr(t, sys.Stop(ctx))
}
