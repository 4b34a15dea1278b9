package actor_test

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/sched"
)

func info(tb testing.TB, sys *actor.System, id actor.PID) actor.Info {
	tb.Helper()
	i, err := sys.Info(id)
	wantNoErr(tb, err)
	return i
}

func TestInfo(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	open, entered := make(chan struct{}), make(chan struct{}, 1)
	tr := newTrapper()
	parent, child := keptChild(t, sys, func() actor.Actor[task] { return tr }, true)
	end(t, child, endings["error"].do)
	other := spawn(t, sys, doTask)
	wantNoErr(t, sys.Register("one", child.PID()))
	wantNoErr(t, do(t, child, func(c *actor.Context[task]) error {
		if _, err := c.Monitor(other.PID()); err != nil {
			return err
		}
		every(t, c, time.Hour, other, task{})
		wantNoErr(t, c.Stash(task{}))
		return c.Link(other.PID())
	}))
	_, cancel := sys.Monitor(child.PID())
	defer cancel()
	until(t, ctx, func() bool { return actor.Idle(child) })
	i := info(t, sys, child.PID())
	if i.State != actor.Waiting || i.Handled != 1 || i.Mailbox != [3]int{} || i.Priority != sched.Normal {
		t.Errorf("idle, it is %+v", i) // One has failed, one is stashed.
	}
	send(t, ctx, child, task{do: func(*actor.Context[task]) error { entered <- struct{}{}; <-open; return nil }})
	receive(t, ctx, entered)
	send(t, ctx, child.On(actor.Management), task{do: func(*actor.Context[task]) error { return nil }})
	for range 2 {
		send(t, ctx, child, task{do: func(*actor.Context[task]) error { return nil }})
	}
	i = info(t, sys, child.PID())
	if i.PID != child.PID() || fmt.Sprint(i.Names) != "[one]" || i.Parent != parent.PID() || i.Message != "actor_test.task" ||
		i.State != actor.Running || i.Mailbox != [3]int{2, 1, 0} || i.Stashed != 1 || i.Timers != 1 || i.Restarts != 1 ||
		fmt.Sprint(i.Links, i.Monitors) != fmt.Sprint([]actor.PID{other.PID()}, []actor.PID{other.PID()}) || i.MonitoredBy != 1 {
		t.Errorf("at work, it is %+v", i)
	}
	if i := info(t, sys, parent.PID()); i.Children != 1 || i.Parent != (actor.PID{}) {
		t.Errorf("its parent is %+v", i)
	}
	close(open)
	wantNoErr(t, child.Drain(ctx))
	_, err := sys.Info(child.PID())
	wantErr(t, err, actor.ErrStalePID)
	i, err = child.Info()
	wantNoErr(t, err)
	if i.State != actor.Exited || i.Handled != 5 || i.Reason != nil || i.Uptime != 0 {
		t.Errorf("in the end, it is %+v", i)
	}
	_, err = actor.Ref[int]{}.Info()
	wantErr(t, err, actor.ErrNoRef)
}

func TestInfoOfStates(t *testing.T) {
	ctx := guarded(t)
	sys := oneWorker(t)
	exits := make(chan actor.Exit, 1)
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(*actor.Context[int], int) error { return errHook })
	}, func(_ *actor.Context[int], e actor.Exit) error { exits <- e; return nil })
	g := newGate()
	busy, ready := spawnActor(t, sys, actor.Actor[int](g)), spawn(t, sys, answer)
	g.hold(t, ctx, busy) // The only worker.
	send(t, ctx, ready.On(actor.Control), question{})
	if i := info(t, sys, ready.PID()); i.State != actor.Ready || i.Priority != sched.Critical {
		t.Errorf("an actor that is queued is %+v", i)
	}
	close(g.open)
	send(t, ctx, child, 1)
	receive(t, ctx, exits)
	if i := info(t, sys, child.PID()); i.State != actor.Held {
		t.Errorf("an actor that is held is %+v", i)
	}
	entered, open := make(chan struct{}), make(chan struct{})
	stopping := spawnActor(t, sys, actor.Actor[int](&hooks[int]{stopped: func(*actor.Context[int], error) { close(entered); <-open }}))
	wantErr(t, stopping.Stop(ended()))
	receive(t, ctx, entered)
	if i := info(t, sys, stopping.PID()); i.State != actor.Stopping {
		t.Errorf("an actor that is stopping is %+v", i)
	}
	close(open)
	if s := actor.State(9).String() + " " + actor.Exited.String(); s != "State(9) exited" {
		t.Errorf("states are called %s", s)
	}
}

func TestUptime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		pass(time.Minute)
		ref := spawn(t, sys, answer)
		pass(time.Hour)
		if i := info(t, sys, ref.PID()); i.Uptime != time.Hour {
			t.Errorf("the actor is up since %v", i.Uptime)
		}
	})
}

