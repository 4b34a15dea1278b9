package actor_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/internal/workers"
)

// wantKilled waits for the end of an actor that was killed.
func wantKilled[M any](tb testing.TB, ctx context.Context, ref actor.Ref[M]) {
	tb.Helper()
	receive(tb, ctx, ref.Done())
	wantErr(tb, ref.Err(), actor.ErrKilled)
}

func TestKillOfAnIdleActor(t *testing.T) { simulated.Too(t, testKillOfAnIdleActor) }

func testKillOfAnIdleActor(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var d eventLog
	ref := spawnActor(t, sys, actor.Actor[int](noted(&d)))
	until(t, ctx, func() bool { return actor.Idle(ref) })
	wantNoErr(t, ref.Err())
	wantNoErr(t, ref.Kill())
	wantKilled(t, ctx, ref)
	wantNoErr(t, ref.Kill())
	wantNoErr(t, ref.Stop(ctx))
	wantErr(t, ref.Send(ctx, 1), actor.ErrStopped)
	wantErr(t, sys.Kill(ref.PID()), actor.ErrStalePID)
	wantErr(t, actor.Ref[int]{}.Kill(), actor.ErrNoRef)
	d.want(t, "started")
}

// The actor ends although its handler does not return.
func TestKillDoesNotWaitForTheHandler(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2)
	send(t, ctx, ref.On(actor.Control), 3)
	wantNoErr(t, sys.Kill(ref.PID()))
	wantKilled(t, ctx, ref)
	wantErr(t, ref.Send(ctx, 4), actor.ErrStopped)
	if n := sys.Stats().Ghosts; n != 1 {
		t.Errorf("there are %d ghosts, want 1", n)
	}
	if err := sys.Stop(ended()); err == nil || !strings.Contains(err.Error(), "1 of their handlers") {
		t.Errorf("a stop that waits for a ghost returned %v", err)
	}
	close(g.open)
	// The messages that the handler has in hand become dead letters when it returns.
	until(t, ctx, func() bool { return sys.Stats().DeadLetters == 4 })
	if n := len(g.seen); n != 0 {
		t.Errorf("%d messages were handled after the kill", n)
	}
	until(t, ctx, func() bool { return sys.Stats().Ghosts == 0 })
}

// keptChild spawns a child under a parent that restarts or releases it.
func keptChild[M any](tb testing.TB, sys *actor.System, newActor func() actor.Actor[M], restarted bool) (actor.Ref[int], actor.Ref[M]) {
	tb.Helper()
	children := make(chan actor.Ref[M], 1)
	parent := spawnActor(tb, sys, actor.Actor[int](&keeping[int]{hooks[int]{
		started: func(c *actor.Context[int]) error {
			ref, err := actor.SpawnNew(c, newActor)
			children <- ref
			return err
		},
		exited: func(c *actor.Context[int], e actor.Exit) error {
			switch {
			case !e.Held:
				return nil
			case restarted:
				return c.Restart(e.PID)
			}
			return c.Release(e.PID)
		},
	}}))
	return parent, receive(tb, guarded(tb), children)
}

// An incarnation is killed while it handles a message. The next incarnation handles the
// messages behind it, in order, while the ghost still runs.
func TestKillKeepsTheMessagesOverARestart(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	_, child := keptChild(t, sys, func() actor.Actor[int] { return g }, true)
	g.hold(t, ctx, child)
	const n = 500
	var want []int
	for i := range n {
		want = append(want, i+1)
		send(t, ctx, child, i+1)
	}
	wantNoErr(t, child.Kill())
	for _, m := range want {
		if got := receive(t, ctx, g.seen); got != m {
			t.Fatalf("handled %d, want %d", got, m)
		}
	}
	close(g.open)
	wantNoErr(t, child.Drain(ctx))
	if n := sys.Stats().DeadLetters; n != 0 {
		t.Errorf("%d dead letters", n)
	}
}

// A ghost that is suspended is resumed by the end of its context.
func TestKillOfASuspendedHandler(t *testing.T) { simulated.Too(t, testKillOfASuspendedHandler) }

