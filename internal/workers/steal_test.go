package workers_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/settings"
	"github.com/troupe-go/troupe/sched"
)

// stealOnce has worker 0 steal from worker 1, which has n pieces of work that
// take pace each, and returns how many it has then, the one in hand included.
func stealOnce(s *workers.Scheduler, n int, pace time.Duration) int {
	victim, thief := s.Worker(1), s.Worker(0)
	for range n {
		victim.Push(names{}.node("x"), workers.Normal)
	}
	victim.SetPace(pace)
	if x, _ := thief.Search(); x == nil {
		return 0
	}
	return 1 + thief.Queued(workers.Normal)
}

func TestStealMovesByStrategyAndCost(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the queues are too short")
	}
	const us = time.Microsecond
	for _, c := range []struct {
		strategy settings.StealStrategy
		queued   int
		pace     time.Duration
		want     int
	}{
		{settings.StealSingle, 100, 0, 1},
		{settings.StealSingle, 100, us, 1},
		{settings.StealBatched, 2, 0, 1},
		{settings.StealBatched, 20, 0, 10},
		{settings.StealBatched, 1000, 0, workers.StealBatchMax},
		{settings.StealBatched, 100, us, 50},
		{settings.StealBatched, 100, 10 * us, 20},
		{settings.StealBatched, 10, 10 * us, 5},
		{settings.StealBatched, 100, 10 * time.Millisecond, 1},
		{settings.StealLocal, 20, 0, 10},
		{settings.StealLocal, 100, 50 * us, 4},
		{settings.StealAdaptive, 20, 0, 10},
		{settings.StealAdaptive, 100, 100 * us, 2},
		{settings.StealAdaptive, 100, 10 * time.Millisecond, 1},
	} {
		s := workers.NewStill(workers.Config{Workers: 2, Steal: c.strategy})
		if got := stealOnce(s, c.queued, c.pace); got != c.want {
			t.Errorf("%v took %d of %d pieces of %v, want %d", c.strategy, got, c.queued, c.pace, c.want)
		}
	}
	for _, most := range []int{1, 7, 200} {
		s := workers.NewStill(workers.Config{Workers: 2, Steal: settings.StealBatched, MaxSteal: most})
		if got := stealOnce(s, 1000, 0); got != most {
			t.Errorf("with MaxSteal %d, a thief took %d of 1000", most, got)
		}
	}
}

// TestStealGoesByHints queues jobs of which their submitter has said that each
// costs more than a steal shall bring, on a worker whose last ones were short.
func TestStealGoesByHints(t *testing.T) {
	ctx := guarded(t)
	for hint, want := range map[time.Duration]int{time.Microsecond: 50, 10 * time.Millisecond: 1} {
		s := workers.NewStill(workers.Config{Workers: 2, Steal: settings.StealBatched})
		victim, thief := s.Worker(1), s.Worker(0)
		for range 100 {
			start(t, ctx, s, func(context.Context) error { return nil }, workers.WithCost(hint))
			victim.Push(s.TakeShared(workers.Normal), workers.Normal)
		}
		victim.SetPace(time.Microsecond)
		if n, _ := thief.Search(); n == nil {
			t.Fatal("nothing was stolen")
		}
		if got := 1 + thief.Queued(workers.Normal); got != want && !invariants.Enabled {
			t.Errorf("took %d jobs of %v each, want %d", got, hint, want)
		}
	}
}

// TestStealsAreCounted plays one steal of a batch, one of a single piece, and
// one search in vain.
func TestStealsAreCounted(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2, Steal: settings.StealBatched})
	thief := s.Worker(0)
	if got := stealOnce(s, 4, 0); got != 2 {
		t.Fatalf("took %d of 4", got)
	}
	thief.Found()
	thief.Search() // Takes one of the two that are left.
	thief.Found()
	thief.Publish()
	w := s.Stats().Workers[0]
	if w.Stolen != 3 || w.Steal.Attempts != 3 || w.Steal.Batches != 1 || w.Steal.Contended != 0 || w.Steal.Fruitless != 0 {
		t.Errorf("3 pieces in 2 steals are counted as %+v, %d stolen", w.Steal, w.Stolen)
	}
	s = workers.NewStill(workers.Config{Workers: 3})
	s.Worker(0).Search()
	s.Worker(0).Publish()
	if got := s.Stats().Workers[0].Steal; got.Empty != 2*workers.SearchRounds || got.Fruitless != 1 || got.Attempts != 0 {
		t.Errorf("a search in vain is counted as %+v", got)
	}
}

