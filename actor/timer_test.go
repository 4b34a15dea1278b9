package actor_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
)

// pass lets time go by in a bubble, and everything happen that is due.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // In a bubble, where it costs nothing.
	synctest.Wait()
}

func after[M any](tb testing.TB, at actor.Spawner, d time.Duration, to actor.Ref[M], m M) actor.Timer {
	tb.Helper()
	timer, err := actor.SendAfter(at, d, to, m)
	wantNoErr(tb, err)
	return timer
}

func every[M any](tb testing.TB, at actor.Spawner, d time.Duration, to actor.Ref[M], m M) actor.Timer {
	tb.Helper()
	timer, err := actor.Every(at, d, to, m)
	wantNoErr(tb, err)
	return timer
}

func TestSendAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		var at []time.Duration
		begin := time.Now()
		ref := spawn(t, sys, func(*actor.Context[int], int) error { at = append(at, time.Since(begin)); return nil })
		early := after(t, sys, 3*time.Second, ref, 1)
		after(t, sys, 2*time.Second, ref.On(actor.Control), 1)
		stopped := after(t, sys, time.Second, ref, 1)
		after(t, sys, 0, ref, 1)
		if !stopped.Stop() || stopped.Stop() {
			t.Error("a timer was not stopped once")
		}
		pass(5 * time.Second)
		if want := []time.Duration{0, 2 * time.Second, 3 * time.Second}; len(at) != 3 || at[0] != want[0] || at[1] != want[1] || at[2] != want[2] {
			t.Errorf("messages came at %v, want %v", at, want)
		}
		if early.Stop() || (actor.Timer{}).Stop() {
			t.Error("a timer that is over was stopped in time")
		}
	})
}

func TestBadTimers(t *testing.T) { simulated.Too(t, testBadTimers) }

func testBadTimers(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, answer)
	bad := map[string]func() error{
		"negative": func() error { _, err := actor.SendAfter(sys, -1, ref, question{}); return err },
		"zero":     func() error { _, err := actor.Every(sys, 0, ref, question{}); return err },
		"interval": func() error { _, err := actor.Every(sys, -time.Second, ref, question{}); return err },
		"no owner": func() error { _, err := actor.Every(nil, 1, ref, question{}); return err },
		"no ref":   func() error { _, err := actor.SendAfter(sys, 1, actor.Ref[question]{}, question{}); return err },
		"no lane":  func() error { _, err := actor.SendAfter(sys, 1, ref.On(7), question{}); return err },
	}
	for name, try := range bad {
		if err := try(); err == nil {
			t.Errorf("a timer with %s was set", name)
		}
	}
	wantNoErr(t, sys.Stop(ctx))
	_, err := actor.SendAfter(sys, 1, ref, question{})
	wantErr(t, err, actor.ErrSystemStopped)
}

// The ticks of a timer come at the interval. While their actor is stalled they
// don't pile up, but are counted; afterwards they come on time again.
func TestTimerAtAnInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		var at []time.Duration
		begin := time.Now()
		ref := spawn(t, sys, func(*actor.Context[int], int) error {
			at = append(at, time.Since(begin))
			if len(at) == 3 {
				pass(1050 * time.Millisecond)
			}
			return nil
		})
		timer := every(t, sys, 100*time.Millisecond, ref, 1)
		pass(320 * time.Millisecond)
		if len(at) != 3 || at[0] != 100*time.Millisecond || timer.Missed() != 0 {
			t.Fatalf("ticks came at %v, and %d were missed", at, timer.Missed())
		}
		time.Sleep(1030 * time.Millisecond) //nolint:forbidigo // As in pass.
		if missed := timer.Missed(); missed != 9 {
			t.Errorf("%d ticks were missed, want 9: of the ten during the stall, one waits", missed)
		}
		pass(200 * time.Millisecond)
		if n := len(at); n != 6 || at[3] != 1350*time.Millisecond || at[5] != 1500*time.Millisecond {
			t.Errorf("ticks came at %v", at)
		}
		if !timer.Stop() || timer.Stop() {
			t.Error("the timer was not stopped once")
		}
		pass(time.Hour)
		if len(at) != 6 {
			t.Errorf("%d ticks came after the stop", len(at)-6)
		}
	})
}

