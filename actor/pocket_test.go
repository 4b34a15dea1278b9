package actor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// withLane has an actor begin with a lane in place of a pocket. The burst is never
// used up.
var withLane = actor.WithBurst(actor.Data, 1000)

// handleOne sends m and returns when it has been handled.
func handleOne(tb testing.TB, ctx context.Context, ref actor.Ref[int], m int) {
	tb.Helper()
	send(tb, ctx, ref, m)
	until(tb, ctx, func() bool { return actor.Idle(ref) })
}

// An actor that has one message at a time makes no lane, until it has two.
func TestOneMessageNeedsNoLane(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g))
	for m := 1; m <= 3; m++ {
		handleOne(t, ctx, ref, m)
	}
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 4)
	if actor.HasLane(ref) {
		t.Error("one message waits, and the lane was made")
	}
	send(t, ctx, ref, 5, 6)
	if !actor.HasLane(ref) {
		t.Error("three messages wait, and there is no lane")
	}
	close(g.open)
	wantNoErr(t, ref.Drain(ctx))
	for want := 1; want <= 6; want++ {
		if got := receive(t, ctx, g.seen); got != want {
			t.Errorf("got message %d, want %d", got, want)
		}
	}
}

// An actor that needs more of its mailbox has a lane for the first message.
func TestActorsWithoutAPocket(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for name, opt := range map[string]actor.Option{
		"burst": actor.WithBurst(actor.Data, 5), "reentrant": actor.WithReentrancy(actor.FullReentrancy), "sliding": actor.WithBuffer(actor.Data, actor.Sliding),
		"limit": actor.WithMailboxLimit(actor.MailboxLimit{Items: 1}),
	} {
		ref := spawn(t, sys, func(*actor.Context[int], int) error { return nil }, opt)
		send(t, ctx, ref, 1)
		if !actor.HasLane(ref) {
			t.Errorf("%s: the message is in the pocket", name)
		}
	}
	_, retrying := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(*actor.Context[int], int) error { return nil })
	}, restart, actor.WithRetry(1))
	send(t, ctx, retrying, 1)
	if !actor.HasLane(retrying) {
		t.Error("retry: the message is in the pocket")
	}
	asked := spawn(t, sys, answer)
	send(t, ctx, asked, question{})
	if !actor.HasLane(asked) {
		t.Error("the message may hold a reply, and is in the pocket")
	}
	hidden := spawn(t, sys, func(*actor.Context[any], any) error { return nil })
	send[any](t, ctx, hidden, 1)
	several := spawn(t, sys, func(*actor.Context[[1]actor.Reply[int]], [1]actor.Reply[int]) error { return nil })
	send(t, ctx, several, [1]actor.Reply[int]{})
	if !actor.HasLane(hidden) || !actor.HasLane(several) {
		t.Error("the message may hold a reply where it can't be seen, and is in the pocket")
	}
	urgent := spawn(t, sys, func(*actor.Context[int], int) error { return nil }).On(actor.Control)
	send(t, ctx, urgent, 1)
	if !actor.HasLane(urgent) {
		t.Error("a message of Control is in the pocket")
	}
}

// A message in the pocket is in every account: first as one that waits, then as one that was
// handled.
func TestInfoOfAPocket(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g))
	check := func(when string, waiting, handled, backlog int) {
		t.Helper()
		i, err := ref.Info()
		wantNoErr(t, err)
		if i.Mailbox[actor.Data] != waiting || int(i.Handled) != handled || ref.Backlog() != backlog {
			t.Errorf("%s: %d wait, %d handled, backlog %d; want %d, %d, %d", when,
				i.Mailbox[actor.Data], i.Handled, ref.Backlog(), waiting, handled, backlog)
		}
	}
	check("at first", 0, 0, 0)
	g.hold(t, ctx, ref)
	check("with one that is being handled", 0, 1, 1)
	send(t, ctx, ref, 1)
	check("with one in the pocket", 1, 1, 2)
	send(t, ctx, ref, 2)
	check("with two in the lane", 2, 1, 3)
	close(g.open)
	until(t, ctx, func() bool { return actor.Idle(ref) })
	check("at last", 0, 3, 0)
}