// TestStrategyChangesLive is what a running scheduler does when it is told.
func TestStrategyChangesLive(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2, Steal: settings.StealSingle})
	if got := stealOnce(s, 4, 0); got != 1 {
		t.Fatalf("single took %d", got)
	}
	if err := s.SetStealStrategy(settings.StealBatched); err != nil {
		t.Fatal(err)
	}
	if got := s.Stats().Workers[1].Steal; got.Strategy != settings.StealBatched || got.Reason != workers.StealConfigured {
		t.Errorf("a worker that has not searched since shows %v, for %v", got.Strategy, got.Reason)
	}
	s.Worker(0).Found()
	if got := stealOnce(s, 1, 0); got != 2 {
		t.Errorf("after the change %d of 4 were taken, want 2", got)
	}
	s.Worker(0).Publish()
	if got := s.Stats().Workers[0].Steal; got.Strategy != settings.StealBatched || got.Switches != 1 || got.Reason != workers.StealConfigured {
		t.Errorf("the change shows as %+v", got)
	}
	for _, st := range []settings.StealStrategy{4, 255} {
		if err := s.SetStealStrategy(st); err == nil {
			t.Errorf("strategy %d was accepted", st)
		}
		if _, err := workers.New(workers.Config{Steal: st}); err == nil {
			t.Errorf("a scheduler with strategy %d was made", st)
		}
	}
	if got := s.StealStrategy(); got != settings.StealBatched {
		t.Errorf("the strategy is %v after one that does not exist", got)
	}
}

// TestNothingIsLostUnderAnyStrategy floods one worker under each strategy, and
// changes it all the time.
func TestNothingIsLostUnderAnyStrategy(t *testing.T) {
	const each = 2000
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 4})
	var ran atomic.Int64
	flood := start(t, ctx, s, func(ctx context.Context) error {
		for i := range 8 * each {
			if i%each == 0 {
				if err := s.SetStealStrategy(settings.StealStrategy(i / each % 4)); err != nil {
					return err
				}
			}
			if _, err := s.Go(ctx, func(context.Context) error { ran.Add(1); return nil }); err != nil {
				return err
			}
		}
		return nil
	})
	finish(t, ctx, flood)
	eventually(t, ctx, fmt.Sprintf("%d jobs to run", 8*each), func() bool { return ran.Load() == 8*each })
}

// spin keeps the processor for about 10 us, and as long for everyone.
func spin() (x uint64) {
	for i := range uint64(20_000) {
		x += x<<1 ^ i
	}
	return x
}

var spun atomic.Uint64

// BenchmarkFlooded has one worker with 10,000 jobs of 10 us and others without. The metric
// compares the time with goroutines that share out the same work beforehand, in turns with it.
func BenchmarkFlooded(b *testing.B) {
	const jobs = 10_000
	for st := range settings.StealStrategy(4) {
		b.Run(st.String(), func(b *testing.B) {
			s := newScheduler(b, workers.Config{Steal: st})
			ctx := context.Background()
			var balanced, flooded time.Duration
			for b.Loop() {
				var all sync.WaitGroup
				begin := time.Now()
				for range s.Workers() {
					all.Go(func() {
						for range jobs / s.Workers() {
							spun.Store(spin())
						}
					})
				}
				all.Wait()
				balanced += time.Since(begin)
				all.Add(jobs)
				begin = time.Now()
				start(b, ctx, s, func(ctx context.Context) error {
					for range jobs {
						if _, err := s.Go(ctx, func(context.Context) error { spun.Store(spin()); all.Done(); return nil }); err != nil {
							return err
						}
					}
					return nil
				})
				all.Wait()
				flooded += time.Since(begin)
			}
			b.ReportMetric(float64(flooded)/float64(balanced), "x-balanced")
			b.ReportMetric(float64((*sched.Scheduler)(s).Stats().Total().Stolen)/float64(b.N), "stolen/op")
		})
	}
}

// BenchmarkSteal moves queued work from one worker to another, in batches as
// large as they may be. It is the price of one piece.
func BenchmarkSteal(b *testing.B) {
	s := workers.NewStill(workers.Config{Workers: 2, Steal: settings.StealBatched})
	victim, thief := s.Worker(1), s.Worker(0)
	nodes := make([]*workers.Node, workers.LocalCapacity)
	for i := range nodes {
		nodes[i] = names{}.node("x")
	}
	for moved := 0; moved < b.N; {
		b.StopTimer()
		for _, n := range nodes {
			victim.Push(n, workers.Normal)
		}
		b.StartTimer()
		for x, _ := thief.Search(); x != nil; x, _ = thief.Search() {
			moved++
			for x, _ = thief.Poll(); x != nil; x, _ = thief.Poll() {
				moved++
			}
		}
	}
}