// The timers of an actor end with its incarnation, in whatever way it ends. The timers of the
// system end with the system.
func TestTimersEndWithTheirOwner(t *testing.T) {
	for name, ending := range endings {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sys := newSystem(t, actor.Config{})
				ticks := 0
				to := spawn(t, sys, func(*actor.Context[int], int) error { ticks++; return nil })
				_, child := keptChild(t, sys, func() actor.Actor[task] { return actor.Func(doTask) }, true)
				var timers []actor.Timer
				wantNoErr(t, do(t, child, func(c *actor.Context[task]) error {
					timers = append(timers, every(t, c, time.Second, to, 1), after(t, c, 5*time.Second, to, 1))
					return nil
				}))
				pass(2500 * time.Millisecond)
				end(t, child, ending.do)
				pass(time.Minute)
				if ticks != 2 {
					t.Errorf("%d ticks came, want 2", ticks)
				}
				for _, timer := range timers {
					if timer.Stop() {
						t.Error("the timer was not over")
					}
				}
				wantNoErr(t, do(t, child, func(*actor.Context[task]) error { return nil }))
			})
		})
	}
}

func TestGhostSetsNoTimer(t *testing.T) { simulated.Too(t, testGhostSetsNoTimer) }

func testGhostSetsNoTimer(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, doTask)
	wantErr(t, do(t, ref, func(c *actor.Context[task]) error {
		wantNoErr(t, c.Self().Kill())
		_, err := actor.Every(c, time.Hour, c.Self(), task{})
		if err != nil && strings.Contains(err.Error(), "spawn") {
			t.Errorf("the error is about a spawn: %v", err)
		}
		return err
	}), actor.ErrFenced)
}

func TestTimerOfAReceiverThatHasStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		ref := spawn(t, sys, answer)
		once, many := after(t, sys, time.Second, ref, question{}), every(t, sys, time.Second, ref, question{})
		wantNoErr(t, ref.Stop(context.Background()))
		pass(time.Minute)
		if n := sys.Stats().DeadLetters; n != 2 || once.Stop() || many.Stop() {
			t.Errorf("%d dead letters, want one of each timer, and both over", n)
		}
	})
}

// A single message waits for room; a tick does not.
func TestTimerAndFullLane(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithCapacity(actor.Data, 1))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1)
	after(t, sys, 0, ref, 2)
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 1 })
	stopped := after(t, sys, 0, ref, 3)
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 2 })
	if !stopped.Stop() || stopped.Stop() {
		t.Error("a timer whose message waits for room was not stopped once")
	}
	ticking := every(t, sys, time.Microsecond, ref, 4)
	until(t, ctx, func() bool { return ticking.Missed() > 0 })
	ticking.Stop()
	close(g.open)
	for _, want := range []int{1, 2} {
		if m := receive(t, ctx, g.seen); m != want {
			t.Errorf("handled %d, want %d", m, want)
		}
	}
	wantNoErr(t, ref.Drain(ctx))
	if n := len(g.seen); n != 0 {
		t.Errorf("%d more messages were handled", n)
	}
}

// Stop tells the truth whenever it comes: a message arrives if, and only if, the
// stop was late.
func TestStopRacesWithTimers(t *testing.T) {
	const timers = 5000
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 3})
	var arrived, late atomic.Int64
	ref := spawn(t, sys, func(*actor.Context[int], int) error { arrived.Add(1); return nil })
	owner := spawn(t, sys, doTask)
	var all sync.WaitGroup
	wantNoErr(t, do(t, owner, func(c *actor.Context[task]) error {
		for i := range timers {
			timer := after(t, c, time.Duration(i%50)*time.Microsecond, ref, 1)
			all.Go(func() {
				for range i % 13 {
					runtime.Gosched()
				}
				if !timer.Stop() {
					late.Add(1)
				}
			})
		}
		return nil
	}))
	all.Wait()
	wantNoErr(t, ref.Drain(ctx))
	if arrived.Load() != late.Load() {
		t.Errorf("%d messages arrived, but %d stops were late", arrived.Load(), late.Load())
	}
	if n := actor.Timers(owner); n != 0 {
		t.Errorf("the owner still has %d timers", n)
	}
}

// BenchmarkTick is the price of a message that a timer sends, from when it is set until
// it has been handled.
func BenchmarkTick(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	done := make(chan struct{}, 1)
	ref := spawn(b, sys, func(*actor.Context[int], int) error { done <- struct{}{}; return nil })
	for b.Loop() {
		if _, err := actor.SendAfter(sys, 0, ref, 1); err != nil {
			b.Fatal(err)
		}
		<-done
	}
}

