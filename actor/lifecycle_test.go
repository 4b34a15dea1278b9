package actor_test

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

var errHook = errors.New("from a hook")

// failures are the ways in which user code can fail, with what they lead to.
var failures = map[string]struct {
	fail   func() error
	reason error
}{
	"error":  {func() error { return errHook }, errHook},
	"panic":  {func() error { panic(errHook) }, errHook},
	"goexit": {func() error { runtime.Goexit(); return nil }, actor.ErrGoexit},
}

// eventLog notes what happens, in order.
type eventLog struct {
	mu      sync.Mutex
	entries []string
}

func (d *eventLog) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, fmt.Sprintf(format, args...))
}

func (d *eventLog) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.entries, ", ")
}

func (d *eventLog) want(tb testing.TB, entries ...string) {
	tb.Helper()
	if got, want := d.String(), strings.Join(entries, ", "); got != want {
		tb.Errorf("it happened: %s\nwant:        %s", got, want)
	}
}

// noted returns an actor that notes its life.
func noted(d *eventLog) *hooks[int] {
	return &hooks[int]{
		receive: func(_ *actor.Context[int], m int) error { d.note("%d", m); return nil },
		started: func(*actor.Context[int]) error { d.note("started"); return nil },
		stopped: func(_ *actor.Context[int], reason error) { d.note("stopped %v", reason) },
	}
}

func TestHooksFrameTheMessages(t *testing.T) { simulated.Too(t, testHooksFrameTheMessages) }

func testHooksFrameTheMessages(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for range 100 { // The messages race with the start.
		var d eventLog
		ref := spawnActor(t, sys, actor.Actor[int](noted(&d)))
		send(t, ctx, ref.On(actor.Control), 1)
		send(t, ctx, ref.On(actor.Control), 2)
		wantNoErr(t, ref.Drain(ctx))
		d.want(t, "started", "1", "2", "stopped <nil>")
	}
}

func TestFailureInStarted(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			var d eventLog
			var reason error
			open := make(chan struct{})
			a := noted(&d)
			a.started = func(*actor.Context[int]) error { <-open; return f.fail() }
			a.stopped = func(_ *actor.Context[int], r error) { reason = r; d.note("stopped") }
			ref := spawnActor(t, sys, actor.Actor[int](a))
			send(t, ctx, ref, 1)
			close(open)
			until(t, ctx, func() bool { return sys.Stats().Actors == 0 })
			d.want(t, "stopped")
			wantErr(t, reason, f.reason)
			wantErr(t, ref.Send(ctx, 2), actor.ErrStopped)
			if n := sys.Stats().DeadLetters; n != 2 {
				t.Errorf("%d dead letters, want 2", n)
			}
		})
	}
}

func TestFailureInReceive(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			var reason error
			stopped := make(chan struct{})
			ref := spawnActor(t, sys, actor.Actor[int](&hooks[int]{
				receive: func(*actor.Context[int], int) error { return f.fail() },
				stopped: func(_ *actor.Context[int], r error) { reason = r; close(stopped) },
			}))
			send(t, ctx, ref, 1)
			receive(t, ctx, stopped)
			wantErr(t, reason, f.reason)
			if p := (*actor.PanicError)(nil); name == "panic" && (!errors.As(reason, &p) || !strings.Contains(string(p.Stack()), "lifecycle_test.go")) {
				t.Errorf("the reason %v has no stack that leads here", reason)
			}
			wantNoErr(t, ref.Stop(ctx))
		})
	}
}

// The hook runs while the goroutine of the handler is on its way out; it may
// wait all the same.
func TestStoppedMayWait(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{Workers: 1})
			successor := spawn(t, sys, answer)
			got := make(chan int, 1)
			ref := spawnActor(t, sys, actor.Actor[int](&hooks[int]{
				receive: func(*actor.Context[int], int) error { return f.fail() },
				stopped: func(c *actor.Context[int], _ error) {
					v, _ := actor.Ask(c, successor, asking(1))
					got <- v
				},
			}))
			send(t, ctx, ref, 1)
			if v := receive(t, ctx, got); v != 2 {
				t.Errorf("an ask in Stopped returned %d, want 2", v)
			}
			wantNoErr(t, ref.Stop(ctx))
		})
	}
}

func TestFailureInStopped(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			ref := spawnActor(t, sys, actor.Actor[int](&hooks[int]{
				stopped: func(*actor.Context[int], error) { _ = f.fail() },
			}))
			wantNoErr(t, ref.Stop(ctx))
			if n := sys.Stats().Actors; n != 0 {
				t.Errorf("%d actors are left", n)
			}
		})
	}
}

