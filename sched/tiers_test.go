package sched_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/sched"
)

// reserve is a reservation for critical and high work.
func reserve(critical, high int) (r [4]int) {
	r[sched.Critical], r[sched.High] = critical, high
	return r
}

// TestBulkWorkDoesNotDelayReservedWorkers blocks every worker that takes normal
// work, with more of it waiting, and no spare may help.
func TestBulkWorkDoesNotDelayReservedWorkers(t *testing.T) {
	ctx := guarded(t)
	const workers = 4
	s := newScheduler(t, sched.Config{Workers: workers, MaxSpares: -1, Reserved: reserve(1, 1)})
	gate := make(chan struct{})
	var bulk []*sched.Job
	var begun sync.WaitGroup
	begun.Add(workers - 2)
	for range 10 {
		bulk = append(bulk, start(t, ctx, s, func(context.Context) error {
			select {
			case <-gate:
			default:
				begun.Done()
				<-gate
			}
			return nil
		}))
	}
	begun.Wait()
	for range 200 {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, sched.WithPriority(sched.Critical)))
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, sched.WithPriority(sched.High)))
	}
	// Also while the worker for high work is held as well.
	begun.Add(1)
	bulk = append(bulk, start(t, ctx, s, func(context.Context) error { begun.Done(); <-gate; return nil }, sched.WithPriority(sched.High)))
	begun.Wait()
	for range 200 {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, sched.WithPriority(sched.Critical)))
	}
	for _, w := range s.Stats().Workers {
		if want := []sched.Priority{sched.Critical, sched.High, sched.Low, sched.Low}[w.ID]; w.Tier != want {
			t.Errorf("worker %d is of tier %v, want %v", w.ID, w.Tier, want)
		}
	}
	close(gate)
	finish(t, ctx, bulk...)
}

// TestReservedWorkersTakeNothingElse has them look at queues full of work, and
// checks it in a run.
func TestReservedWorkersTakeNothingElse(t *testing.T) {
	still := sched.NewStill(sched.Config{Workers: 3, Reserved: reserve(1, 1)})
	n := names{}
	for _, p := range []sched.Priority{sched.High, sched.Normal, sched.Low} {
		for range 3 {
			still.Worker(2).Push(n.node("own "+p.String()), p)
			n.outside(t, still, p, "shared "+p.String())
		}
	}
	still.Worker(2).PushNext(n.node("interrupted"))
	for round := range 2 * sched.SearchRounds {
		if x, _ := still.Worker(0).SearchOnce(round); x != nil {
			t.Fatalf("the worker for critical work took %q", n[x])
		}
	}
	took := 0
	for round := range 2 * sched.SearchRounds {
		for x, p := still.Worker(1).SearchOnce(round); x != nil; x, p = still.Worker(1).Poll() {
			if took++; p != sched.High {
				t.Fatalf("the worker for high work took %q", n[x])
			}
		}
	}
	if took != 6 {
		t.Errorf("the worker for high work took %d pieces, want 6", took)
	}
	if x, _ := still.Worker(2).Poll(); x == nil {
		t.Error("the unreserved worker found nothing")
	}
}

// TestReservedWorkersGiveAwayWhatTheyDoNotTake has critical work submit normal
// work from a reserved worker.
func TestReservedWorkersGiveAwayWhatTheyDoNotTake(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2, MaxSpares: -1, Reserved: reserve(1, 0)})
	for range 100 {
		var child *sched.Job
		finish(t, ctx, start(t, ctx, s, func(ctx context.Context) (err error) {
			child, err = s.Go(ctx, func(ctx context.Context) error {
				if id := sched.Current(ctx).Worker(); id != 1 {
					t.Errorf("normal work runs on worker %d", id)
				}
				return nil
			})
			return err
		}, sched.WithPriority(sched.Critical), sched.WithWorker(0)))
		finish(t, ctx, child)
	}
}

// TestReservedWorkerSharesWhatItDoesNotTake makes the step itself: the next look
// of another worker finds it.
func TestReservedWorkerSharesWhatItDoesNotTake(t *testing.T) {
	s := sched.NewStill(sched.Config{Workers: 2, Reserved: reserve(1, 0)})
	n := names{}
	s.Worker(0).Push(n.node("normal"), sched.Normal)
	if x, _ := s.Worker(0).Poll(); x != nil {
		t.Errorf("the reserved worker got %q", n[x])
	}
	if x, _ := s.Worker(1).Poll(); n[x] != "normal" {
		t.Errorf("the other worker got %q", n[x])
	}
}

// TestSpareChangesItsTier has the only spare stand in for an unreserved worker
// first, and then for the reserved one.
func TestSpareChangesItsTier(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2, MaxSpares: 1, Reserved: reserve(1, 0)})
	quick := func(p sched.Priority) {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, sched.WithPriority(p)))
	}
	hold := func(gate chan struct{}, p sched.Priority, id int) *sched.Job {
		begun := make(chan struct{})
		j := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil }, sched.WithPriority(p), sched.WithWorker(id))
		receive(t, ctx, "the worker to be held", begun)
		return j
	}
	first := make(chan struct{})
	j := hold(first, sched.Normal, 1)
	quick(sched.Normal)
	close(first)
	finish(t, ctx, j)
	eventually(t, ctx, "the spare to retire", func() bool {
		start(t, ctx, s, func(context.Context) error { return nil }) // A spare retires when it looks for work.
		return inState(s, sched.WorkerRetired) == 1
	})
	second := make(chan struct{})
	jobs := []*sched.Job{hold(second, sched.Critical, 0), hold(second, sched.Normal, 1)}
	quick(sched.Critical) // By the spare, since all are held.
	for range 10 {
		jobs = append(jobs, start(t, ctx, s, func(context.Context) error { <-second; return nil }))
	}
	for range 20 {
		quick(sched.Critical)
	}
	close(second)
	finish(t, ctx, jobs...)
}

