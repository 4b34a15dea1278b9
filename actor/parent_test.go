package actor_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

// testParent is a parent that says what has become of its children, and does to them
// what it is told.
type testParent struct {
	exits chan actor.Exit
	ready chan actor.PID
	leave func(*actor.Context[parentAction]) error
}

type parentAction func(*actor.Context[parentAction]) error

func newTestParent() *testParent {
	return &testParent{exits: make(chan actor.Exit, 16), ready: make(chan actor.PID, 16)}
}

func (n *testParent) Receive(ctx *actor.Context[parentAction], do parentAction) error { return do(ctx) }

func (n *testParent) ChildExited(_ *actor.Context[parentAction], e actor.Exit) error {
	n.exits <- e
	return nil
}

func (n *testParent) ChildStarted(_ *actor.Context[parentAction], id actor.PID) error {
	n.ready <- id
	return nil
}

func (n *testParent) Leave(ctx *actor.Context[parentAction]) error {
	if n.leave == nil {
		ctx.Stop()
		return nil
	}
	return n.leave(ctx)
}

// runningParent is a testParent at work.
type runningParent struct {
	*testParent
	tb  testing.TB
	ref actor.Ref[parentAction]
}

func newRunningParent(tb testing.TB, sys *actor.System) runningParent {
	n := newTestParent()
	return runningParent{n, tb, spawnActor(tb, sys, actor.Actor[parentAction](n), actor.WithName("parent"))}
}

// do makes the testParent do something, and waits until it has.
func (n runningParent) do(what parentAction) {
	n.tb.Helper()
	done := make(chan error, 1)
	send(n.tb, guarded(n.tb), n.ref, func(ctx *actor.Context[parentAction]) error { done <- what(ctx); return nil })
	wantNoErr(n.tb, receive(n.tb, guarded(n.tb), done))
}

func (n runningParent) held(newActor func() actor.Actor[int], opts ...actor.Option) actor.Ref[int] {
	n.tb.Helper()
	var ref actor.Ref[int]
	n.do(func(ctx *actor.Context[parentAction]) (err error) {
		ref, err = actor.SpawnHeld(ctx, newActor, append(opts, actor.WithName("child"))...)
		return err
	})
	return ref
}

func (n runningParent) restart(id actor.PID) {
	n.tb.Helper()
	n.do(func(ctx *actor.Context[parentAction]) error { return ctx.Restart(id) })
	if got := receive(n.tb, guarded(n.tb), n.ready); got != id {
		n.tb.Fatalf("%v is ready, want %v", got, id)
	}
}

func TestSpawnHeld(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	n := newRunningParent(t, sys)
	var d eventLog
	child := n.held(func() actor.Actor[int] { d.note("new"); return noted(&d) })
	send(t, ctx, child, 1, 2)
	if info, err := child.Info(); err != nil || info.State != actor.Held || info.Restarts != 0 {
		t.Errorf("the child is %v after %d restarts, %v", info.State, info.Restarts, err)
	}
	d.want(t)
	n.restart(child.PID())
	wantNoErr(t, child.Drain(ctx))
	d.want(t, "new", "started", "1", "2", "stopped <nil>")
	if info, err := child.Info(); err != nil || info.Restarts != 0 {
		t.Errorf("the first start counts as a restart: %d, %v", info.Restarts, err)
	}
	if p := child.Path(); p != "/parent/child" {
		t.Errorf("the path is %s", p)
	}
	if _, err := actor.SpawnHeld(sys, func() actor.Actor[int] { return noted(&d) }); err == nil {
		t.Error("an actor is held below the system, which never restarts it")
	}
}

// The function that makes the actor runs in the actor. Its failure is the actor's failure.
func TestHeldActorFailsToBegin(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	n := newRunningParent(t, sys)
	for name, produce := range map[string]func() actor.Actor[int]{
		"nil":   func() actor.Actor[int] { return nil },
		"panic": func() actor.Actor[int] { panic(errHook) },
		"check": func() actor.Actor[int] { return actor.FirstOf[int]() },
		"start": func() actor.Actor[int] {
			return &hooks[int]{started: func(*actor.Context[int]) error { return errHook }}
		},
	} {
		child := n.held(produce)
		n.do(func(ctx *actor.Context[parentAction]) error { return ctx.Restart(child.PID()) })
		if e := receive(t, guarded(t), n.exits); !e.Held || e.Reason == nil || e.PID != child.PID() {
			t.Errorf("%s: the parent was told %+v", name, e)
		}
		if len(n.ready) > 0 {
			t.Errorf("%s: the child is said to be ready", name)
		}
	}
}

