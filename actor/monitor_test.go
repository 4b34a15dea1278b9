package actor_test

import (
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
)

func monitor(id actor.PID, m *actor.Monitor) doing {
	return func(c *actor.Context[task]) (err error) {
		*m, err = c.Monitor(id)
		return err
	}
}

func TestMonitor(t *testing.T) {
	for name, ending := range endings {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			tr := newTrapper()
			a, b := spawn(t, sys, doTask, actor.WithName("a")), spawnActor(t, sys, actor.Actor[task](tr))
			var first, second actor.Monitor
			wantNoErr(t, do(t, b, monitor(a.PID(), &first)))
			wantNoErr(t, do(t, b, monitor(a.PID(), &second)))
			outside, cancel := sys.Monitor(a.PID())
			defer cancel()
			end(t, a, ending.do)
			told := map[actor.Monitor]bool{}
			for range 2 { // Each monitor counts.
				e := receive(t, ctx, tr.downs)
				wantErr(t, e.Reason, ending.reason)
				if e.PID != a.PID() || e.Name != "a" || e.Kind() != ending.kind {
					t.Errorf("the watcher was told %+v", e)
				}
				told[receive(t, ctx, tr.which)] = true
			}
			if !told[first] || !told[second] || first == second || first.PID() != a.PID() {
				t.Errorf("the monitors %v and %v were told %v", first, second, told)
			}
			if e := receive(t, ctx, outside); e.Kind() != ending.kind || e.PID != a.PID() {
				t.Errorf("outside was told %+v", e)
			}
			if _, open := <-outside; open {
				t.Error("outside was told twice")
			}
		})
	}
}

// A message that is sent while the one before a signal is handled is not forgotten
// behind the one after it, though those two are a batch of which it is not.
func TestMessageSentBeforeASignal(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	tr := newTrapper()
	watcher, gone := spawnActor(t, sys, actor.Actor[task](tr)), spawn(t, sys, doTask)
	var m actor.Monitor
	wantNoErr(t, do(t, watcher, monitor(gone.PID(), &m)))
	begun, open, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	nothing := task{do: func(*actor.Context[task]) error { return nil }}
	send(t, ctx, watcher, task{do: func(*actor.Context[task]) error { close(begun); <-open; return nil }})
	receive(t, ctx, begun)
	send(t, ctx, watcher, task{do: func(c *actor.Context[task]) error {
		return watcher.Send(ctx, task{do: func(*actor.Context[task]) error { close(done); return nil }})
	}})
	wantNoErr(t, gone.Stop(ctx))
	send(t, ctx, watcher, nothing)
	close(open)
	receive(t, ctx, done)
	receive(t, ctx, tr.downs)
}

func TestMonitorOfAnAbsentActor(t *testing.T) { simulated.Too(t, testMonitorOfAnAbsentActor) }

func testMonitorOfAnAbsentActor(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	gone := spawn(t, sys, doTask)
	wantNoErr(t, gone.Stop(ctx))
	tr := newTrapper()
	ref := spawnActor(t, sys, actor.Actor[task](tr))
	var m actor.Monitor
	for _, id := range []actor.PID{gone.PID(), {}} {
		wantNoErr(t, do(t, ref, monitor(id, &m)))
		wantErr(t, receive(t, ctx, tr.downs).Reason, actor.ErrStalePID)
		if got := receive(t, ctx, tr.which); got != m {
			t.Errorf("monitor %v is down, want %v", got, m)
		}
		outside, cancel := sys.Monitor(id)
		wantErr(t, receive(t, ctx, outside).Reason, actor.ErrStalePID)
		cancel()
	}
	if err := do(t, ref, monitor(ref.PID(), &m)); err == nil {
		t.Error("an actor monitors itself")
	}
	if err := do(t, spawn(t, sys, doTask), monitor(ref.PID(), &m)); err == nil {
		t.Error("an actor without a method Down monitors another")
	}
}

// A restart is no end for a monitor; a monitor ends with the incarnation that
// has made it.
func TestMonitorAndRestart(t *testing.T) { simulated.Too(t, testMonitorAndRestart) }

func testMonitorAndRestart(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	tr := newTrapper()
	_, watcher := keptChild(t, sys, func() actor.Actor[task] { return tr }, true)
	_, child := keptChild(t, sys, func() actor.Actor[task] { return actor.Func(doTask) }, true)
	other := spawn(t, sys, doTask)
	var old, present actor.Monitor
	wantNoErr(t, do(t, watcher, monitor(other.PID(), &old)))
	end(t, watcher, endings["error"].do)
	wantNoErr(t, do(t, watcher, monitor(child.PID(), &present)))
	wantNoErr(t, other.Stop(ctx))
	end(t, child, endings["error"].do)
	wantNoErr(t, do(t, child, func(*actor.Context[task]) error { return nil }))
	wantNoErr(t, child.Stop(ctx))
	wantNoErr(t, receive(t, ctx, tr.downs).Reason)
	if m := receive(t, ctx, tr.which); m != present {
		t.Errorf("monitor %v is down, want %v", m, present)
	}
	wantNoErr(t, do(t, watcher, func(c *actor.Context[task]) error {
		if c.Demonitor(old) || c.Demonitor(present) {
			t.Error("a monitor that has ended was ended")
		}
		return nil
	}))
}

// After Demonitor has returned, Down does not come, even if it was on its way.
func TestDemonitor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for range 100 {
		tr := newTrapper()
		a, b := spawn(t, sys, doTask), spawnActor(t, sys, actor.Actor[task](tr))
		wantNoErr(t, do(t, b, func(c *actor.Context[task]) error {
			m, err := c.Monitor(a.PID())
			if err != nil {
				return err
			}
			if err := a.Kill(); err != nil {
				return err
			}
			<-a.Done()
			if !c.Demonitor(m) || c.Demonitor(m) {
				t.Error("a monitor was not ended once")
			}
			return nil
		}))
		wantNoErr(t, b.Drain(ctx))
		if n := len(tr.downs); n != 0 {
			t.Fatalf("%d downs came", n)
		}
	}
	a := spawn(t, sys, doTask)
	outside, cancel := sys.Monitor(a.PID())
	cancel()
	cancel()
	wantNoErr(t, a.Stop(ctx))
	if len(outside) != 0 {
		t.Error("outside was told after all")
	}
}

// Monitors from everywhere race with the end.
func TestMonitorsRaceWithTheEnd(t *testing.T) {
	lane.Short(t)
	simulated.Too(t, testMonitorsRaceWithTheEnd)
}

func testMonitorsRaceWithTheEnd(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 3})
	for range 100 {
		a := spawn(t, sys, doTask)
		tr := newTrapper()
		b := spawnActor(t, sys, actor.Actor[task](tr))
		var all sync.WaitGroup
		all.Go(func() { _ = a.Kill() })
		for range 3 {
			all.Go(func() {
				down, _ := sys.Monitor(a.PID())
				receive(t, ctx, down)
			})
		}
		var m actor.Monitor
		wantNoErr(t, do(t, b, monitor(a.PID(), &m)))
		receive(t, ctx, tr.downs)
		all.Wait()
	}
}