func testKillOfASuspendedHandler(t testing.TB) {
	ctx := guarded(t)
	sys := oneWorker(t)
	entered, got := make(chan struct{}), make(chan error, 1)
	mute := spawn(t, sys, func(*actor.Context[question], question) error { close(entered); return nil })
	_, child := keptChild(t, sys, func() actor.Actor[question] {
		return actor.Func(func(c *actor.Context[question], q question) error {
			if q.n > 0 {
				return answer(c, q)
			}
			_, err := actor.Ask(c, mute, asking(1))
			got <- err
			return err
		})
	}, true)
	send(t, ctx, child, question{})
	receive(t, ctx, entered)
	wantNoErr(t, child.Kill())
	if v, err := actor.Ask(ctx, child, asking(1)); v != 2 || err != nil {
		t.Errorf("the next incarnation answers %d, %v", v, err)
	}
	wantErr(t, receive(t, ctx, got), actor.ErrKilled)
}

// A kill reaches an actor in whichever of its hooks it hangs.
func TestKillInAHook(t *testing.T) {
	hang := func(entered, open chan struct{}) {
		close(entered)
		<-open
	}
	for _, where := range []string{"started", "child exited", "stopped at stop", "stopped at failure", "new"} {
		for _, end := range []string{"return", "panic", "goexit"} {
			t.Run(where+" "+end, func(t *testing.T) {
				ctx := guarded(t)
				sys := newSystem(t, actor.Config{})
				entered, open := make(chan struct{}), make(chan struct{})
				done := make(chan struct{}, 3)
				stuck := func() {
					defer func() { done <- struct{}{} }()
					hang(entered, open)
					switch end {
					case "panic":
						panic(errHook)
					case "goexit":
						runtime.Goexit()
					}
				}
				made := 0
				_, child := keptChild(t, sys, func() actor.Actor[question] {
					made++
					k := &keeping[question]{}
					k.receive = func(c *actor.Context[question], q question) error {
						if q.n < 0 {
							return errHook
						}
						return answer(c, q)
					}
					switch first := made == 1; {
					case where == "new" && made == 2:
						stuck()
					case first && where == "started":
						k.started = func(*actor.Context[question]) error { stuck(); return nil }
					case first && where == "child exited":
						k.started = func(c *actor.Context[question]) error {
							return spawn(t, c, func(*actor.Context[int], int) error { return errHook }).Send(c, 1)
						}
						k.exited = func(*actor.Context[question], actor.Exit) error { stuck(); return nil }
					case first && strings.HasPrefix(where, "stopped"):
						k.stopped = func(*actor.Context[question], error) { stuck() }
					}
					return k
				}, true)
				switch where {
				case "new", "stopped at failure":
					send(t, ctx, child, question{n: -1})
				case "stopped at stop":
					wantErr(t, child.Stop(ended()), context.Canceled)
				}
				receive(t, ctx, entered)
				wantNoErr(t, child.Kill())
				if where == "stopped at stop" {
					receive(t, ctx, child.Done())
					if err := child.Err(); !errors.Is(err, actor.ErrKilled) {
						t.Errorf("the reason of the end is %v", err)
					}
				} else if v, err := actor.Ask(ctx, child, asking(1)); v != 2 || err != nil {
					t.Errorf("after the kill the child answers %d, %v", v, err)
				}
				close(open)
				receive(t, ctx, done)
				if where != "stopped at stop" {
					_, err := actor.Ask(ctx, child, asking(1))
					wantNoErr(t, err)
				}
			})
		}
	}
}

// Kills come at any moment, while messages flow: each message is handled once
// or a dead letter, and what remains in order.
func TestKillsUnderLoad(t *testing.T) {
	t.Run("plain", func(t *testing.T) {
		testKillsUnderLoad(t, func(n int) int { return n }, func(m int) int { return m })
	})
	t.Run("with replies", func(t *testing.T) {
		testKillsUnderLoad(t, func(n int) question { return question{n: n} }, func(q question) int { return q.n })
	})
}

