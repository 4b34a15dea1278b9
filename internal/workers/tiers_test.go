package workers_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers"
)

// reserve is a reservation for critical and high work.
func reserve(critical, high int) (r [4]int) {
	r[workers.Critical], r[workers.High] = critical, high
	return r
}

// TestBulkWorkDoesNotDelayReservedWorkers blocks every worker that takes normal
// work, with more of it waiting, and no spare may help.
func TestBulkWorkDoesNotDelayReservedWorkers(t *testing.T) {
	ctx := guarded(t)
	const width = 4
	s := newScheduler(t, workers.Config{Workers: width, MaxSpares: -1, Reserved: reserve(1, 1)})
	gate := make(chan struct{})
	var bulk []*workers.Job
	var begun sync.WaitGroup
	begun.Add(width - 2)
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
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, workers.WithPriority(workers.Critical)))
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, workers.WithPriority(workers.High)))
	}
	// Also while the worker for high work is held as well.
	begun.Add(1)
	bulk = append(bulk, start(t, ctx, s, func(context.Context) error { begun.Done(); <-gate; return nil }, workers.WithPriority(workers.High)))
	begun.Wait()
	for range 200 {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, workers.WithPriority(workers.Critical)))
	}
	for _, w := range s.Stats().Workers {
		if want := []workers.Priority{workers.Critical, workers.High, workers.Low, workers.Low}[w.ID]; w.Tier != want {
			t.Errorf("worker %d is of tier %v, want %v", w.ID, w.Tier, want)
		}
	}
	close(gate)
	finish(t, ctx, bulk...)
}

// TestReservedWorkersTakeNothingElse has them look at queues full of work, and
// checks it in a run.
func TestReservedWorkersTakeNothingElse(t *testing.T) {
	still := workers.NewStill(workers.Config{Workers: 3, Reserved: reserve(1, 1)})
	n := names{}
	for _, p := range []workers.Priority{workers.High, workers.Normal, workers.Low} {
		for range 3 {
			still.Worker(2).Push(n.node("own "+p.String()), p)
			n.outside(t, still, p, "shared "+p.String())
		}
	}
	still.Worker(2).PushNext(n.node("interrupted"))
	for round := range 2 * workers.SearchRounds {
		if x, _ := still.Worker(0).SearchOnce(round); x != nil {
			t.Fatalf("the worker for critical work took %q", n[x])
		}
	}
	took := 0
	for round := range 2 * workers.SearchRounds {
		for x, p := still.Worker(1).SearchOnce(round); x != nil; x, p = still.Worker(1).Poll() {
			if took++; p != workers.High {
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
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1, Reserved: reserve(1, 0)})
	for range 100 {
		var child *workers.Job
		finish(t, ctx, start(t, ctx, s, func(ctx context.Context) (err error) {
			child, err = s.Go(ctx, func(ctx context.Context) error {
				if id := workers.Current(ctx).Worker(); id != 1 {
					t.Errorf("normal work runs on worker %d", id)
				}
				return nil
			})
			return err
		}, workers.WithPriority(workers.Critical), workers.WithWorker(0)))
		finish(t, ctx, child)
	}
}

// TestReservedWorkerSharesWhatItDoesNotTake makes the step itself: the next look
// of another worker finds it.
func TestReservedWorkerSharesWhatItDoesNotTake(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2, Reserved: reserve(1, 0)})
	n := names{}
	s.Worker(0).Push(n.node("normal"), workers.Normal)
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
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: 1, Reserved: reserve(1, 0)})
	quick := func(p workers.Priority) {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, workers.WithPriority(p)))
	}
	hold := func(gate chan struct{}, p workers.Priority, id int) *workers.Job {
		begun := make(chan struct{})
		j := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil }, workers.WithPriority(p), workers.WithWorker(id))
		receive(t, ctx, "the worker to be held", begun)
		return j
	}
	first := make(chan struct{})
	j := hold(first, workers.Normal, 1)
	quick(workers.Normal)
	close(first)
	finish(t, ctx, j)
	eventually(t, ctx, "the spare to retire", func() bool {
		start(t, ctx, s, func(context.Context) error { return nil }) // A spare retires when it looks for work.
		return inState(s, workers.WorkerRetired) == 1
	})
	second := make(chan struct{})
	jobs := []*workers.Job{hold(second, workers.Critical, 0), hold(second, workers.Normal, 1)}
	quick(workers.Critical) // By the spare, since all are held.
	for range 10 {
		jobs = append(jobs, start(t, ctx, s, func(context.Context) error { <-second; return nil }))
	}
	for range 20 {
		quick(workers.Critical)
	}
	close(second)
	finish(t, ctx, jobs...)
}

