package actor_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/simulated"
)

// system stands for the system as the owner of timers.
var system actor.Ref[task]

// goroutinesMade returns how many goroutines the process has ever started.
func goroutinesMade() uint64 {
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// atWork returns how many goroutines run code of the actors, or were started by it. Fibers that wait for work do not.
func atWork() (n int) {
	dump := make([]byte, 4<<20)
	dump = dump[:runtime.Stack(dump, true)]
	for stack := range strings.SplitSeq(string(dump), "\n\n") {
		if strings.Contains(stack, "github.com/troupe-go/troupe/actor.") {
			n++
		}
	}
	return n
}

// halted returns an actor that is suspended, with room for one message, which it has. It notes
// what it handles later.
func suspendedActor(t testing.TB, sys *actor.System, handled *[]int, opts ...actor.Option) actor.Ref[int] {
	t.Helper()
	ref := spawn(t, sys, func(_ *actor.Context[int], m int) error { *handled = append(*handled, m); return nil },
		append([]actor.Option{actor.WithCapacity(actor.Data, 1)}, opts...)...)
	wantNoErr(t, sys.Suspend(ref.PID()))
	wantNoErr(t, ref.TrySend(context.Background(), 0))
	return ref
}

// crammed sets n timers, which send 1 to n, and returns them when all their messages wait for
// room. They are timers of the owner, or of the system if that is the zero Ref.
func waitingTimers(t testing.TB, ctx context.Context, sys *actor.System, owner actor.Ref[task], ref actor.Ref[int], n int) (all []actor.Timer) {
	t.Helper()
	set := func(at actor.Spawner) {
		for i := range n {
			all = append(all, after(t, at, time.Millisecond, ref, i+1))
		}
	}
	if owner == system {
		set(sys)
	} else {
		wantNoErr(t, do(t, owner, func(c *actor.Context[task]) error { set(c); return nil }))
	}
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == n })
	return all
}

// resumed lets an actor handle n messages, and drain.
func resumed(t testing.TB, ctx context.Context, sys *actor.System, ref actor.Ref[int], n int) {
	t.Helper()
	wantNoErr(t, sys.Resume(ref.PID()))
	until(t, ctx, func() bool { return info(t, sys, ref.PID()).Handled == uint64(n) })
	wantNoErr(t, ref.Drain(ctx))
}

// Timers whose messages wait for room hold no goroutine. The messages are handled in their order
// when there is room.
func TestTimersThatWaitHoldNoGoroutine(t *testing.T) {
	const n, few = 5000, 500 // The race detector dies of more than 8,128 goroutines.
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for name, owner := range map[string]actor.Ref[task]{"system": system, "actor": spawn(t, sys, doTask)} {
		var handled []int
		ref := suspendedActor(t, sys, &handled)
		before := runtime.NumGoroutine()
		waitingTimers(t, ctx, sys, owner, ref, n)
		if now := runtime.NumGoroutine(); now > before+few {
			t.Errorf("%s: there were %d goroutines, and with %d timers that wait for room %d", name, before, n, now)
		}
		resumed(t, ctx, sys, ref, n+1)
		if !slices.Equal(handled, count(0, n)) {
			t.Errorf("%s: of %d timers the messages came in the order %v", name, n, handled)
		}
		if n := len(slices.Collect(sys.Timers())); n != 0 {
			t.Errorf("%s: %d timers are left", name, n)
		}
	}
}

// Timers of one owner that are due at the same time are sent for by one goroutine, as the owner
// has one alarm.
func TestTimersThatAreDueTogetherStartOneGoroutine(t *testing.T) {
	const n, few = 5000, 500 // Others start some, too.
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		handled := 0
		ref := spawn(t, sys, func(*actor.Context[int], int) error { handled++; return nil }, actor.WithCapacity(actor.Data, n))
		made := goroutinesMade()
		for range n {
			after(t, sys, time.Second, ref, 1)
		}
		pass(time.Second)
		if more := goroutinesMade() - made; more > few || handled != n {
			t.Errorf("%d timers have started %d goroutines, and %d messages were handled", n, more, handled)
		}
	})
}

// To set one of many timers starts nothing and allocates its record alone, as the owner has its
// alarm already.
func TestTimerAllocatesItsRecord(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the checks allocate")
	}
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, ignore)
	after(t, sys, time.Hour, ref, 1)
	if n := testing.AllocsPerRun(1000, func() {
		if !after(t, sys, time.Hour, ref, 1).Stop() {
			t.Error("the stop was late")
		}
	}); n != 1 {
		t.Errorf("a timer allocates %v times, want once", n)
	}
}

// Of timers whose messages wait for room, those that are stopped leave, and the others come in
// their order. So do senders between them.
func TestStopOfTimersThatWait(t *testing.T) { simulated.Too(t, testStopOfTimersThatWait) }

