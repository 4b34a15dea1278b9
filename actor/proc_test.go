package actor_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

func TestStopIsIdempotent(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	stopped := 0
	ref := spawnActor(t, sys, actor.Actor[int](&hooks[int]{
		receive: g.Receive,
		stopped: func(*actor.Context[int], error) { stopped++ },
	}))
	g.hold(t, ctx, ref)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			stop := ref.Stop
			if i%2 == 0 {
				stop = ref.Drain
			}
			if err := stop(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	until(t, ctx, func() bool { return actor.Asked(ref) })
	close(g.open)
	all.Wait()
	wantNoErr(t, ref.Stop(ctx))
	wantNoErr(t, ref.Drain(ended()))
	if stopped != 1 {
		t.Errorf("the hook Stopped was called %d times", stopped)
	}
}

func TestStopDropsWaitingMessages(t *testing.T) {
	ctx := guarded(t)
	var letters []actor.DeadLetter
	var mu sync.Mutex
	sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
		mu.Lock()
		defer mu.Unlock()
		letters = append(letters, d)
	}})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithName("gate"), actor.WithCapacity(actor.Data, 2))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2)
	send(t, ctx, ref.On(actor.Management), 3)
	send(t, ctx, ref.On(actor.Control), 4)
	refused := make(chan error, 1)
	go func() { refused <- ref.Send(ctx, 5) }()
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 1 })
	wantErr(t, ref.Stop(ended()), context.Canceled)
	close(g.open)
	wantNoErr(t, ref.Stop(ctx))
	wantErr(t, receive(t, ctx, refused), actor.ErrStopped)
	wantErr(t, ref.TrySend(ctx, 6), actor.ErrStopped)

	mu.Lock()
	defer mu.Unlock()
	want := map[any]actor.Lane{1: actor.Data, 2: actor.Data, 3: actor.Management, 4: actor.Control, 5: actor.Data, 6: actor.Data}
	for _, d := range letters {
		if lane, ok := want[d.Message]; !ok || lane != d.Lane || d.To != ref.PID() || d.Name != "gate" {
			t.Errorf("dead letter %+v", d)
		}
		wantErr(t, d.Reason, actor.ErrStopped)
		delete(want, d.Message)
	}
	if len(want) != 0 || sys.Stats().DeadLetters != 6 || len(g.seen) != 0 {
		t.Errorf("no dead letters: %v; %d were counted and %d messages handled", want, sys.Stats().DeadLetters, len(g.seen))
	}
}

func TestStopThatDoesNotWait(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g))
	g.hold(t, ctx, ref)
	for range 3 {
		wantErr(t, ref.Stop(ended()), context.Canceled)
	}
	close(g.open)
	wantNoErr(t, ref.Stop(ctx))
}

// The end of a wait races with the end of what is waited for.
func TestStopThatGivesUpAtTheEnd(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	for i := range 5000 {
		ref := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for range i % 7 {
				runtime.Gosched()
			}
			cancel()
		}()
		if err := ref.Stop(ctx); err != nil {
			wantErr(t, err, context.Canceled)
		}
		cancel()
	}
}

func TestStopDuringStarted(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var d eventLog
	entered, open := make(chan struct{}), make(chan struct{})
	a := noted(&d)
	a.started = func(*actor.Context[int]) error {
		d.note("started")
		close(entered)
		<-open
		return nil
	}
	ref := spawnActor(t, sys, actor.Actor[int](a))
	send(t, ctx, ref, 1)
	receive(t, ctx, entered)
	wantErr(t, ref.Stop(ended()), context.Canceled)
	close(open)
	wantNoErr(t, ref.Stop(ctx))
	d.want(t, "started", "stopped <nil>")
}

