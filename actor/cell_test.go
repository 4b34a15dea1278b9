package actor_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/sched"
)

// oneWorker returns a system that never has a second one.
func oneWorker(tb testing.TB) *actor.System {
	tb.Helper()
	return onOneWorker(tb, actor.Config{})
}

// onOneWorker is oneWorker with a configuration.
func onOneWorker(tb testing.TB, cfg actor.Config) *actor.System {
	tb.Helper()
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	wantNoErr(tb, err)
	tb.Cleanup(func() { wantNoErr(tb, s.Stop(guarded(tb))) })
	cfg.Scheduler = s
	return newSystem(tb, cfg)
}

func TestLanesInOrderOfUrgency(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g))
	g.hold(t, ctx, ref)
	var want []int
	for i := range 10 {
		send(t, ctx, ref, 300+i)
		send(t, ctx, ref.On(actor.Management), 200+i)
		send(t, ctx, ref.On(actor.Control), 100+i)
	}
	for _, lane := range []int{100, 200, 300} {
		for i := range 10 {
			want = append(want, lane+i)
		}
	}
	close(g.open)
	var got []int
	for range want {
		got = append(got, receive(t, ctx, g.seen))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("handled %v\nwant    %v", got, want)
	}
}

// A message waits at most for the handler that is running, however much is
// queued in a less urgent lane.
func TestUrgentMessageInterruptsABatch(t *testing.T) {
	for _, lane := range []actor.Lane{actor.Management, actor.Control} {
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{})
		const queued = 10_000
		g := newGate()
		handled, at := 0, make(chan int, 1)
		ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
			if m == -1 {
				at <- handled
				return nil
			}
			handled++
			if m == 1 || m == queued/2 {
				g.entered <- struct{}{}
				<-g.open
			}
			return nil
		}, actor.WithCapacity(actor.Data, queued), actor.WithThroughput(queued))
		send(t, ctx, ref, 1)
		receive(t, ctx, g.entered)
		for i := 2; i <= queued; i++ {
			send(t, ctx, ref, i) // So all are there, and one batch.
		}
		g.open <- struct{}{}
		receive(t, ctx, g.entered)
		send(t, ctx, ref.On(lane), -1)
		close(g.open)
		if n := receive(t, ctx, at); n != queued/2 {
			t.Errorf("a %v message waited until %d messages were handled, want %d", lane, n, queued/2)
		}
		wantNoErr(t, ref.Stop(ctx))
	}
}

// An urgent message passes all actors that wait for the worker, and the rest of
// the batch of the one that has it.
func TestUrgentActorPassesBusyOthers(t *testing.T) {
	ctx := guarded(t)
	sys := oneWorker(t)
	const others = 100
	g := newGate()
	var handled atomic.Int64
	busy := func(c *actor.Context[int], m int) error {
		handled.Add(1)
		return g.Receive(c, m)
	}
	first := spawn(t, sys, busy)
	g.hold(t, ctx, first)
	for range others {
		ref := spawn(t, sys, busy)
		for range 50 {
			send(t, ctx, ref, 1)
		}
	}
	for range 50 {
		send(t, ctx, first, 1)
	}
	at := make(chan int64, 1)
	urgent := spawn(t, sys, func(*actor.Context[int], int) error { at <- handled.Load(); return nil })
	send(t, ctx, urgent.On(actor.Control), 1)
	close(g.open)
	if n := receive(t, ctx, at); n != 1 {
		t.Errorf("the urgent actor waited for %d messages, want 1", n)
	}
}

// An actor that critical work interrupts again and again still gives others
// their turn, after 50 messages. A turn ends after 1 ms, too, which is less on a machine in use: then it is tried again.
func TestInterruptedActorGivesOthersTheirTurn(t *testing.T) {
	for n := 0; ; n++ {
		switch waited := interrupted(t); {
		case waited == 50:
			return
		case waited > 50:
			t.Fatalf("another actor waited for %d messages, want the 50 of a turn", waited)
		case n == 100:
			t.Fatalf("another actor waited for %d messages, and never for the 50 of a turn", waited)
		}
	}
}

// interrupted returns for how many messages of an actor that critical work interrupts another one waits.
func interrupted(t *testing.T) int {
	t.Helper()
	ctx := guarded(t)
	sys := oneWorker(t)
	urgent := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	handled := 0
	greedy := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		if handled++; handled%10 == 0 {
			return urgent.On(actor.Control).Send(c, 1)
		}
		return nil
	}, actor.WithThroughput(50))
	at := make(chan int, 1)
	other := spawn(t, sys, func(*actor.Context[int], int) error { at <- handled; return nil })
	start := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		for i := range 1000 {
			if err := greedy.Send(c, i); err != nil {
				return err
			}
		}
		return other.Send(c, 1)
	})
	send(t, ctx, start, 1)
	return receive(t, ctx, at)
}