// TestSparesTakeOverTheTier blocks the reserved worker, and then the other.
func TestSparesTakeOverTheTier(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2, Reserved: reserve(1, 0)})
	for range 3 { // The spares are used again, also in the other tier.
		gate := make(chan struct{})
		var held []*sched.Job
		for _, p := range []sched.Priority{sched.Critical, sched.Normal} {
			begun := make(chan struct{})
			held = append(held, start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil },
				sched.WithPriority(p), sched.WithWorker(int(min(p, 1)))))
			receive(t, ctx, "the worker to be held", begun)
		}
		for range 20 {
			for _, p := range []sched.Priority{sched.Normal, sched.Critical} {
				finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
					if tier := sched.Current(ctx).Tier(); p > tier {
						t.Errorf("%v work runs on worker %d of tier %v", p, sched.Current(ctx).Worker(), tier)
					}
					return nil
				}, sched.WithPriority(p)))
			}
		}
		close(gate)
		finish(t, ctx, held...)
		checkAtRest(t, ctx, s)
	}
}

func TestBadReservationsAreRefused(t *testing.T) {
	for want, cfg := range map[string]sched.Config{
		"asks for 3 workers":      {Workers: 2, Reserved: reserve(2, 1)},
		"leaves none":             {Workers: 2, Reserved: reserve(1, 1)},
		"Reserved[critical] is -": {Workers: 2, Reserved: reserve(-1, 1)},
	} {
		if _, err := sched.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", cfg.Reserved, err, want)
		}
	}
	s := newScheduler(t, sched.Config{Workers: 4, Reserved: [4]int{sched.Critical: 1, sched.High: 1, sched.Low: 2}})
	_, err := s.Go(guarded(t), func(context.Context) error { return nil }, sched.WithWorker(0))
	if err == nil || !strings.Contains(err.Error(), "reserved for critical") {
		t.Errorf("normal work was pinned to a worker for critical work: %v", err)
	}
}

// TestWakeConsidersTiers wakes for work of any priority, with any of the workers
// asleep or searching, and checks that one which takes it looks afterwards.
func TestWakeConsidersTiers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sched.NewStill(sched.Config{Workers: 5, Reserved: [4]int{1, 1, 1, 0}})
		able := func(p sched.Priority, of []bool) bool {
			for i, is := range of {
				if is && p <= s.Worker(i).Tier() {
					return true
				}
			}
			return false
		}
		sleeping, searching := make([]bool, s.Workers()), make([]bool, s.Workers())
		for i := range sleeping {
			switch rapid.IntRange(0, 2).Draw(t, "state") {
			case 1:
				s.Worker(i).EnterIdle()
				sleeping[i] = true
			case 2:
				searching[i] = s.Worker(i).StartSearch()
			}
		}
		p := rapid.SampledFrom([]sched.Priority{sched.Critical, sched.High, sched.Normal, sched.Low}).Draw(t, "priority")
		before := append([]bool(nil), searching...)
		s.WakeFor(p)
		for i := range sleeping {
			if s.Worker(i).Token() {
				searching[i] = true
				if p > s.Worker(i).Tier() {
					t.Errorf("worker %d of tier %v was woken for %v work", i, s.Worker(i).Tier(), p)
				}
				if able(p, before) {
					t.Errorf("worker %d was woken though another was searching", i)
				}
			}
		}
		if able(p, sleeping) && !able(p, searching) {
			t.Errorf("nobody looks for %v work; asleep were %v, searching %v", p, sleeping, before)
		}
	})
}

// TestOldWorkLeavesReservedWorkersAlone lets bulk work grow old: it must not rise
// to where the reserved worker would take it, and be held by it.
func TestOldWorkLeavesReservedWorkersAlone(t *testing.T) {
	for _, c := range []struct {
		reserved [4]int
		want     sched.Priority // The highest to which low work rises.
	}{{reserve(0, 0), sched.Critical}, {reserve(1, 0), sched.High}, {reserve(0, 1), sched.Normal}} {
		var clock sched.Clock
		s := sched.NewStill(sched.Config{Workers: 2, MaxSpares: -1, Reserved: c.reserved, AgeAfter: time.Second})
		s.SetClock(&clock)
		n := names{}
		n.outside(t, s, sched.Low, "shared")
		s.Worker(1).Push(n.node("own"), sched.Low)
		for range 10 * 16 {
			clock.Advance(time.Second / 16)
			s.Look()
		}
		if got := s.Stats().Queued[c.want]; got != 2 {
			t.Errorf("with %v reserved, %d pieces rose to %v; queued are %v", c.reserved, got, c.want, s.Stats().Queued)
		}
	}
}

// TestCriticalWorkIsRelievedInItsOwnPlace has every worker held: a spare in a
// place that is reserved would take nothing else.
func TestCriticalWorkIsRelievedInItsOwnPlace(t *testing.T) {
	s := sched.NewStill(sched.Config{Workers: 3, MaxSpares: -1, Reserved: reserve(1, 0)})
	for i := range s.Workers() {
		s.Worker(i).Hold()
	}
	names{}.outside(t, s, sched.Critical, "critical")
	if !s.Worker(0).Refused() || s.Worker(1).Refused() || s.Worker(2).Refused() {
		t.Error("the spare would have come in another place")
	}
}
