package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/supervise"
)

func TestConfig(t *testing.T) { simulated.Too(t, testConfig) }

func testConfig(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	for _, cfg := range []supervise.Config{{Intensity: -2}, {Period: -1}, {Name: "a\nb"}} {
		if _, err := supervise.Start(sys, cfg); err == nil {
			t.Errorf("a supervisor started with %+v", cfg)
		}
	}
	sup := start(t, sys, supervise.Config{})
	ctx := guarded(t)
	if _, err := supervise.Spawn(ctx, sup, supervise.Child[order]{}); err == nil {
		t.Error("a child was spawned without New")
	}
	if _, err := supervise.Spawn(ctx, sup, supervise.Child[order]{New: newWorker, Restart: 3}); err == nil {
		t.Error("a child was spawned with policy 3")
	}
	if _, err := supervise.Spawn(ctx, sup, supervise.Child[order]{New: newWorker, Options: []actor.Option{actor.WithThroughput(0)}}); err == nil {
		t.Error("a child was spawned with a wrong option")
	}
	if n := sys.Stats().Actors; n != 1 {
		t.Errorf("%d actors are there, want the supervisor alone", n)
	}
	ref := spawn(t, sup, supervise.Child[order]{Name: "worker", New: newWorker})
	if want := "worker" + ref.PID().String(); ref.String() != want {
		t.Errorf("the child is %v, want %s", ref, want)
	}
}

func TestPolicies(t *testing.T) {
	restarted := map[supervise.Policy]func(reason error) bool{
		supervise.Permanent: func(error) bool { return true },
		supervise.Transient: func(reason error) bool { return reason != nil },
		supervise.Temporary: func(error) bool { return false },
	}
	for policy, restarts := range restarted {
		for name, end := range ends {
			t.Run(fmt.Sprint(policy, " ", name), func(t *testing.T) {
				sys := newSystem(t, actor.Config{})
				seen := make(chan supervise.Restart, 1)
				sup := start(t, sys, supervise.Config{OnRestart: func(r supervise.Restart) { seen <- r }})
				ref := spawn(t, sup, supervise.Child[order]{Name: "worker", New: newWorker, Restart: policy})
				count(t, ref)
				fail(t, ref, end.do)
				if !restarts(end.reason) {
					until(t, guarded(t), func() bool { return ref.Send(guarded(t), order{}) != nil })
					if sup.Restarts() != 0 {
						t.Errorf("there were %d restarts", sup.Restarts())
					}
					return
				}
				if n := count(t, ref); n != 1 {
					t.Errorf("the child has had %d orders, so it keeps its state", n)
				}
				r := <-seen
				wantErr(t, r.Reason, end.reason)
				if end.reason == nil && r.Reason != nil || r.PID != ref.PID() || r.Name != "worker" || r.Recent != 1 || sup.Restarts() != 1 {
					t.Errorf("the restart is %+v, the %d-th", r, sup.Restarts())
				}
			})
		}
		if s := policy.String(); s != strings.ToLower(s) || strings.Contains(s, "(") {
			t.Errorf("policy %d is called %s", policy, s)
		}
	}
	if s := supervise.Policy(3).String(); s != "Policy(3)" {
		t.Errorf("policy 3 is called %s", s)
	}
}

func TestStoppedChildIsNotRestarted(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	sup := start(t, sys, supervise.Config{})
	for name, stop := range map[string]func(actor.Ref[order], context.Context) error{"Stop": actor.Ref[order].Stop, "Drain": actor.Ref[order].Drain} {
		ref := spawn(t, sup, supervise.Child[order]{New: newWorker})
		wantNoErr(t, stop(ref, ctx))
		if err := ref.Send(ctx, order{}); !errors.Is(err, actor.ErrStopped) {
			t.Errorf("after %s: %v", name, err)
		}
	}
	if sup.Restarts() != 0 {
		t.Errorf("there were %d restarts", sup.Restarts())
	}
}

