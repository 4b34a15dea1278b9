package actor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

func TestBecome(t *testing.T) { simulated.Too(t, testBecome) }

func testBecome(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var d eventLog
	var door func(state string) func(*actor.Context[string], string) error
	door = func(state string) func(*actor.Context[string], string) error {
		return func(c *actor.Context[string], m string) error {
			d.note("%s %s", state, m)
			switch m {
			case "back":
				if err := c.Unbecome(); err != nil {
					d.note("%v", errors.Is(err, actor.ErrNoBehaviour))
				}
			case "fail":
				return errHook
			default:
				return c.Become(door(m))
			}
			return nil
		}
	}
	_, child := keptChild(t, sys, func() actor.Actor[string] { return actor.Func(door("new")) }, true)
	send(t, ctx, child, "open", "shut", "back", "back", "back", "ajar", "fail", "again")
	until(t, ctx, func() bool { return strings.HasSuffix(d.String(), "again") })
	wantNoErr(t, child.Drain(ctx))
	d.want(t, "new open", "open shut", "shut back", "open back", "new back", "true", "new ajar", "ajar fail", "new again")
}

func TestBecomeGoesWrong(t *testing.T) { simulated.Too(t, testBecomeGoesWrong) }

func testBecomeGoesWrong(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, doTask)
	var leaked *actor.Context[task]
	wantNoErr(t, do(t, ref, func(c *actor.Context[task]) error {
		leaked = c
		if err := c.Become(nil); err == nil {
			t.Error("an actor became nil")
		}
		outside := make(chan error)
		go func() { outside <- c.Become(doTask) }()
		wantErr(t, <-outside, actor.ErrNotInHandler)
		n := 0
		for c.Become(doTask) == nil {
			n++
		}
		for range n {
			wantNoErr(t, c.Unbecome())
		}
		if n != 1000 {
			t.Errorf("%d behaviours lay on each other", n)
		}
		wantErr(t, c.Unbecome(), actor.ErrNoBehaviour)
		return nil
	}))
	wantErr(t, leaked.Become(doTask), actor.ErrNotInHandler)
	wantErr(t, leaked.Unbecome(), actor.ErrNotInHandler)
	wantErr(t, do(t, ref, func(c *actor.Context[task]) error {
		wantNoErr(t, c.Self().Kill())
		return c.Become(doTask)
	}), actor.ErrFenced)
	receive(t, ctx, ref.Done())
}

// only handles one number and notes its life.
func only(d *eventLog, n int) actor.Actor[int] {
	a := noted(d)
	a.receive = func(_ *actor.Context[int], m int) error {
		if m != n {
			return fmt.Errorf("%d: %w", m, actor.ErrUnhandled)
		}
		d.note("%d", m)
		return nil
	}
	a.started = func(*actor.Context[int]) error { d.note("started %d", n); return nil }
	a.stopped = func(*actor.Context[int], error) { d.note("stopped %d", n); panic("contained") }
	return a
}

func TestFirstOf(t *testing.T) { simulated.Too(t, testFirstOf) }

func testFirstOf(t testing.TB) {
	ctx := guarded(t)
	var letters []any
	sys := newSystem(t, actor.Config{OnDeadLetter: func(l actor.DeadLetter) {
		wantErr(t, l.Reason, actor.ErrUnhandled)
		letters = append(letters, l.Message)
	}})
	var d eventLog
	ref := spawnActor(t, sys, actor.FirstOf(only(&d, 1), actor.FirstOf(only(&d, 2), only(&d, 1))))
	send(t, ctx, ref, 2, 1, 7, 2)
	wantNoErr(t, ref.Drain(ctx))
	d.want(t, "started 1", "started 2", "started 1", "2", "1", "2", "stopped 1", "stopped 2", "stopped 1")
	if s := sys.Stats(); s.Unhandled != 1 || s.DeadLetters != 1 || fmt.Sprint(letters) != "[7]" {
		t.Errorf("%d are unhandled, and the dead letters are %v", s.Unhandled, letters)
	}
	for _, bad := range []actor.Actor[int]{actor.FirstOf[int](), actor.FirstOf(only(&d, 1), nil)} {
		if _, err := actor.Spawn(sys, bad); err == nil {
			t.Errorf("%v was spawned", bad)
		}
	}
}

// An asker gets an error if the actor does not handle its message. An actor that can't live
// with that has failed.
func TestUnhandledAsk(t *testing.T) { simulated.Too(t, testUnhandledAsk) }

func testUnhandledAsk(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	deaf := spawn(t, sys, func(*actor.Context[question], question) error { return actor.ErrUnhandled })
	_, err := actor.Ask(ctx, deaf, asking(1))
	wantErr(t, err, actor.ErrNoReply, actor.ErrUnhandled)
	asker := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		_, err := actor.Ask(c, deaf, asking(1))
		return err
	})
	send(t, ctx, asker, 1)
	receive(t, ctx, asker.Done())
	wantErr(t, asker.Err(), actor.ErrUnhandled)
	wantNoErr(t, deaf.Err())
}

// An actor keeps its own hooks when it becomes something else.
func TestHooksOutliveBecome(t *testing.T) { simulated.Too(t, testHooksOutliveBecome) }

func testHooksOutliveBecome(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var d eventLog
	parent := &keeping[int]{}
	parent.receive = func(c *actor.Context[int], _ int) error {
		return c.Become(func(c *actor.Context[int], _ int) error {
			child, err := actor.Spawn(c, actor.Func(answer))
			if err != nil {
				return err
			}
			return child.Kill()
		})
	}
	exited := make(chan struct{})
	parent.exited = func(*actor.Context[int], actor.Exit) error { d.note("exited"); close(exited); return nil }
	parent.stopped = func(*actor.Context[int], error) { d.note("stopped") }
	ref := spawnActor(t, sys, actor.Actor[int](parent))
	send(t, ctx, ref, 1, 2)
	receive(t, ctx, exited)
	wantNoErr(t, ref.Stop(ctx))
	d.want(t, "exited", "stopped")
}

// The first that fails ends the whole: the others neither begin nor get the message.
func TestFirstOfActorsThatFail(t *testing.T) { simulated.Too(t, testFirstOfActorsThatFail) }

func testFirstOfActorsThatFail(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var d eventLog
	failing := &hooks[int]{receive: func(*actor.Context[int], int) error { return errHook }}
	ref := spawnActor(t, sys, actor.FirstOf(actor.Actor[int](failing), only(&d, 1)))
	send(t, ctx, ref, 1)
	receive(t, ctx, ref.Done())
	wantErr(t, ref.Err(), errHook)
	d.want(t, "started 1", "stopped 1")
	var e eventLog
	unborn := &hooks[int]{started: func(*actor.Context[int]) error { return errHook }}
	ref = spawnActor(t, sys, actor.FirstOf(actor.Actor[int](unborn), only(&e, 1)))
	receive(t, ctx, ref.Done())
	wantErr(t, ref.Err(), errHook)
	if s := e.String(); strings.Contains(s, "started") {
		t.Errorf("it happened: %s", s)
	}
}