// BenchmarkTimer is the price of setting and stopping a timer among 100,000.
func BenchmarkTimer(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	ref := spawn(b, sys, func(*actor.Context[int], int) error { return nil })
	var before, full runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const others = 100_000
	for range others {
		after(b, sys, time.Hour, ref, 1)
	}
	runtime.GC()
	runtime.ReadMemStats(&full)
	for b.Loop() {
		if timer, err := actor.SendAfter(sys, time.Hour, ref, 1); err != nil || !timer.Stop() {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(full.HeapAlloc-before.HeapAlloc)/others, "B/timer")
}

// The end of the owner cancels its timers, so that nobody else can any more.
func TestTimerOfAnOwnerThatHasStopped(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	to := spawn(t, sys, ignore)
	timers := make(chan actor.Timer, 1)
	owner := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		timer, err := actor.SendAfter(c, time.Hour, to, 1)
		timers <- timer
		return err
	})
	send(t, ctx, owner, 1)
	timer := receive(t, ctx, timers)
	wantNoErr(t, owner.Stop(ctx))
	if timer.Stop() {
		t.Error("a stop was in time for a timer whose owner has stopped")
	}
}

// Several timers of one owner that are due at the same time send in the order in which they
// were set, once or again and again.
func TestTimersThatAreDueTogether(t *testing.T) {
	lane.Short(t)
	simulated.Too(t, testTimersThatAreDueTogether)
}

func testTimersThatAreDueTogether(t testing.TB) {
	const actors, timers, delay = 50, 4, time.Millisecond
	type pair struct {
		order chan []int
		took  chan time.Duration // To set all timers.
	}
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for _, capacity := range []int{1, 100} {
		var pairs []pair
		for range actors {
			p := pair{make(chan []int, 1), make(chan time.Duration, 1)}
			pairs = append(pairs, p)
			var order []int
			receiver := spawn(t, sys, func(_ *actor.Context[int], m int) error {
				if order = append(order, m); len(order) == timers {
					p.order <- order
				}
				return nil
			}, actor.WithCapacity(actor.Data, capacity))
			owner := spawn(t, sys, func(c *actor.Context[int], _ int) error {
				began := time.Now()
				for i := range timers {
					var err error
					if i == 1 && capacity > 1 {
						_, err = actor.Every(c, delay, receiver, i)
					} else {
						_, err = actor.SendAfter(c, delay, receiver, i)
					}
					wantNoErr(t, err)
				}
				p.took <- time.Since(began)
				return nil
			})
			send(t, ctx, owner, 0)
		}
		for _, p := range pairs {
			got, took := receive(t, ctx, p.order), receive(t, ctx, p.took)
			if i := slices.Index(got, 1); took >= delay && i >= 0 { // The second tick may be due before the last timers.
				got = append(got[:i+1:i+1], slices.DeleteFunc(got[i+1:], func(m int) bool { return m == 1 })...)
			}
			if !slices.IsSorted(got) {
				t.Errorf("with room for %d, the messages came in the order %v", capacity, got)
			}
		}
	}
}

// No tick is early. Of timers that are due together, the first alarm sends for all, and the
// alarms of the others may come when their timers have been set again for the next time.
func TestNoTickIsEarly(t *testing.T) {
	const timers, ticks, interval = 8, 1000, time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		began := time.Now()
		var handled [timers]int
		for i := range timers {
			every(t, sys, interval, spawn(t, sys, func(*actor.Context[int], int) error {
				if handled[i]++; handled[i] <= ticks && time.Since(began) < time.Duration(handled[i])*interval {
					t.Errorf("tick %d came after %v", handled[i], time.Since(began))
				}
				return nil
			}), 0)
		}
		pass(ticks * interval)
		for i, n := range handled {
			if n != ticks {
				t.Errorf("%d ticks of timer %d were handled, want %d", n, i, ticks)
			}
		}
	})
}

// Timers are sent for in the order of their times, however they were set and stopped.
func TestTimersAreSortedByTheirTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := actor.NewDues()
		times := map[int]int{}
		for n := range rapid.IntRange(0, 60).Draw(t, "timers") {
			at := rapid.IntRange(0, 9).Draw(t, "at")
			d.Add(n, at)
			times[n] = at
			if gone := rapid.IntRange(0, 2*n+1).Draw(t, "gone"); gone <= n {
				d.Remove(gone)
				delete(times, gone)
			}
		}
		var want [][2]int
		for n, at := range times {
			want = append(want, [2]int{at, n})
		}
		slices.SortFunc(want, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
		for at := range 10 {
			for n := range d.Until(at) {
				if len(want) == 0 || want[0] != [2]int{at, n} {
					t.Fatalf("at %d timer %d is sent for, want %v", at, n, want)
				}
				want = want[1:]
			}
		}
		if len(want) > 0 {
			t.Errorf("nobody has sent for %v", want)
		}
	})
}