// An actor ends whose handler holds a message, with another one in the pocket.
func TestPocketAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		name    string
		end     func(ctx context.Context, sys *actor.System, ref actor.Ref[int]) error
		letters uint64
	}{
		{"drain", func(ctx context.Context, _ *actor.System, ref actor.Ref[int]) error { return ref.Drain(ctx) }, 0},
		{"stop", func(_ context.Context, sys *actor.System, ref actor.Ref[int]) error {
			return sys.RequestStop(ref.PID())
		}, 1},
		{"kill", func(_ context.Context, _ *actor.System, ref actor.Ref[int]) error { return ref.Kill() }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			g := newGate()
			ref := spawnActor(t, sys, actor.Actor[int](g))
			g.hold(t, ctx, ref)
			send(t, ctx, ref, 1)
			ended := make(chan error, 1)
			go func() { ended <- c.end(ctx, sys, ref) }()
			if c.name == "drain" {
				until(t, ctx, func() bool { return actor.Asked(ref) })
			} else {
				wantNoErr(t, receive(t, ctx, ended))
			}
			close(g.open)
			receive(t, ctx, ref.Done())
			if n := sys.Stats().DeadLetters; n != c.letters || len(g.seen) != 1-int(c.letters) {
				t.Errorf("%d dead letters and %d handled, want %d and %d", n, len(g.seen), c.letters, 1-c.letters)
			}
		})
	}
}

// A message in the pocket is the next incarnation's, whether the handler before it
// has failed or was killed.
func TestPocketOverARestart(t *testing.T) {
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprint("killed ", killed), func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			g := newGate()
			_, child := keptChild(t, sys, func() actor.Actor[int] {
				return actor.Func(func(c *actor.Context[int], m int) error {
					_ = g.Receive(c, m)
					if m == 0 {
						return errHook
					}
					return nil
				})
			}, true)
			g.hold(t, ctx, child)
			send(t, ctx, child, 1)
			if killed {
				wantNoErr(t, child.Kill())
				defer close(g.open)
			} else {
				close(g.open)
			}
			if m := receive(t, ctx, g.seen); m != 1 {
				t.Errorf("handled %d, want 1", m)
			}
			send(t, ctx, child, 2)
			if m := receive(t, ctx, g.seen); m != 2 {
				t.Errorf("handled %d, want 2", m)
			}
		})
	}
}

// The stash goes before the message in the pocket.
func TestUnstashBeforeThePocket(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	stashed := false
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		switch m {
		case 1:
			if !stashed {
				stashed = true
				return c.Stash(m)
			}
		case 2:
			if _, err := c.Unstash(); err != nil {
				return err
			}
			m = 0
		}
		return g.Receive(c, m)
	})
	handleOne(t, ctx, ref, 1)
	send(t, ctx, ref, 2)
	receive(t, ctx, g.entered)
	send(t, ctx, ref, 3)
	close(g.open)
	for _, want := range []int{1, 3} {
		if got := receive(t, ctx, g.seen); got != want {
			t.Errorf("got message %d, want %d", got, want)
		}
	}
}

// A handler that fails with the message of the pocket ends its incarnation.
func TestPocketOfAHandlerThatFails(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			ref := spawn(t, sys, func(*actor.Context[int], int) error { return f.fail() })
			send(t, ctx, ref, 1)
			receive(t, ctx, ref.Done())
			if err := ref.Err(); err == nil || errors.Is(err, actor.ErrKilled) {
				t.Errorf("the reason is %v", err)
			}
		})
	}
}