func testStopOfTimersThatWait(t testing.TB) {
	const n = 30
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var handled []int
	ref := suspendedActor(t, sys, &handled)
	timers := waitingTimers(t, ctx, sys, system, ref, n)
	sent := make(chan error, 1)
	go func() { sent <- ref.Send(ctx, n+1) }()
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == n+1 })
	after(t, sys, 0, ref, n+2)
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == n+2 })
	want := []int{0}
	for i, timer := range timers {
		switch {
		case i%3 != 0:
			want = append(want, i+1)
		case !timer.Stop() || timer.Stop():
			t.Errorf("the stop of timer %d was not in time once", i)
		}
	}
	if waiting := actor.SendersWaiting(ref); waiting != n-n/3+2 {
		t.Errorf("%d wait, want %d", waiting, n-n/3+2)
	}
	want = append(want, n+1, n+2)
	resumed(t, ctx, sys, ref, len(want))
	wantNoErr(t, <-sent)
	wantSame(t, "handled", handled, want)
	if s := sys.Stats(); s.DeadLetters != 0 {
		t.Errorf("there are %d dead letters", s.DeadLetters)
	}
}

// The end of their owner takes the messages of timers out of the line for room, and none is a
// dead letter. The end of the system does the same.
func TestOwnerOfTimersThatWaitEnds(t *testing.T) { simulated.Too(t, testOwnerOfTimersThatWaitEnds) }

func testOwnerOfTimersThatWaitEnds(t testing.TB) {
	const n = 30
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var handled []int
	ref := suspendedActor(t, sys, &handled)
	owner := spawn(t, sys, doTask)
	waitingTimers(t, ctx, sys, owner, ref, n)
	own := waitingTimers(t, ctx, sys, system, suspendedActor(t, sys, &handled), n)
	wantNoErr(t, owner.Stop(ctx))
	if waiting := actor.SendersWaiting(ref); waiting != 0 {
		t.Errorf("%d wait still", waiting)
	}
	resumed(t, ctx, sys, ref, 1)
	if s := sys.Stats(); s.DeadLetters != 0 {
		t.Errorf("there are %d dead letters", s.DeadLetters)
	}
	wantNoErr(t, sys.Stop(ctx))
	if s := sys.Stats(); s.DeadLetters != 1 {
		t.Errorf("there are %d dead letters, want one: what waited in its lane", s.DeadLetters)
	}
	wantSame(t, "handled", handled, []int{0})
	for _, timer := range own {
		if timer.Stop() {
			t.Error("a stop was in time when the system had stopped")
		}
	}
}

// When the receiver stops, the messages of timers that wait for room are dead letters, and all
// are counted when the stop returns, also if OnDeadLetter calls Goexit.
func TestReceiverOfTimersThatWaitStops(t *testing.T) {
	simulated.Too(t, testReceiverOfTimersThatWaitStops)
}

func testReceiverOfTimersThatWaitStops(t testing.TB) {
	const n = 30
	ctx := guarded(t)
	for _, exits := range []bool{false, true} {
		sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) {
			if exits {
				runtime.Goexit()
			}
		}})
		var handled []int
		ref := suspendedActor(t, sys, &handled)
		timers := waitingTimers(t, ctx, sys, system, ref, n)
		wantNoErr(t, ref.Stop(ctx))
		if s := sys.Stats(); s.DeadLetters != n+1 {
			t.Errorf("there are %d dead letters, want %d", s.DeadLetters, n+1)
		}
		wantGone(t, sys, timers)
	}
}

// wantGone wants all timers to be over.
func wantGone(t testing.TB, sys *actor.System, timers []actor.Timer) {
	t.Helper()
	for _, timer := range timers {
		if timer.Stop() {
			t.Error("a stop was in time for a message that is a dead letter")
		}
	}
	if n := len(slices.Collect(sys.Timers())); n != 0 {
		t.Errorf("%d timers are left", n)
	}
}

// A drain refuses messages that wait for room. All become dead letters on one goroutine, and
// on another one if OnDeadLetter calls Goexit.
func TestReceiverOfTimersThatWaitDrains(t *testing.T) {
	simulated.Too(t, testReceiverOfTimersThatWaitDrains)
}

func testReceiverOfTimersThatWaitDrains(t testing.TB) {
	const n = 30
	ctx := guarded(t)
	for _, exits := range []bool{false, true} {
		var told atomic.Int32
		sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
			if told.Add(1); d.Message.(int) != int(told.Load()) {
				t.Errorf("dead letter %d is %v", told.Load(), d)
			}
			if exits {
				runtime.Goexit()
			}
		}})
		var handled []int
		ref := suspendedActor(t, sys, &handled)
		timers := waitingTimers(t, ctx, sys, system, ref, n)
		drained := make(chan error, 1)
		go func() { drained <- ref.Drain(ctx) }()
		until(t, ctx, func() bool { return told.Load() == n })
		wantNoErr(t, sys.Resume(ref.PID()))
		wantNoErr(t, <-drained)
		wantSame(t, "handled", handled, []int{0})
		until(t, ctx, func() bool { return len(slices.Collect(sys.Timers())) == 0 })
		if s := sys.Stats(); s.DeadLetters != n {
			t.Errorf("there are %d dead letters, want %d", s.DeadLetters, n)
		}
		wantGone(t, sys, timers)
	}
}