func testKillsUnderLoad[M any](t testing.TB, message func(int) M, number func(M) int) {
	ctx := guarded(t)
	const total = 20_000
	var mu sync.Mutex
	count := make([]int, total)
	letters := 0
	sys := newSystem(t, actor.Config{Workers: 3, OnDeadLetter: func(d actor.DeadLetter) {
		mu.Lock()
		defer mu.Unlock()
		letters++
		count[number(d.Message.(M))]++
	}})
	_, child := keptChild(t, sys, func() actor.Actor[M] {
		last := -1
		return actor.Func(func(_ *actor.Context[M], m M) error {
			n := number(m)
			if n <= last {
				t.Errorf("message %d came after %d", n, last)
			}
			last = n
			if n%7 == 0 {
				runtime.Gosched()
			}
			mu.Lock()
			defer mu.Unlock()
			count[n]++
			return nil
		})
	}, true)
	var over atomic.Bool
	var killers sync.WaitGroup
	kills := 0
	killers.Go(func() {
		for ; !over.Load(); kills++ {
			if err := child.Kill(); err != nil {
				t.Error(err)
			}
			for range kills % 11 {
				runtime.Gosched()
			}
		}
	})
	for n := range total {
		wantNoErr(t, child.Send(ctx, message(n)))
	}
	over.Store(true)
	killers.Wait()
	until(t, ctx, func() bool {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range count {
			if c == 0 {
				return false
			}
		}
		return true
	})
	wantNoErr(t, child.Drain(ctx))
	for n, c := range count {
		if c != 1 {
			t.Fatalf("message %d was handled or dropped %d times", n, c)
		}
	}
	t.Logf("%d kills, %d dead letters", kills, letters)
}

// A handler may kill its own actor, and goes on as a ghost.
func TestKillOfOneself(t *testing.T) { simulated.Too(t, testKillOfOneself) }

func testKillOfOneself(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	got := make(chan error, 2)
	ref := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		got <- c.Self().Kill()
		got <- c.Self().Send(c, 1)
		return errors.New("unseen")
	})
	send(t, ctx, ref, 1)
	wantNoErr(t, receive(t, ctx, got))
	wantErr(t, receive(t, ctx, got), actor.ErrFenced)
	wantKilled(t, ctx, ref)
}

// Nothing of a batch is handled behind the kill, also before anything else has had
// the time to run.
func TestKillWithinABatch(t *testing.T) {
	ctx := guarded(t)
	sys := oneWorker(t)
	g := newGate()
	var behind atomic.Int32
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		switch m {
		case 0:
			return g.Receive(c, m)
		case 1:
			return c.Self().Kill()
		}
		behind.Add(1)
		return nil
	})
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2, 3)
	close(g.open)
	wantKilled(t, ctx, ref)
	if n := behind.Load(); n != 0 {
		t.Errorf("%d messages were handled behind the kill", n)
	}
}

// A stop that waits for a handler for ever is ended by a kill, and the actor is
// not offered for a restart.
func TestKillEndsAStop(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	defer close(g.open)
	_, child := keptChild(t, sys, func() actor.Actor[int] { return g }, true)
	g.hold(t, ctx, child)
	stopped := make(chan error, 1)
	go func() { stopped <- child.Stop(ctx) }()
	until(t, ctx, func() bool { return actor.Asked(child) })
	wantNoErr(t, child.Kill())
	wantNoErr(t, receive(t, ctx, stopped))
}

// A kill that keeps the Stopped hook from running is the reason of an end that had
// none: what was to be cleared up was not.
func TestKillWhileChildrenStop(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	open := sync.OnceFunc(func() { close(g.open) })
	defer open()
	var below actor.Ref[int]
	parent := spawn(t, sys, func(c *actor.Context[int], _ int) (err error) {
		below, err = actor.Spawn(c, actor.Actor[int](g))
		return err
	})
	send(t, ctx, parent, 1)
	until(t, ctx, func() bool { return actor.Idle(parent) })
	g.hold(t, ctx, below)
	wantErr(t, parent.Stop(ended()), context.Canceled)
	until(t, ctx, func() bool { return info(t, sys, parent.PID()).State == actor.Stopping })
	wantNoErr(t, parent.Kill())
	open()
	wantKilled(t, ctx, parent)
	wantNoErr(t, below.Err())
}

// The goroutine that an incarnation has left behind does not act for the next.
func TestLeftoverOfAnIncarnation(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	first := make(chan *actor.Context[int], 1)
	g := newGate()
	_, child := keptChild(t, sys, func() actor.Actor[int] {
		return actor.Func(func(c *actor.Context[int], m int) error {
			if m < 0 {
				first <- c
				return errHook
			}
			return g.Receive(c, m)
		})
	}, true)
	send(t, ctx, child, -1)
	old := receive(t, ctx, first)
	g.hold(t, ctx, child)
	wantErr(t, child.Send(old, 1), actor.ErrFenced)
	_, err := actor.Spawn(old, actor.Func(answer))
	wantErr(t, err, actor.ErrFenced)
	old.Stop()
	close(g.open)
	send(t, ctx, child, 2)
	if m := receive(t, ctx, g.seen); m != 2 {
		t.Errorf("handled %d, want 2", m)
	}
}