// TestSparesTakeOverTheTier blocks the reserved worker, and then the other.
func TestSparesTakeOverTheTier(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, Reserved: reserve(1, 0)})
	for range 3 { // The spares are used again, also in the other tier.
		gate := make(chan struct{})
		var held []*workers.Job
		for _, p := range []workers.Priority{workers.Critical, workers.Normal} {
			begun := make(chan struct{})
			held = append(held, start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil },
				workers.WithPriority(p), workers.WithWorker(int(min(p, 1)))))
			receive(t, ctx, "the worker to be held", begun)
		}
		for range 20 {
			for _, p := range []workers.Priority{workers.Normal, workers.Critical} {
				finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
					if tier := workers.Current(ctx).Tier(); p > tier {
						t.Errorf("%v work runs on worker %d of tier %v", p, workers.Current(ctx).Worker(), tier)
					}
					return nil
				}, workers.WithPriority(p)))
			}
		}
		close(gate)
		finish(t, ctx, held...)
		checkAtRest(t, ctx, s)
	}
}

// A reservation of -1 is none: the only worker takes low work.
func TestReservationOfNone(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, Reserved: reserve(-1, -1)})
	finish(t, ctx, start(t, ctx, s, nothing, workers.WithPriority(workers.Low)))
}

func TestBadReservationsAreRefused(t *testing.T) {
	for want, cfg := range map[string]workers.Config{
		"asks for 3 workers":      {Workers: 2, Reserved: reserve(2, 1)},
		"leaves none":             {Workers: 2, Reserved: reserve(1, 1)},
		"Reserved[critical] is -": {Workers: 2, Reserved: reserve(-2, 1)},
	} {
		if _, err := workers.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", cfg.Reserved, err, want)
		}
	}
	s := newScheduler(t, workers.Config{Workers: 4, Reserved: [4]int{workers.Critical: 1, workers.High: 1, workers.Low: 2}})
	_, err := s.Go(guarded(t), func(context.Context) error { return nil }, workers.WithWorker(0))
	if err == nil || !strings.Contains(err.Error(), "reserved for critical") {
		t.Errorf("normal work was pinned to a worker for critical work: %v", err)
	}
}

// TestWakeConsidersTiers wakes for work of any priority, with any of the workers
// asleep or searching, and checks that one which takes it looks afterwards.
func TestWakeConsidersTiers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := workers.NewStill(workers.Config{Workers: 5, Reserved: [4]int{1, 1, 1, 0}})
		able := func(p workers.Priority, of []bool) bool {
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
		p := rapid.SampledFrom([]workers.Priority{workers.Critical, workers.High, workers.Normal, workers.Low}).Draw(t, "priority")
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
		want     workers.Priority // The highest to which low work rises.
	}{{reserve(0, 0), workers.Critical}, {reserve(1, 0), workers.High}, {reserve(0, 1), workers.Normal}} {
		var clock workers.Clock
		s := workers.NewStill(workers.Config{Workers: 2, MaxSpares: -1, Reserved: c.reserved, AgeAfter: time.Second})
		s.SetClock(&clock)
		n := names{}
		n.outside(t, s, workers.Low, "shared")
		s.Worker(1).Push(n.node("own"), workers.Low)
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
	s := workers.NewStill(workers.Config{Workers: 3, MaxSpares: -1, Reserved: reserve(1, 0)})
	for i := range s.Workers() {
		s.Worker(i).Hold()
	}
	names{}.outside(t, s, workers.Critical, "critical")
	if !s.Worker(0).Refused() || s.Worker(1).Refused() || s.Worker(2).Refused() {
		t.Error("the spare would have come in another place")
	}
}