// When there is room in the lane again, messages that a limit refuses are dropped and counted,
// and the actor handles the others meanwhile.
func TestTimersThatWaitAndDoNotFit(t *testing.T) {
	const n = 500
	ctx := guarded(t)
	for _, exits := range []bool{false, true} {
		var told atomic.Int32
		sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
			if told.Add(1); d.Message.(int)%2 == 0 {
				t.Errorf("%v is a dead letter", d)
			}
			if exits {
				runtime.Goexit()
			}
		}})
		var handled []int
		ref := suspendedActor(t, sys, &handled, actor.WithMailboxLimit(actor.MailboxLimit{Bytes: 10}), actor.WithSizeOf(func(m int) int { return 1 + m%2*20 }))
		waitingTimers(t, ctx, sys, system, ref, n)
		wantNoErr(t, sys.Resume(ref.PID()))
		until(t, ctx, func() bool { return told.Load() == n/2 && len(slices.Collect(sys.Timers())) == 0 })
		until(t, ctx, func() bool { return atWork() == 0 })
		wantNoErr(t, ref.Drain(ctx)) // Nothing waits any more.
		if want := n/2 + 1; len(handled) != want || !slices.IsSorted(handled) {
			t.Errorf("of %d messages %d were handled, want %d: %v", n, len(handled), want, handled)
		}
		if s := sys.Stats(); s.DeadLetters != n/2 || s.Dropped != n/2 {
			t.Errorf("there are %d dead letters, and %d were dropped, want %d", s.DeadLetters, s.Dropped, n/2)
		}
	}
}

// If OnDeadLetter calls Goexit, as the receiver of a timer has stopped, the owner's other timers
// send all the same.
func TestTimersBehindATimerThatExits(t *testing.T) { simulated.Too(t, testTimersBehindATimerThatExits) }

func testTimersBehindATimerThatExits(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) { runtime.Goexit() }})
	gone, seen := spawn(t, sys, ignore), make(chan int, 20)
	wantNoErr(t, gone.Stop(ctx))
	ref := spawn(t, sys, func(_ *actor.Context[int], m int) error { seen <- m; return nil })
	began := time.Now()
	for i := range 10 {
		after(t, sys, time.Millisecond, gone, 1)
		after(t, sys, time.Millisecond*time.Duration(1+i%2), ref, i)
	}
	took := time.Since(began)
	var got []int
	for range 10 {
		got = append(got, receive(t, ctx, seen))
	}
	if took >= time.Millisecond { // Some for the second one were due before others for the first. Each millisecond has its own order.
		slices.SortStableFunc(got, func(a, b int) int { return a%2 - b%2 })
	}
	wantSame(t, "handled", got, []int{0, 2, 4, 6, 8, 1, 3, 5, 7, 9})
}

// The one alarm of an owner rings for each timer at its time, whichever are set and stopped before
// and behind it, also by the next incarnation.
func TestOneAlarmForAllTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		begun := time.Now()
		var at []string
		to := spawn(t, sys, func(_ *actor.Context[int], m int) error {
			at = append(at, fmt.Sprint(m, "s/", time.Since(begun)))
			return nil
		})
		_, owner := keptChild(t, sys, func() actor.Actor[task] { return actor.Func(doTask) }, true)
		set := func(seconds ...int) (all []actor.Timer) {
			wantNoErr(t, do(t, owner, func(c *actor.Context[task]) error {
				for _, n := range seconds {
					all = append(all, after(t, c, time.Duration(n)*time.Second, to, n))
				}
				return nil
			}))
			return all
		}
		first := set(9, 5, 7)
		early := set(1, 2)
		early[0].Stop() // The alarm rings for nothing.
		pass(3 * time.Second)
		first[1].Stop()
		set(3)[0].Stop()
		set(3)
		pass(10 * time.Second)
		last := set(4, 4, 6)
		for _, timer := range last {
			timer.Stop() // None is left, and the alarm is silent.
		}
		set(8)
		end(t, owner, endings["error"].do)
		pass(time.Second)
		set(5, 1)
		pass(time.Minute)
		wantSame(t, "sent", at, []string{"2s/2s", "3s/6s", "7s/7s", "9s/9s", "1s/15s", "5s/19s"})
	})
}