// An actor that is recalled ends after its message, keeps what waits, and begins
// again when it is restarted.
func TestRecall(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	n := newRunningParent(t, sys)
	var d eventLog
	g := newGate()
	child := n.held(func() actor.Actor[int] {
		a := noted(&d)
		a.receive = g.Receive
		return a
	})
	n.restart(child.PID())
	g.hold(t, ctx, child)
	send(t, ctx, child, 1)
	n.do(func(ctx *actor.Context[parentAction]) error { return ctx.Recall(child.PID()) })
	close(g.open)
	if e := receive(t, ctx, n.exits); !e.Held || e.Reason != nil {
		t.Fatalf("the parent was told %+v", e)
	}
	n.do(func(ctx *actor.Context[parentAction]) error { return ctx.Recall(child.PID()) }) // Nothing happens.
	if len(g.seen) != 0 {
		t.Error("a recalled actor goes on")
	}
	n.restart(child.PID())
	if m := receive(t, ctx, g.seen); m != 1 {
		t.Errorf("it handles %d", m)
	}
	d.want(t, "started", "stopped <nil>", "started")
}

// Messages that wait are dropped by a restart that is to begin without them.
func TestRestartEmpty(t *testing.T) {
	ctx := guarded(t)
	var letters []any
	sys := newSystem(t, actor.Config{OnDeadLetter: func(l actor.DeadLetter) {
		wantErr(t, l.Reason, actor.ErrDropped)
		letters = append(letters, l.Message)
	}})
	n := newRunningParent(t, sys)
	g := newGate()
	child := n.held(func() actor.Actor[int] { return g }, actor.WithCapacity(actor.Data, 3))
	n.restart(child.PID())
	g.hold(t, ctx, child)
	send(t, ctx, child, 1, 2, 3)
	sent := make(chan error, 1)
	go func() { sent <- child.Send(ctx, 5) }() // Waits for room, and comes after the restart.
	until(t, ctx, func() bool { i, err := child.Info(); return err == nil && i.Senders[actor.Data] == 1 })
	n.do(func(ctx *actor.Context[parentAction]) error { return ctx.Recall(child.PID()) })
	close(g.open)
	receive(t, ctx, n.exits)
	send(t, ctx, child.On(actor.Control), 4)
	until(t, ctx, func() bool { return child.Backlog() == 4 }) // One more while the activation that told the parent runs.
	n.do(func(ctx *actor.Context[parentAction]) error { return ctx.RestartEmpty(child.PID()) })
	receive(t, ctx, n.ready)
	wantNoErr(t, receive(t, ctx, sent))
	send(t, ctx, child, 6)
	for _, want := range []int{5, 6} {
		if m := receive(t, ctx, g.seen); m != want {
			t.Errorf("it handles %d, want %d", m, want)
		}
	}
	if len(letters) != 4 {
		t.Errorf("the dead letters are %v, want 4, 1, 2, 3", letters)
	}
	info, err := child.Info()
	wantNoErr(t, err)
	if info.Handled != 3 {
		t.Errorf("%d messages were handled, want 3", info.Handled)
	}
	until(t, ctx, func() bool { return child.Backlog() == 0 }) // Also in Control, which nothing has come to since.
}

// The message in which the actor fails comes again, before all others, as often
// as was said.
func TestRetry(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			letters := make(chan actor.DeadLetter, 4)
			sys := newSystem(t, actor.Config{OnDeadLetter: func(l actor.DeadLetter) { letters <- l }})
			n := newRunningParent(t, sys)
			var d eventLog
			failed := 0
			child := n.held(func() actor.Actor[int] {
				return actor.Func(func(_ *actor.Context[int], m int) error {
					d.note("%d", m)
					if m < 0 && failed < -m {
						failed++
						return f.fail()
					}
					return nil
				})
			}, actor.WithRetry(2))
			again := func(times int) {
				for range times {
					e := receive(t, ctx, n.exits)
					wantErr(t, e.Reason, f.reason)
					n.restart(e.PID)
				}
			}
			send(t, ctx, child, -2, 7, -9, 8)
			n.restart(child.PID())
			again(2) // Of -2, which then goes well.
			again(3) // Of -9, which never does.
			l := receive(t, ctx, letters)
			wantErr(t, l.Reason, f.reason)
			if l.Message != any(-9) {
				t.Errorf("the dead letter is %+v", l)
			}
			wantNoErr(t, child.Drain(ctx))
			d.want(t, "-2", "-2", "-2", "7", "-9", "-9", "-9", "8")
		})
	}
	if _, err := actor.Spawn(newSystem(t, actor.Config{}), actor.Actor[int](noted(nil)), actor.WithRetry(0)); err == nil {
		t.Error("an actor was spawned with no retries")
	}
}