// A child that hangs is killed, and begins again while its handler still hangs.
func TestKilledChild(t *testing.T) {
	ctx := guarded(t)
	for policy, restarts := range map[supervise.Policy]int{supervise.Permanent: 1, supervise.Transient: 1, supervise.Temporary: 0} {
		sys := newSystem(t, actor.Config{})
		sup := start(t, sys, supervise.Config{})
		ref := spawn(t, sup, supervise.Child[order]{New: newWorker, Restart: policy})
		entered, open := make(chan struct{}), make(chan struct{})
		fail(t, ref, func(*actor.Context[order]) error {
			close(entered)
			<-open
			return nil
		})
		<-entered
		wantNoErr(t, ref.Kill())
		if restarts == 0 {
			<-ref.Done()
		} else if n := count(t, ref); n != 1 {
			t.Errorf("the child has had %d orders, want 1", n)
		}
		close(open)
		if sup.Restarts() != restarts {
			t.Errorf("%v: there were %d restarts, want %d", policy, sup.Restarts(), restarts)
		}
		wantNoErr(t, sys.Kill(sup.PID()))
		wait(t, sup)
		wantErr(t, sup.Err(), actor.ErrKilled)
		wantErr(t, ref.Send(ctx, order{}), actor.ErrStopped)
	}
}

// Children that fail because a stop is forced do not count against the
// intensity.
func TestForcedStopOfChildren(t *testing.T) { simulated.Too(t, testForcedStopOfChildren) }

func testForcedStopOfChildren(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	sup := start(t, sys, supervise.Config{Intensity: -1})
	gone, cancel := context.WithCancel(ctx)
	cancel()
	for range 5 {
		ref := spawn(t, sup, supervise.Child[order]{New: newWorker})
		entered := make(chan struct{})
		fail(t, ref, func(c *actor.Context[order]) error {
			close(entered)
			<-c.Done()
			return context.Cause(c)
		})
		<-entered
		wantErr(t, ref.Stop(gone), context.Canceled)
		wantNoErr(t, ref.Stop(ctx))
	}
	count(t, spawn(t, sup, supervise.Child[order]{New: newWorker}))
	if sup.Restarts() != 0 {
		t.Errorf("there were %d restarts", sup.Restarts())
	}
}

func TestOneForOne(t *testing.T) { simulated.Too(t, testOneForOne) }

func testOneForOne(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	sup := start(t, sys, supervise.Config{})
	a := spawn(t, sup, supervise.Child[order]{New: newWorker})
	b := spawn(t, sup, supervise.Child[order]{New: newWorker})
	count(t, b)
	fail(t, a, failing)
	count(t, a)
	if n := count(t, b); n != 2 {
		t.Errorf("the sibling has had %d orders, want 2", n)
	}
}

func TestIntensity(t *testing.T) { simulated.Too(t, testIntensity) }

func testIntensity(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	sup := start(t, sys, supervise.Config{Name: "tries", Intensity: 2, Period: time.Hour})
	bad := spawn(t, sup, supervise.Child[order]{Name: "bad", New: newWorker})
	good := spawn(t, sup, supervise.Child[order]{New: newWorker})
	for range 2 {
		fail(t, bad, failing)
	}
	count(t, bad)
	if err := sup.Err(); err != nil {
		t.Errorf("the supervisor has ended with %v", err)
	}
	fail(t, bad, failing)
	wait(t, sup)
	wantErr(t, sup.Err(), supervise.ErrIntensity, errWanted)
	if !strings.Contains(sup.Err().Error(), "last by /tries/bad:") {
		t.Errorf("%q does not name %v", sup.Err(), bad)
	}
	wantErr(t, good.Send(ctx, order{}), actor.ErrStopped)
	_, err := supervise.Spawn(ctx, sup, supervise.Child[order]{New: newWorker})
	wantErr(t, err, actor.ErrStopped)
	wantNoErr(t, sup.Stop(ctx))
	if sup.Restarts() != 2 {
		t.Errorf("there were %d restarts, want 2", sup.Restarts())
	}
	until(t, ctx, func() bool { return sys.Stats().Actors == 0 })
}