// family spawns a chain of actors, each the parent of the next, that note their
// ends; the last one is a gate.
func family(tb testing.TB, at actor.Spawner, d *eventLog, g *gate, names ...string) []actor.Ref[int] {
	tb.Helper()
	chain := make([]actor.Ref[int], len(names))
	var link func(at actor.Spawner, i int)
	link = func(at actor.Spawner, i int) {
		ready := make(chan struct{})
		chain[i] = spawnActor(tb, at, actor.Actor[int](&hooks[int]{
			receive: g.Receive,
			started: func(c *actor.Context[int]) error {
				if i+1 < len(names) {
					link(c, i+1)
				}
				close(ready)
				return nil
			},
			stopped: func(*actor.Context[int], error) { d.note("%s", names[i]) },
		}), actor.WithName(names[i]))
		receive(tb, guarded(tb), ready)
	}
	link(at, 0)
	return chain
}

func TestParentsStopAfterTheirChildren(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var d eventLog
	g := newGate()
	chain := family(t, sys, &d, g, "top", "middle", "bottom")
	g.hold(t, ctx, chain[2])
	wantErr(t, chain[0].Stop(ended()), context.Canceled)
	d.want(t)
	close(g.open)
	wantNoErr(t, chain[0].Stop(ctx))
	d.want(t, "bottom", "middle", "top")
}

func TestForcedStopReachesDescendants(t *testing.T) {
	simulated.Too(t, testForcedStopReachesDescendants)
}

func testForcedStopReachesDescendants(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	entered := make(chan struct{})
	parent := spawnActor(t, sys, actor.Actor[int](&hooks[int]{started: func(c *actor.Context[int]) error {
		return spawn(t, c, func(c *actor.Context[int], _ int) error {
			close(entered)
			<-c.Done()
			return context.Cause(c)
		}).Send(c, 1)
	}}))
	receive(t, ctx, entered)
	wantErr(t, parent.Stop(ended()), context.Canceled)
	wantNoErr(t, parent.Stop(ctx))
}

// A handler can't wait for its own end, be it asked for directly or through an
// actor above; but the end comes.
func TestStopFromWithin(t *testing.T) {
	type stop func(c *actor.Context[int], self, above actor.Ref[int]) error
	ways := map[string]stop{
		"itself":       func(c *actor.Context[int], self, _ actor.Ref[int]) error { return self.Stop(c) },
		"itself drain": func(c *actor.Context[int], self, _ actor.Ref[int]) error { return self.Drain(c) },
		"above":        func(c *actor.Context[int], _, above actor.Ref[int]) error { return above.Stop(c) },
		"above drain":  func(c *actor.Context[int], _, above actor.Ref[int]) error { return above.Drain(c) },
		"system":       func(c *actor.Context[int], _, _ actor.Ref[int]) error { return c.System().Stop(c) },
		"derived context": func(c *actor.Context[int], self, _ actor.Ref[int]) error {
			child, cancel := context.WithCancel(c)
			defer cancel()
			return self.Stop(child)
		},
		"within":           func(c *actor.Context[int], self, _ actor.Ref[int]) error { return self.StopWithin(c, time.Hour) },
		"other context":    func(_ *actor.Context[int], self, _ actor.Ref[int]) error { return self.Stop(context.Background()) },
		"above, by other":  func(_ *actor.Context[int], _, above actor.Ref[int]) error { return above.Drain(context.Background()) },
		"within, by other": func(_ *actor.Context[int], self, _ actor.Ref[int]) error { return self.StopWithin(nil, time.Hour) }, //nolint:staticcheck // No context is another one, too.
		"system, by other": func(c *actor.Context[int], _, _ actor.Ref[int]) error { return c.System().Stop(context.Background()) },
		"system within": func(c *actor.Context[int], _, _ actor.Ref[int]) error {
			return c.System().StopWithin(context.Background(), time.Hour)
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			children, result := make(chan actor.Ref[int], 1), make(chan error, 1)
			var top actor.Ref[int]
			top = spawnActor(t, sys, actor.Actor[int](&hooks[int]{started: func(c *actor.Context[int]) error {
				children <- spawn(t, c, func(c *actor.Context[int], m int) error {
					if m == 1 {
						result <- way(c, c.Self(), top)
					}
					return nil
				})
				return nil
			}}))
			child := receive(t, ctx, children)
			send(t, ctx, child, 1)
			wantErr(t, receive(t, ctx, result), actor.ErrWouldDeadlock)
			until(t, ctx, func() bool { return child.Send(ctx, 0) != nil })
		})
	}
}