// Info may be asked for at any moment of an eventful life.
func TestInfoUnderLoad(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 3})
	other := spawn(t, sys, doTask)
	_, child := keptChild(t, sys, func() actor.Actor[task] { return newTrapper() }, true)
	var all sync.WaitGroup
	var over atomic.Bool
	all.Go(func() {
		for ; !over.Load(); runtime.Gosched() {
			if i, err := sys.Info(child.PID()); err != nil || i.PID != child.PID() {
				t.Errorf("the info is %+v, %v", i, err)
				return
			}
		}
	})
	for n := range 300 {
		_ = do(t, child, func(c *actor.Context[task]) error {
			_ = c.Stash(task{do: func(*actor.Context[task]) error { return nil }})
			_ = c.Become(doTask)
			_ = c.Link(other.PID())
			_, _ = c.Monitor(other.PID())
			_, _ = actor.SendAfter(c, time.Hour, other, task{})
			_, _ = c.Unstash()
			return c.Unbecome()
		})
		if n%3 == 0 {
			end(t, child, endings["panic"].do)
		}
		if n%5 == 0 {
			wantNoErr(t, child.Kill())
		}
	}
	over.Store(true)
	all.Wait()
	wantNoErr(t, child.Stop(ctx))
}

func TestInfos(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	const n = 3000
	var ids []actor.PID
	for range n {
		ids = append(ids, spawn(t, sys, ignore).PID())
	}
	wantNoErr(t, mustResolve(t, sys, ids[1]).Stop(ctx))
	ids = append(ids[:1], ids[2:]...)
	var got []actor.PID
	last := actor.PID{}
	for { // Page by page.
		page := 0
		for i := range sys.Infos(last) {
			got, last = append(got, i.PID), i.PID
			if page++; page == 700 {
				break
			}
		}
		if page == 0 {
			break
		}
	}
	if !slices.Equal(got, ids) || !slices.IsSortedFunc(got, actor.PID.Compare) {
		t.Errorf("%d of %d actors, or in another order", len(got), len(ids))
	}
}

func mustResolve(tb testing.TB, sys *actor.System, id actor.PID) actor.Ref[int] {
	tb.Helper()
	ref, err := actor.Resolve[int](sys, id)
	wantNoErr(tb, err)
	return ref
}

// TestChildren looks at more children than one look has place for.
func TestChildren(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	const n = 2500
	var ids []actor.PID
	parent := spawn(t, sys, func(c *actor.Context[question], q question) error {
		for range n {
			ids = append(ids, spawn(t, c, ignore).PID())
		}
		return q.reply.Send(c, 0)
	})
	_, err := actor.Ask(ctx, parent, asking(1))
	wantNoErr(t, err)
	if i := info(t, sys, parent.PID()); i.Children != n {
		t.Errorf("the parent has %d children, want %d", i.Children, n)
	}
	var got []actor.PID
	last := actor.PID{}
	for {
		some, err := sys.Children(parent.PID(), last, n)
		wantNoErr(t, err)
		if len(some) == 0 {
			break
		}
		for _, i := range some {
			got, last = append(got, i.PID), i.PID
		}
	}
	if !slices.Equal(got, ids) {
		t.Errorf("%d of %d children, or in another order", len(got), n)
	}
	top, err := sys.Children(actor.PID{}, actor.PID{}, 10)
	wantNoErr(t, err)
	if len(top) != 1 || top[0].PID != parent.PID() {
		t.Errorf("at the top there are %+v", top)
	}
	_, err = sys.Children(actor.PID{}, ids[0], 1)
	wantErr(t, err, actor.ErrNotChild)
	wantNoErr(t, mustResolve(t, sys, ids[0]).Stop(ctx))
	_, err = sys.Children(parent.PID(), ids[0], 1)
	wantErr(t, err, actor.ErrStalePID)
	_, err = sys.Children(ids[0], actor.PID{}, 1)
	wantErr(t, err, actor.ErrStalePID)
}

func TestNames(t *testing.T) { simulated.Too(t, testNames) }

func testNames(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, ignore, actor.WithRegistration("one"))
	wantNoErr(t, sys.Register("two", ref.PID()))
	names := maps.Collect(sys.Names())
	if len(names) != 2 || names["one"] != ref.PID() || names["two"] != ref.PID() {
		t.Errorf("the names are %v", names)
	}
}

// A message that the activation has claimed is counted in its mailbox until its handler
// begins.
func TestInfoOfABatch(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g))
	defer close(g.open)
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2, 0, 3, 4, 5, 0, 6)
	for _, want := range []struct{ waiting, handled int }{{5, 4}, {1, 8}} {
		g.open <- struct{}{}
		receive(t, ctx, g.entered)
		i, err := ref.Info()
		wantNoErr(t, err)
		if i.Mailbox[actor.Data] != want.waiting || i.Handled != uint64(want.handled) {
			t.Errorf("%d messages wait and %d were handled, want %d and %d", i.Mailbox[actor.Data], i.Handled, want.waiting, want.handled)
		}
	}
}

// A goroutine that goes through many actors lets others run in between, all along, also on one
// processor. Otherwise Go would take the processor away after 10 ms.
func TestInfosLetOthersRun(t *testing.T) {
	ctx := guarded(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	sys := newSystem(t, actor.Config{Workers: 1})
	for range 50_000 {
		spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	}
	var handled atomic.Int64
	busy := spawn(t, sys, func(ctx *actor.Context[int], m int) error {
		handled.Add(1)
		return ctx.Self().Send(ctx, m)
	})
	wantNoErr(t, busy.Send(ctx, 1))
	turns, before := 0, handled.Load()
	for range sys.Infos(actor.PID{}) {
		if now := handled.Load(); now != before {
			before = now
			turns++
		}
	}
	if turns < 60 {
		t.Errorf("the other actor had %d turns, want 60 at least", turns)
	}
	before = handled.Load()
	if sys.Waits(); handled.Load() == before {
		t.Error("the other actor had no turn during Waits")
	}
	wantNoErr(t, busy.Stop(ctx))
}