// A probe that is attached while a message is in the pocket sees this message.
func TestProbeOfAPocket(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithThroughput(1)) // Each activation asks for probes.
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1)
	told := make(chan actor.Sample, 16)
	observe(t, sys, actor.Probe{SampleEvery: 1, Handled: func(s actor.Sample) { told <- s }})
	later := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	send(t, ctx, later, 1)
	close(g.open)
	for of := map[actor.PID]actor.Sample{}; len(of) < 2; {
		s := receive(t, ctx, told)
		of[s.PID] = s
		if (s.Latency < 0) != (s.PID == ref.PID()) {
			t.Errorf("the latency is %v, of a message that came after the probe: %t", s.Latency, s.PID == later.PID())
		}
	}
	if actor.HasLane(ref) || actor.HasLane(later) {
		t.Error("a message is measured, and the lane was made")
	}
}

// TestSamplesOfAPocket has messages that wait the longer the later they come, in the
// pocket and in the lane that takes over from it.
func TestSamplesOfAPocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		sys := newSystem(t, actor.Config{Workers: 1})
		var got []time.Duration
		observe(t, sys, actor.Probe{SampleEvery: 1, Handled: func(s actor.Sample) { got = append(got, s.Latency, s.Duration) }})
		ref := spawn(t, sys, func(*actor.Context[int], int) error {
			time.Sleep(time.Second) //nolint:forbidigo // In a bubble it costs nothing.
			return nil
		})
		some := func(n int) {
			for range n {
				send(t, ctx, ref, 1)
				synctest.Wait()
			}
		}
		some(2)
		pass(10 * time.Second)
		if actor.HasLane(ref) {
			t.Error("one waits at a time, and the lane was made")
		}
		some(2)
		send(t, ctx, ref, 1) // It waits with the message of the pocket. It has no stamp, since a lane has only one.
		wantNoErr(t, ref.Drain(ctx))
		wantNoErr(t, sys.Stop(ctx))
		const s = time.Second
		if want := []time.Duration{0, s, s, s, 0, s, s, s, -1, s}; !slices.Equal(got, want) {
			t.Errorf("latencies and durations are %v, want %v", got, want)
		}
	})
}

// A suspended actor that drains handles the message in its pocket when it has been resumed.
func TestPocketOfASuspendedActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	seen := make(chan int, 2)
	ref := spawn(t, sys, func(_ *actor.Context[int], m int) error { seen <- m; return nil })
	suspend(t, ctx, sys, ref.PID())
	send(t, ctx, ref, 1)
	wantErr(t, ref.Drain(ended()), context.Canceled)
	var i actor.Info
	until(t, ctx, func() (there bool) {
		there = actor.Drains(ref) && actor.Quiet(ref)
		i, _ = ref.Info()
		return there || i.State == actor.Exited
	})
	if i.State != actor.Suspended || i.Mailbox[actor.Data] != 1 || len(seen) != 0 {
		t.Errorf("the actor is %v, with %v in its lanes, and has handled %d", i.State, i.Mailbox, len(seen))
	}
	wantNoErr(t, sys.Resume(ref.PID()))
	receive(t, ctx, ref.Done())
	if len(seen) != 1 {
		t.Errorf("it has handled %d messages, want 1", len(seen))
	}
}

// A restart without the messages drops that in the pocket.
func TestRestartWithoutThePocket(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	n := newRunningParent(t, sys)
	g := newGate()
	child := n.held(func() actor.Actor[int] { return g })
	n.restart(child.PID())
	g.hold(t, ctx, child)
	send(t, ctx, child, 1)
	n.do(func(ctx *actor.Context[parentAction]) error { return ctx.Recall(child.PID()) })
	close(g.open)
	receive(t, ctx, n.exits)
	until(t, ctx, func() bool { return child.Backlog() == 1 })
	n.do(func(ctx *actor.Context[parentAction]) error { return ctx.RestartEmpty(child.PID()) })
	receive(t, ctx, n.ready)
	send(t, ctx, child, 2)
	if m := receive(t, ctx, g.seen); m != 2 {
		t.Errorf("it handles %d, want 2", m)
	}
	if d := sys.Stats().DeadLetters; d != 1 {
		t.Errorf("%d dead letters, want 1", d)
	}
}