// A restart that fails in its turn counts too, so a child that can't start
// does not try for ever.
func TestFailureAtEachRestart(t *testing.T) {
	news := map[string]func() actor.Actor[order]{
		"started":   func() actor.Actor[order] { return brokenStart{} },
		"new nil":   func() actor.Actor[order] { return nil },
		"new panic": func() actor.Actor[order] { panic(errWanted) },
	}
	for name, again := range news {
		t.Run(name, func(t *testing.T) {
			sys := newSystem(t, actor.Config{})
			sup := start(t, sys, supervise.Config{Intensity: 5, Period: time.Hour})
			first := true
			ref := spawn(t, sup, supervise.Child[order]{New: func() actor.Actor[order] {
				if first {
					first = false
					return &worker{}
				}
				return again()
			}})
			fail(t, ref, failing)
			wait(t, sup)
			wantErr(t, sup.Err(), supervise.ErrIntensity)
			if sup.Restarts() != 5 {
				t.Errorf("there were %d restarts, want 5", sup.Restarts())
			}
		})
	}
}

type brokenStart struct{ worker }

func (brokenStart) Started(*actor.Context[order]) error { return errWanted }

func (b brokenStart) Receive(ctx *actor.Context[order], o order) error {
	return b.worker.Receive(ctx, o)
}

// A child that can't be made is no child, and harms nobody else.
func TestFailureToMakeAChild(t *testing.T) { simulated.Too(t, testFailureToMakeAChild) }

func testFailureToMakeAChild(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	sup := start(t, sys, supervise.Config{})
	good := spawn(t, sup, supervise.Child[order]{New: newWorker})
	_, err := supervise.Spawn(ctx, sup, supervise.Child[order]{New: func() actor.Actor[order] { return nil }})
	if err == nil {
		t.Error("a child was spawned though New returned nil")
	}
	_, err = supervise.Spawn(ctx, sup, supervise.Child[order]{New: func() actor.Actor[order] { panic(errWanted) }})
	wantErr(t, err, errWanted)
	if p := (*actor.PanicError)(nil); !errors.As(err, &p) || !strings.Contains(string(p.Stack()), "supervisor_test.go") {
		t.Errorf("the error %v has no stack that leads here", err)
	}
	count(t, good)
}

func TestStopOfASupervisor(t *testing.T) { simulated.Too(t, testStopOfASupervisor) }

func testStopOfASupervisor(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	sup := start(t, sys, supervise.Config{})
	ref := spawn(t, sup, supervise.Child[order]{New: newWorker})
	entered := make(chan struct{})
	fail(t, ref, func(c *actor.Context[order]) error {
		close(entered)
		<-c.Done() // Only a forced stop ends it.
		return nil
	})
	<-entered
	gone, cancel := context.WithCancel(ctx)
	cancel()
	wantErr(t, sup.Stop(gone), context.Canceled)
	wantNoErr(t, sup.Stop(ctx))
	wait(t, sup)
	wantNoErr(t, sup.Err())
	wantNoErr(t, sup.Stop(ctx))
}

// A spawn whose caller leaves at any moment leaves a child behind only if it
// returned it.
func TestSpawnThatIsGivenUp(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	sup := start(t, sys, supervise.Config{})
	var spawned atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 200 {
				short, cancel := context.WithTimeout(ctx, time.Duration(i%40)*time.Microsecond)
				switch ref, err := supervise.Spawn(short, sup, supervise.Child[order]{New: newWorker}); {
				case err == nil:
					spawned.Add(1)
					count(t, ref)
				case !errors.Is(err, context.DeadlineExceeded):
					t.Error(err)
				}
				cancel()
			}
		})
	}
	all.Wait()
	until(t, ctx, func() bool { return int64(sys.Stats().Actors) == spawned.Load()+1 })
	if sup.Restarts() != 0 {
		t.Errorf("there were %d restarts", sup.Restarts())
	}
}

func TestOnRestartThatFails(t *testing.T) { simulated.Too(t, testOnRestartThatFails) }