// A parent that fails in its hook stops, and loses nothing that it has been
// told meanwhile: else it would wait for a child that has stopped.
func TestFailureInChildExited(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			g := newGate()
			var reason error
			var children []actor.Ref[int]
			p := &keeping[int]{hooks[int]{
				receive: g.Receive,
				started: func(c *actor.Context[int]) error {
					for range 2 {
						children = append(children, spawn(t, c, func(*actor.Context[int], int) error { return nil }))
					}
					return nil
				},
				stopped: func(_ *actor.Context[int], r error) { reason = r },
				exited:  func(*actor.Context[int], actor.Exit) error { return f.fail() },
			}}
			ref := spawnActor(t, sys, actor.Actor[int](p))
			g.hold(t, ctx, ref)
			for _, child := range children {
				wantNoErr(t, child.Stop(ctx))
			}
			close(g.open)
			until(t, ctx, func() bool { return sys.Stats().Actors == 0 })
			wantErr(t, reason, f.reason)
		})
	}
}

func TestParentIsToldOfItsChildren(t *testing.T) { simulated.Too(t, testParentIsToldOfItsChildren) }

func testParentIsToldOfItsChildren(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	exits, children := make(chan actor.Exit, 1), make(chan actor.Ref[int], 2)
	p := &keeping[int]{hooks[int]{
		started: func(c *actor.Context[int]) error {
			children <- spawn(t, c, func(*actor.Context[int], int) error { return errHook }, actor.WithName("failing"))
			children <- spawn(t, c, func(*actor.Context[int], int) error { return nil })
			return nil
		},
		exited: func(_ *actor.Context[int], e actor.Exit) error { exits <- e; return nil },
	}}
	spawnActor(t, sys, actor.Actor[int](p))
	failing, stopping := receive(t, ctx, children), receive(t, ctx, children)
	send(t, ctx, failing, 1)
	if e := receive(t, ctx, exits); e != (actor.Exit{PID: failing.PID(), Name: "failing", Reason: errHook}) {
		t.Errorf("the parent was told %+v", e)
	}
	wantNoErr(t, stopping.Stop(ctx))
	if e := receive(t, ctx, exits); e != (actor.Exit{PID: stopping.PID()}) {
		t.Errorf("the parent was told %+v", e)
	}
}

func TestFailuresAreLogged(t *testing.T) { simulated.Too(t, testFailuresAreLogged) }

func testFailuresAreLogged(t testing.TB) {
	ctx := guarded(t)
	var log strings.Builder
	sys := newSystem(t, actor.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	ref := spawnActor(t, sys, actor.Actor[int](&hooks[int]{
		receive: func(*actor.Context[int], int) error { panic("in Receive") },
		stopped: func(*actor.Context[int], error) { panic("in Stopped") },
	}), actor.WithName("unlucky"))
	send(t, ctx, ref, 1)
	until(t, ctx, func() bool { return sys.Stats().Actors == 0 })
	for _, want := range []string{"unlucky", ref.PID().String(), "in Receive", "in Stopped", "lifecycle_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not mention %q:\n%s", want, log.String())
		}
	}
}

// mute has no hooks.
type withoutHooks struct{ d *eventLog }

func (m withoutHooks) Receive(_ *actor.Context[int], n int) error { m.d.note("mute %d", n); return nil }

// The facts that are kept about a kind of actors hold for each actor of that kind, also if it
// is wrapped, and if something else takes its place.
func TestHooksOfAKind(t *testing.T) { simulated.Too(t, testHooksOfAKind) }

func testHooksOfAKind(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	live := func(a actor.Actor[int], want func(d *eventLog), d *eventLog) {
		for range 2 {
			ref := spawnActor(t, sys, a)
			send(t, ctx, ref, 1)
			wantNoErr(t, ref.Drain(ctx))
			want(d)
			d.entries = nil
		}
	}
	var d eventLog
	noHooks := func(d *eventLog) { d.want(t, "mute 1") }
	live(withoutHooks{&d}, noHooks, &d)
	live(noted(&d), func(d *eventLog) { d.want(t, "started", "1", "stopped <nil>") }, &d)
	live(actor.FirstOf[int](withoutHooks{&d}, noted(&d)), func(d *eventLog) { d.want(t, "started", "mute 1", "stopped <nil>") }, &d)
	live(withoutHooks{&d}, noHooks, &d)

	// Each incarnation has the hooks of its own value.
	n := 0
	changing := func() actor.Actor[int] {
		if n++; n == 2 {
			second := noted(&d)
			second.receive = func(*actor.Context[int], int) error { d.note("second"); return errHook }
			return second
		}
		return actor.Func(func(*actor.Context[int], int) error { d.note("plain"); return errHook })
	}
	held := make(chan struct{}, 2)
	born := make(chan actor.Ref[int], 1)
	parent := spawnActor(t, sys, &keeping[int]{hooks[int]{
		receive: func(c *actor.Context[int], _ int) error {
			child, err := actor.SpawnNew(c, changing)
			born <- child
			return err
		},
		exited: func(c *actor.Context[int], e actor.Exit) error {
			held <- struct{}{}
			return c.Restart(e.PID)
		},
	}})
	send(t, ctx, parent, 1)
	child := receive(t, ctx, born)
	send(t, ctx, child, 1, 2)
	receive(t, ctx, held)
	receive(t, ctx, held)
	wantNoErr(t, parent.Stop(ctx))
	d.want(t, "plain", "started", "second", "stopped from a hook")
}