// An urgent message takes nothing else of its actor along.
func TestUrgentMessageLeavesTheOthersInTheirPlace(t *testing.T) {
	ctx := guarded(t)
	sys := oneWorker(t)
	g := newGate()
	first := spawnActor(t, sys, actor.Actor[int](g))
	g.hold(t, ctx, first)
	one, two := spawn(t, sys, g.Receive), spawn(t, sys, g.Receive)
	send(t, ctx, one, 2)
	send(t, ctx, two, 3)
	send(t, ctx, two.On(actor.Control), 1)
	close(g.open)
	for want := 1; want <= 3; want++ {
		if got := receive(t, ctx, g.seen); got != want {
			t.Errorf("got message %d, want %d", got, want)
		}
	}
}

// Nor does it take along what its handler sends to its own actor, which waits behind
// what the handler has sent to others before.
func TestUrgentMessageLeavesWhatComesMeanwhile(t *testing.T) {
	ctx := guarded(t)
	for _, n := range []int{1, 2} { // By the pocket, or a lane.
		sys := oneWorker(t)
		seen := make(chan int, 10)
		note := func(_ *actor.Context[int], m int) error { seen <- m; return nil }
		other := spawn(t, sys, note)
		ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
			if m > 0 {
				return note(c, m)
			}
			err := other.Send(c, 1)
			for i := range n {
				err = errors.Join(err, c.Self().Send(c, 2+i))
			}
			return err
		})
		send(t, ctx, other, 9)
		receive(t, ctx, seen) // So both have started: ref is woken for the urgent message alone.
		send(t, ctx, ref.On(actor.Control), 0)
		for want := 1; want <= 1+n; want++ {
			if got := receive(t, ctx, seen); got != want {
				t.Errorf("got message %d, want %d", got, want)
			}
		}
	}
}

// A handler that waits holds no worker, even if there is but one.
func TestWaitingHandlerHoldsNoWorker(t *testing.T) {
	ctx := guarded(t)
	sys := oneWorker(t)
	seen := make(chan int, 100)
	slow := spawn(t, sys, func(_ *actor.Context[int], m int) error { seen <- m; return nil }, actor.WithCapacity(actor.Data, 1))
	successor := spawn(t, sys, answer)
	fast := spawn(t, sys, func(c *actor.Context[int], n int) error {
		for i := range n {
			if err := slow.Send(c, i); err != nil { // Waits for room.
				return err
			}
			if _, err := actor.Ask(c, successor, asking(i)); err != nil {
				return err
			}
		}
		return slow.Stop(c)
	})
	const n = 50
	send(t, ctx, fast, n)
	for want := range n {
		if got := receive(t, ctx, seen); got != want {
			t.Fatalf("got message %d, want %d", got, want)
		}
	}
	wantNoErr(t, fast.Drain(ctx))
}

// At most one handler of an actor runs at a time, and each sees what the one
// before it has written; the race detector checks the latter.
func TestOneHandlerAtATime(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 4})
	successor := spawn(t, sys, answer)
	inside, handled := 0, 0
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if inside++; inside != 1 {
			t.Error("two handlers at a time")
		}
		defer func() { inside-- }()
		handled++
		switch m % 4 {
		case 0:
			runtime.Gosched()
		case 1: // Suspends, and perhaps goes on elsewhere.
			if _, err := actor.Ask(c, successor, asking(m)); err != nil {
				return err
			}
		case 2:
			_ = c.Checkpoint()
		}
		return nil
	}, actor.WithThroughput(3))
	const senders, each = 4, 500
	done := make(chan struct{}, senders)
	for s := range senders {
		go func() {
			for i := range each {
				_ = ref.On(lanes[(s+i)%3]).Send(ctx, i)
			}
			done <- struct{}{}
		}()
	}
	for range senders {
		receive(t, ctx, done)
	}
	wantNoErr(t, ref.Drain(ctx))
	if handled != senders*each {
		t.Errorf("%d messages were handled, want %d", handled, senders*each)
	}
}

func TestMessagesBetweenTwoSystems(t *testing.T) { simulated.Too(t, testMessagesBetweenTwoSystems) }

func testMessagesBetweenTwoSystems(t testing.TB) {
	ctx := guarded(t)
	here, there := newSystem(t, actor.Config{Workers: 1}), newSystem(t, actor.Config{Workers: 1})
	successor := spawn(t, there, answer)
	asker := spawn(t, here, func(c *actor.Context[question], q question) error {
		sum := 0
		for i := range q.n {
			v, err := actor.Ask(c, successor, asking(i))
			if err != nil {
				return err
			}
			sum += v
		}
		return q.reply.Send(c, sum)
	})
	got, err := actor.Ask(ctx, asker, asking(100))
	wantNoErr(t, err)
	if got != 5050 {
		t.Errorf("got %d, want 5050", got)
	}
	wantNoErr(t, there.Stop(ctx))
	_, err = actor.Ask(ctx, asker, asking(1))
	wantErr(t, err, actor.ErrNoReply, actor.ErrStopped)
}