func testOnRestartThatFails(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	sup := start(t, sys, supervise.Config{OnRestart: func(supervise.Restart) { panic(errWanted) }})
	fail(t, spawn(t, sup, supervise.Child[order]{New: newWorker}), failing)
	wait(t, sup)
	wantErr(t, sup.Err(), errWanted)
}

// A child that somebody stops while its restart is decided stays stopped, and
// its supervisor goes on.
func TestStopDuringTheDecision(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	deciding, decide := make(chan struct{}), make(chan struct{})
	sup := start(t, sys, supervise.Config{OnRestart: func(supervise.Restart) {
		close(deciding)
		<-decide
	}})
	ref := spawn(t, sup, supervise.Child[order]{Name: "worker", New: newWorker})
	fail(t, ref, failing)
	<-deciding
	wantNoErr(t, ref.Stop(ctx))
	close(decide)
	var i supervise.ChildInfo
	patience.Until(t, ctx, func() (over bool) { // It may be about to stop.
		var err error
		i, err = sup.Child(ctx, "worker")
		wantNoErr(t, err)
		return i.State == supervise.Down
	})
	if i.Restarts != 1 {
		t.Errorf("the child is %+v", i)
	}
	count(t, spawn(t, sup, supervise.Child[order]{New: newWorker}))
	wantErr(t, ref.Send(ctx, order{}), actor.ErrStopped)
	wantNoErr(t, sup.Err())
}

// top is an actor with a supervisor below it.
type top struct{ sup chan *supervise.Supervisor }

func (o *top) Receive(*actor.Context[int], int) error { return errWanted }

func (o *top) Started(ctx *actor.Context[int]) error {
	sup, err := supervise.Start(ctx, supervise.Config{})
	o.sup <- sup
	return err
}

func TestSupervisorBelowAnActor(t *testing.T) { simulated.Too(t, testSupervisorBelowAnActor) }

func testSupervisorBelowAnActor(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	above := start(t, sys, supervise.Config{})
	sups := make(chan *supervise.Supervisor, 2)
	parent := spawn(t, above, supervise.Child[int]{New: func() actor.Actor[int] { return &top{sups} }})
	below := <-sups
	ref := spawn(t, below, supervise.Child[order]{New: newWorker})
	count(t, ref)
	wantNoErr(t, parent.Send(ctx, 1)) // Fails, and begins again with a supervisor of its own.
	wait(t, below)
	wantNoErr(t, below.Err())
	wantErr(t, ref.Send(ctx, order{}), actor.ErrStopped)
	count(t, spawn(t, <-sups, supervise.Child[order]{New: newWorker}))
	wantNoErr(t, above.Stop(ctx))
	if n := sys.Stats().Actors; n != 0 {
		t.Errorf("%d actors are left", n)
	}
}

// A supervisor that there is not says so, whatever it is asked.
func TestNoSupervisor(t *testing.T) {
	ctx := guarded(t)
	for _, sup := range []*supervise.Supervisor{nil, {}} {
		_, errSpawn := supervise.Spawn(ctx, sup, supervise.Child[order]{New: newWorker})
		_, errRef := supervise.Ref[order](sup, "a")
		_, errNested := sup.Nested("a")
		_, errStatus := sup.Status(ctx)
		_, errChildren := sup.Children(ctx)
		for _, err := range []error{
			errSpawn, errRef, errNested, errStatus, errChildren, sup.Err(), sup.Stop(ctx), sup.Terminate(ctx, "a"), sup.Restart(ctx, "a"), sup.Delete(ctx, "a"),
		} {
			wantErr(t, err, actor.ErrNoRef)
		}
		wait(t, sup)
		if sup.Restarts() != 0 || sup.PID() != (actor.PID{}) || sup.Path() != "<no actor>" {
			t.Errorf("it is %s", sup.Path())
		}
	}
	var none *actor.System
	if _, err := supervise.Start(none, supervise.Config{}); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Errorf("a start in a nil system: %v", err)
	}
}