// Wherever a handler runs, it is known for what it is without its context.
func TestStopFromWithinByAnotherContext(t *testing.T) {
	kinds := map[string]actor.Option{
		"scheduler": actor.WithBackend(actor.OnScheduler), "blocking": actor.WithBackend(actor.OnBlocking),
		"thread": actor.WithBackend(actor.OnOwnThread), "reentrant": actor.WithReentrancy(actor.FullReentrancy),
		"readers": actor.WithReadOnly(func(int) bool { return true }),
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys, result := newSystem(t, actor.Config{}), make(chan error, 2)
			ref := spawn(t, sys, func(c *actor.Context[int], _ int) error {
				result <- c.Self().Stop(context.Background())
				result <- sys.Stop(context.Background())
				return nil
			}, kind)
			send(t, ctx, ref, 1)
			wantErr(t, receive(t, ctx, result), actor.ErrWouldDeadlock)
			wantErr(t, receive(t, ctx, result), actor.ErrWouldDeadlock)
			receive(t, ctx, ref.Done())
		})
	}
}

func TestStopOfAProcessFromWithin(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	result := make(chan error, 1)
	ref, err := actor.SpawnProcess(sys, func(p *actor.Process[int]) error {
		result <- p.Self().Drain(context.Background())
		return nil
	})
	wantNoErr(t, err)
	wantErr(t, receive(t, ctx, result), actor.ErrWouldDeadlock)
	receive(t, ctx, ref.Done())
}

func TestStopOfAnotherInAHandler(t *testing.T) {
	ctx := guarded(t)
	sys := oneWorker(t)
	g := newGate()
	other := spawnActor(t, sys, actor.Actor[int](g))
	send(t, ctx, other, 1, 2, 3)
	result := make(chan error, 1)
	ref := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		child := spawn(t, c, g.Receive)
		if err := child.Stop(c); err != nil {
			return err
		}
		result <- other.Drain(c)
		return nil
	})
	send(t, ctx, ref, 1)
	wantNoErr(t, receive(t, ctx, result))
	if len(g.seen) != 3 {
		t.Errorf("%d messages were handled, want 3", len(g.seen))
	}
}

func TestSpawnUnderStoppingParent(t *testing.T) { simulated.Too(t, testSpawnUnderStoppingParent) }

func testSpawnUnderStoppingParent(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	result := make(chan error, 1)
	ref := spawnActor(t, sys, actor.Actor[int](&hooks[int]{stopped: func(c *actor.Context[int], _ error) {
		_, err := actor.Spawn(c, actor.Func(func(*actor.Context[int], int) error { return nil }))
		result <- err
	}}))
	wantNoErr(t, ref.Stop(ctx))
	wantErr(t, receive(t, ctx, result), actor.ErrStopped)
}

// The parts of an ended actor that are used again show nothing of it, also if several callers
// have waited for its end.
func TestEndedActorsLeaveNoTrace(t *testing.T) { simulated.Too(t, testEndedActorsLeaveNoTrace) }

func testEndedActorsLeaveNoTrace(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for range 20 {
		old := spawn(t, sys, answer, actor.WithRegistration("old"))
		gone := old.Done()
		_, cancel := sys.Monitor(old.PID())
		if err := old.Stop(ended()); err != nil { // It may be quicker than the look at the context.
			wantErr(t, err, context.Canceled)
		}
		wantNoErr(t, old.Stop(ctx))
		cancel()
		receive(t, ctx, gone)
		fresh := spawn(t, sys, answer)
		select {
		case <-fresh.Done():
			t.Fatal("an actor has ended before it was asked to")
		default:
		}
		wantNoErr(t, fresh.Stop(ctx))
	}
}