// witness is a gate that monitors others.
type monitoringGate struct {
	*gate
	watch actor.PID
}

func (w *monitoringGate) Started(c *actor.Context[int]) error {
	_, err := c.Monitor(w.watch)
	return err
}

func (w *monitoringGate) Down(*actor.Context[int], actor.Monitor, actor.Exit) error {
	w.seen <- -1
	return nil
}

// A Down comes behind the message in the pocket, and before what is sent later.
func TestDownBehindThePocket(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	other := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	w := &monitoringGate{newGate(), other.PID()}
	ref := spawnActor(t, sys, actor.Actor[int](w))
	w.hold(t, ctx, ref)
	send(t, ctx, ref, 1)
	wantNoErr(t, other.Stop(ctx))
	send(t, ctx, ref, 2)
	close(w.open)
	for _, want := range []int{1, -1, 2} {
		if got := receive(t, ctx, w.seen); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}

// An actor that drains receives an end also while it handles its last message, which came by
// the pocket.
func TestDownAtTheEndOfADrain(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	other := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	w := &monitoringGate{newGate(), other.PID()}
	ref := spawnActor(t, sys, actor.Actor[int](w))
	w.hold(t, ctx, ref)
	send(t, ctx, ref, 0)
	wantErr(t, ref.Drain(ended()), context.Canceled)
	w.open <- struct{}{}
	receive(t, ctx, w.entered)
	if actor.HasLane(ref) || !actor.Closed(ref) {
		t.Error("the last message did not come by the pocket, to an actor that drains")
	}
	wantNoErr(t, other.Stop(ctx))
	close(w.open)
	receive(t, ctx, ref.Done())
	if len(w.seen) != 1 {
		t.Error("it was not told of the end")
	}
}

// An actor is killed in a handler of Control, by an activation that knew of the
// message in the pocket. That is the next incarnation's.
func TestPocketBehindAKilledHandler(t *testing.T) {
	ctx := guarded(t)
	sys := oneWorker(t)
	first, g := newGate(), newGate()
	_, child := keptChild(t, sys, func() actor.Actor[int] { return g }, true)
	blocker := spawnActor(t, sys, actor.Actor[int](first))
	first.hold(t, ctx, blocker)
	send(t, ctx, child, 1)
	send(t, ctx, child.On(actor.Control), 0)
	close(first.open)
	receive(t, ctx, g.entered)
	wantNoErr(t, child.Kill())
	close(g.open)
	if m := receive(t, ctx, g.seen); m != 1 {
		t.Errorf("the next incarnation handles %d, want 1", m)
	}
}

// A kill may come at any moment of a message's way. It is handled, or a dead letter.
func TestKillsAndPockets(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	const actors = 300
	var handled atomic.Int64
	for range actors {
		ref := spawn(t, sys, func(*actor.Context[int], int) error { handled.Add(1); return nil })
		sent := make(chan struct{})
		go func() {
			_ = ref.Send(ctx, 1)
			close(sent)
		}()
		wantNoErr(t, ref.Kill())
		receive(t, ctx, sent)
		receive(t, ctx, ref.Done())
	}
	until(t, ctx, func() bool { return handled.Load()+int64(sys.Stats().DeadLetters) == actors })
}

// Neither a pocket that is empty, nor one whose message went into the lane, keeps it
// alive.
func TestPocketedMessagesAreReleased(t *testing.T) {
	for _, waiting := range []int{1, 2} {
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{})
		var k tracked
		entered, open := make(chan struct{}), make(chan struct{})
		ref := spawn(t, sys, trackedActor(entered, open))
		send(t, ctx, ref, trackedMessage{kind: 1})
		receive(t, ctx, entered)
		for range waiting {
			send(t, ctx, ref, trackedMessage{data: k.new()})
		}
		if actor.HasLane(ref) != (waiting == 2) {
			t.Errorf("with %d messages, it is %v that there is a lane", waiting, actor.HasLane(ref))
		}
		close(open)
		k.wantNone(t, ctx)
		runtime.KeepAlive(ref)
	}
}