// An actor that is never restarted can't be given a message again.
func TestRetryOfAnActorThatIsNotRestarted(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	newActor := func() actor.Actor[int] { return noted(&eventLog{}) }
	_, plain := actor.Spawn(sys, newActor(), actor.WithRetry(1))
	_, noParent := actor.SpawnNew(sys, newActor, actor.WithRetry(1))
	for _, err := range []error{plain, noParent} {
		if err == nil || !strings.Contains(err.Error(), "never restarted") {
			t.Errorf("the spawn returned %v", err)
		}
	}
	failed := make(chan error, 1)
	spawnActor(t, sys, actor.Actor[int](&keeping[int]{hooks[int]{exited: restart, started: func(c *actor.Context[int]) error {
		_, err := actor.Spawn(c, newActor(), actor.WithRetry(1)) // The parent restarts others.
		failed <- err
		return nil
	}}}))
	if err := <-failed; err == nil {
		t.Error("an actor that can't be made anew was spawned with a retry")
	}
}

// A question whose handler fails is answered by the next incarnation.
func TestRetryOfAnAsk(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	n := newRunningParent(t, sys)
	first := true
	var child actor.Ref[question]
	n.do(func(ctx *actor.Context[parentAction]) (err error) {
		child, err = actor.SpawnHeld(ctx, func() actor.Actor[question] {
			return actor.Func(func(ctx *actor.Context[question], q question) error {
				if first {
					first = false
					return errHook
				}
				return answer(ctx, q)
			})
		}, actor.WithRetry(1))
		return err
	})
	n.restart(child.PID())
	restarted := make(chan struct{})
	go func() {
		defer close(restarted)
		e := <-n.exits
		n.restart(e.PID)
	}()
	if v, err := actor.Ask(guarded(t), child, asking(1)); v != 2 || err != nil {
		t.Errorf("the answer is %d, %v", v, err)
	}
	<-restarted // Which may come after the answer.
}

// A GracefulStopper takes its time.
func TestLeave(t *testing.T) { simulated.Too(t, testLeave) }

func testLeave(t testing.TB) {
	ctx := guarded(t)
	for name, stop := range map[string]func(actor.Ref[parentAction]) error{
		"stop":  func(r actor.Ref[parentAction]) error { return r.Stop(ctx) },
		"drain": func(r actor.Ref[parentAction]) error { return r.Drain(ctx) },
	} {
		sys := newSystem(t, actor.Config{})
		n := newRunningParent(t, sys)
		left := make(chan struct{}, 2)
		n.leave = func(*actor.Context[parentAction]) error { left <- struct{}{}; return nil }
		stopped := make(chan error, 2)
		for range 2 {
			go func() { stopped <- stop(n.ref) }()
		}
		receive(t, ctx, left)
		n.do(func(*actor.Context[parentAction]) error { return nil }) // It goes on.
		if len(stopped) > 0 {
			t.Errorf("%s: it has stopped", name)
		}
		send(t, ctx, n.ref, func(ctx *actor.Context[parentAction]) error { ctx.Stop(); return nil })
		wantNoErr(t, receive(t, ctx, stopped))
		wantNoErr(t, receive(t, ctx, stopped))
		if len(left) > 0 {
			t.Errorf("%s: it was asked to leave twice", name)
		}
	}
}

func TestLeaveThatFails(t *testing.T) { simulated.Too(t, testLeaveThatFails) }

func testLeaveThatFails(t testing.TB) {
	ctx := guarded(t)
	for name, f := range failures {
		sys := newSystem(t, actor.Config{})
		n := newRunningParent(t, sys)
		n.leave = func(*actor.Context[parentAction]) error { return f.fail() }
		wantNoErr(t, n.ref.Stop(ctx))
		if err := n.ref.Err(); !errors.Is(err, f.reason) {
			t.Errorf("%s: it has ended with %v", name, err)
		}
	}
}

// keep is a parent below another one, with a child that outlives its incarnations.
type keep struct {
	testParent
	born chan []actor.PID
}

func (k *keep) Started(ctx *actor.Context[parentAction]) error {
	k.born <- ctx.Children()
	return nil
}