// A handler runs on the fiber of its actor, where its waits hold no worker, whatever an
// activation that was about to begin at a kill does late.
func TestHandlersAreOnTheirFiber(t *testing.T) {
	lane.Short(t)
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 3})
	sink := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	var strayed atomic.Int32
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(c *actor.Context[int], _ int) error {
			for range 5 {
				runtime.Gosched()
			}
			if workers.Current(c) == nil && sink.Send(c, 1) == nil { // Else it was killed.
				strayed.Add(1)
			}
			return nil
		})
	}, restart)
	for i := range 30_000 {
		send(t, ctx, child, 1)
		for range i % 4 {
			runtime.Gosched()
		}
		wantNoErr(t, child.Kill())
		send(t, ctx, child, 2)
	}
	wantNoErr(t, sys.Stop(ctx))
	if n := strayed.Load(); n != 0 {
		t.Errorf("%d handlers were elsewhere than their actor", n)
	}
}

// A parent that can be restarted may be killed while its children begin. The race detector
// checks that neither reads what the other writes.
func TestKillWhileHeldChildrenBegin(t *testing.T) {
	lane.Check(t)
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 2})
	for range 100 {
		begun := make(chan struct{}, 1)
		grandparent, parent := keptChild(t, sys, func() actor.Actor[int] {
			return &keeping[int]{hooks[int]{receive: func(c *actor.Context[int], _ int) error {
				for {
					child, err := actor.SpawnHeld(c, func() actor.Actor[int] { return &hooks[int]{} })
					if err == nil {
						err = c.Restart(child.PID())
					}
					if err != nil {
						return nil // It was killed.
					}
					select {
					case begun <- struct{}{}:
					default:
					}
				}
			}}}
		}, true)
		send(t, ctx, parent, 1)
		receive(t, ctx, begun)
		wantNoErr(t, parent.Kill())
		wantNoErr(t, grandparent.Stop(ctx))
	}
}

// A parent that is killed while it restarts a held child recalls the child after that, and begins again itself.
func TestKillWhileAHeldChildIsRestarted(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 2})
	incarnations := make(chan int, 2)
	n := 0
	var self actor.Ref[int]
	grandparent, parent := keptChild(t, sys, func() actor.Actor[int] {
		n++
		incarnations <- n
		return &keeping[int]{hooks[int]{receive: func(c *actor.Context[int], _ int) error {
			child, err := actor.SpawnHeld(c, func() actor.Actor[int] { return &hooks[int]{} })
			if err != nil {
				return err
			}
			wantNoErr(t, actor.RestartSlowly(c, child.PID(), func() {
				wantNoErr(t, self.Kill())
				until(t, ctx, func() bool { return actor.Barred(self) })
			}))
			wantErr(t, c.Restart(child.PID()), actor.ErrFenced)
			return nil
		}}}
	}, true)
	self = parent
	receive(t, ctx, incarnations)
	send(t, ctx, parent, 1)
	receive(t, ctx, incarnations)
	wantNoErr(t, grandparent.Stop(ctx))
}

// An incarnation that is about to end restarts no held child: nobody would recall it.
func TestRestartOfAHeldChildAtTheEnd(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 2})
	type family struct {
		parent *actor.Context[int]
		held   actor.PID
	}
	families := make(chan family, 1)
	begun, gate := make(chan bool, 1), make(chan struct{})
	grandparent, parent := keptChild(t, sys, func() actor.Actor[int] {
		return &keeping[int]{hooks[int]{receive: func(c *actor.Context[int], _ int) error {
			held, err := actor.SpawnHeld(c, func() actor.Actor[int] { return &hooks[int]{} })
			wantNoErr(t, err)
			busy, err := actor.Spawn(c, actor.Func(func(*actor.Context[int], int) error { begun <- true; <-gate; return nil }))
			wantNoErr(t, err)
			wantNoErr(t, busy.Send(c, 1))
			<-begun // Else the stop of the parent might come first.
			families <- family{c, held.PID()}
			return errors.New("the end")
		}}}
	}, true)
	send(t, ctx, parent, 1)
	f := receive(t, ctx, families)
	until(t, ctx, func() bool { return actor.Barred(parent) })
	wantErr(t, f.parent.Restart(f.held), actor.ErrStopped)
	close(gate)
	wantNoErr(t, grandparent.Stop(ctx))
}