// A child that was spawned held is kept when its parent begins again, whatever
// ended that, and ends with the parent.
func TestHeldChildOutlivesItsParent(t *testing.T) {
	ctx := guarded(t)
	for name, end := range map[string]func(actor.Ref[parentAction]) error{
		"failure": func(r actor.Ref[parentAction]) error {
			return r.Send(ctx, func(*actor.Context[parentAction]) error { return errHook })
		},
		"exit": func(r actor.Ref[parentAction]) error {
			return r.Send(ctx, func(ctx *actor.Context[parentAction]) error { ctx.Stop(); return nil })
		},
		"kill": actor.Ref[parentAction].Kill,
	} {
		t.Run(name, func(t *testing.T) {
			sys := newSystem(t, actor.Config{})
			n := newRunningParent(t, sys)
			k := &keep{testParent: *newTestParent(), born: make(chan []actor.PID, 2)}
			var parent actor.Ref[parentAction]
			n.do(func(ctx *actor.Context[parentAction]) (err error) {
				parent, err = actor.SpawnHeld(ctx, func() actor.Actor[parentAction] { return k })
				return err
			})
			n.restart(parent.PID())
			if ids := receive(t, ctx, k.born); len(ids) > 0 {
				t.Fatalf("there are children already: %v", ids)
			}
			below := runningParent{&k.testParent, t, parent}
			g := newGate()
			child, other := below.held(func() actor.Actor[int] { return g }), below.held(func() actor.Actor[int] { return g })
			below.restart(child.PID())
			var plain actor.Ref[int]
			below.do(func(ctx *actor.Context[parentAction]) (err error) {
				plain, err = actor.Spawn(ctx, actor.Actor[int](g))
				return err
			})
			g.hold(t, ctx, child)
			send(t, ctx, child, 1)
			wantNoErr(t, end(parent))
			close(g.open)
			if e := receive(t, ctx, n.exits); !e.Held {
				t.Fatalf("the parent has ended: %+v", e)
			}
			wantErr(t, plain.Send(ctx, 1), actor.ErrStopped)
			if info, err := child.Info(); err != nil || info.State != actor.Held {
				t.Errorf("the child is %v", info.State)
			}
			wantNoErr(t, other.Stop(ctx)) // While nobody decides about it.
			n.restart(parent.PID())
			if ids := receive(t, ctx, k.born); len(ids) != 1 || ids[0] != child.PID() {
				t.Errorf("the parent finds %v, want %v", ids, child.PID())
			}
			below.restart(child.PID())
			if m := receive(t, ctx, g.seen); m != 1 {
				t.Errorf("the child handles %d", m)
			}
			wantNoErr(t, parent.Stop(ctx))
			wantErr(t, child.Send(ctx, 1), actor.ErrStopped)
		})
	}
}

// A child that has stopped is none any more, also where its parent has not been told.
func TestChildrenThatHaveStopped(t *testing.T) {
	ctx := guarded(t)
	n := newRunningParent(t, newSystem(t, actor.Config{}))
	n.do(func(c *actor.Context[parentAction]) error {
		first, second := spawn(t, c, answer), spawn(t, c, answer)
		if err := first.Stop(c); err != nil {
			return err
		}
		if ids := c.Children(); len(ids) != 1 || ids[0] != second.PID() {
			t.Errorf("the children are %v, want %v", ids, second.PID())
		}
		return nil
	})
	if e := receive(t, ctx, n.exits); e.Reason != nil {
		t.Errorf("the parent is told of %+v", e)
	}
}

// A kill from above reaches those below who do not stop.
func TestKillChild(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	n := newRunningParent(t, sys)
	g := newGate()
	grandchild := make(chan actor.Ref[int], 1)
	var child actor.Ref[int]
	n.do(func(ctx *actor.Context[parentAction]) (err error) {
		child, err = actor.SpawnNew(ctx, func() actor.Actor[int] {
			return &hooks[int]{started: func(ctx *actor.Context[int]) error {
				ref, err := actor.Spawn(ctx, actor.Actor[int](g))
				grandchild <- ref
				return err
			}}
		})
		return err
	})
	below := receive(t, ctx, grandchild)
	g.hold(t, ctx, below)
	n.do(func(ctx *actor.Context[parentAction]) error { return ctx.StopChild(child.PID()) })
	n.do(func(ctx *actor.Context[parentAction]) error { return ctx.KillChild(child.PID()) })
	<-child.Done()
	wantErr(t, below.Err(), actor.ErrKilled)
	close(g.open)
	var stranger error
	n.do(func(ctx *actor.Context[parentAction]) error { stranger = ctx.KillChild(n.ref.PID()); return nil })
	wantErr(t, stranger, actor.ErrNotChild)
}

func TestPathOfAnActor(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	paths := make(chan string, 1)
	a := spawnActor(t, sys, actor.Actor[int](&hooks[int]{started: func(ctx *actor.Context[int]) error {
		_, err := actor.Spawn(ctx, actor.Actor[int](&hooks[int]{started: func(ctx *actor.Context[int]) error {
			paths <- ctx.Path()
			return nil
		}}))
		return err
	}}), actor.WithName("top"))
	if p := receive(t, guarded(t), paths); !strings.HasPrefix(p, "/top/<") {
		t.Errorf("the path is %s", p)
	}
	if p := a.Path(); p != "/top" {
		t.Errorf("the path is %s", p)
	}
	if p := (actor.Ref[int]{}).Path(); p != "<no actor>" {
		t.Errorf("the path of no actor is %s", p)
	}
}
