package workers_test

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers"
)

// busy returns a still scheduler with a clock, whose workers run something.
func busy(cfg workers.Config) (*workers.Scheduler, *workers.Clock) {
	clock := &workers.Clock{}
	s := workers.NewStill(cfg)
	s.SetClock(clock)
	return s, clock
}

// load puts work into the workers' own queues.
func load(s *workers.Scheduler, pieces ...int) {
	for i, n := range pieces {
		for range n {
			s.Worker(i).Push(&newWork(nil).Node, workers.Normal)
		}
	}
}

// held is what each worker has queued.
func held(s *workers.Scheduler) (pieces []int) {
	for i := range s.Workers() {
		pieces = append(pieces, s.Worker(i).Pieces())
	}
	return pieces
}

// TestRebalancingSpreadsWork checks what becomes of any distribution: nothing is
// lost, and what was uneven is even.
func TestRebalancingSpreadsWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, clock := busy(workers.Config{Workers: 4})
		pieces := rapid.SliceOfN(rapid.IntRange(0, workers.LocalCapacity), 4, 4).Draw(t, "pieces")
		load(s, pieces...)
		sum, most := 0, 0
		for _, n := range pieces {
			sum += n
			most = max(most, n)
		}
		clock.Advance(10 * time.Millisecond)
		s.Rebalance()
		after := held(s)
		left, least, largest := 0, after[0], after[0]
		for _, n := range after {
			left += n
			least, largest = min(least, n), max(largest, n)
		}
		if left != sum {
			t.Fatalf("%v became %v", pieces, after)
		}
		mean := float64(sum)/4 + 1 // And the running one.
		imbalance := (float64(most) + 1 - mean) / mean
		moved := s.Stats().Moved
		switch {
		case imbalance <= 0.3 && moved != 0:
			t.Errorf("%v is even enough, but became %v", pieces, after)
		case imbalance > 0.3 && largest-least > 2:
			t.Errorf("%v became %v", pieces, after)
		}
	})
}

// TestRebalancingThreshold has one worker with 40% more than the mean.
func TestRebalancingThreshold(t *testing.T) {
	if workers.LocalCapacity < 13 {
		t.Skip("the queues are too short")
	}
	for threshold, want := range map[float64]bool{0: true, 0.35: true, 0.45: false} {
		s, clock := busy(workers.Config{Workers: 2, ImbalanceThreshold: threshold})
		load(s, 13, 5)
		clock.Advance(10 * time.Millisecond)
		s.Rebalance()
		if got := s.Stats().Rebalances == 1; got != want {
			t.Errorf("threshold %v: rebalanced %t, want %t", threshold, got, want)
		}
	}
}

// TestLoadOverTwiceTheMeanIsMoved though the threshold would allow it.
func TestLoadOverTwiceTheMeanIsMoved(t *testing.T) {
	s, clock := busy(workers.Config{Workers: 4, ImbalanceThreshold: 10})
	load(s, 4)
	clock.Advance(10 * time.Millisecond)
	s.Rebalance()
	if got := s.Stats().Moved; got == 0 {
		t.Errorf("nothing was moved: %v", held(s))
	}
}

// TestRebalancingGoesByTime has the worker with fewer pieces be the busier one.
func TestRebalancingGoesByTime(t *testing.T) {
	s, clock := busy(workers.Config{Workers: 2})
	s.Worker(0).SetPace(10 * time.Millisecond)
	s.Worker(1).SetPace(10 * time.Microsecond)
	load(s, 3, 4)
	clock.Advance(10 * time.Millisecond)
	s.Rebalance()
	if got := held(s); got[0] >= 3 || got[0] < 1 {
		t.Errorf("3 pieces of 10 ms and 4 of 10 us became %v", got)
	}
}

func TestOldestWorkIsMoved(t *testing.T) {
	s, clock := busy(workers.Config{Workers: 2})
	n := names{}
	for _, name := range []string{"a", "b", "c", "d"} {
		s.Worker(0).Push(n.node(name), workers.Normal)
	}
	clock.Advance(10 * time.Millisecond)
	s.Rebalance()
	if x, _ := s.Worker(1).Poll(); n[x] != "a" {
		t.Errorf("got %q, want the oldest", n[x])
	}
}

// TestLittleWorkIsLeftAlone has two actors that talk to each other.
func TestLittleWorkIsLeftAlone(t *testing.T) {
	s, clock := busy(workers.Config{Workers: 2})
	s.Worker(1).SetResting(true)
	load(s, 1)
	clock.Advance(10 * time.Millisecond)
	s.Rebalance()
	if got := s.Stats().Moved; got != 0 {
		t.Errorf("%d pieces were moved", got)
	}
}

// TestBlockedWorkerHandsEverythingOver but for the last piece.
func TestBlockedWorkerHandsEverythingOver(t *testing.T) {
	s, clock := busy(workers.Config{Workers: 3})
	load(s, 4)
	block(s.Worker(0)) // Its push was a sign of life.
	clock.Advance(10 * time.Millisecond)
	s.Rebalance()
	if got := held(s); got[0] != 1 {
		t.Errorf("4 pieces of a blocked worker became %v", got)
	}
}

// TestRetiredSparesGetNothing, since they would not come to it.
func TestRetiredSparesGetNothing(t *testing.T) {
	s, clock := busy(workers.Config{Workers: 3})
	s.Worker(2).SetResting(true)
	s.Worker(2).SetRetired()
	load(s, 4)
	clock.Advance(10 * time.Millisecond)
	s.Rebalance()
	if got := held(s); got[2] != 0 || got[1] == 0 {
		t.Errorf("4 pieces became %v", got)
	}
}

// TestSparesGetNothing, since one might retire before it comes to it.
func TestSparesGetNothing(t *testing.T) {
	s, clock := busy(workers.Config{Workers: 3})
	s.Worker(2).SetSpare()
	load(s, 4)
	clock.Advance(10 * time.Millisecond)
	s.Rebalance()
	if got := held(s); got[2] != 0 || got[1] == 0 {
		t.Errorf("4 pieces became %v", got)
	}
}

// TestReservedWorkersAreComparedAmongThemselves would fail if those that have
// nothing to do made the others look loaded.
func TestReservedWorkersAreComparedAmongThemselves(t *testing.T) {
	s, clock := busy(workers.Config{Workers: 4, Reserved: reserve(2, 0)})
	load(s, 0, 0, 3, 3)
	clock.Advance(10 * time.Millisecond)
	s.Rebalance()
	if got := s.Stats().Moved; got != 0 {
		t.Errorf("%d pieces were moved: %v", got, held(s))
	}
	load(s, 0, 0, 1)
	for range 3 {
		s.Worker(3).Poll()
	}
	clock.Advance(time.Second)
	s.Rebalance()
	if got := held(s); got[0] != 0 || got[1] != 0 || got[3] == 0 {
		t.Errorf("4 pieces became %v", got)
	}
}

// TestIntervalAdapts has the imbalance change with each look, and then stay.
func TestIntervalAdapts(t *testing.T) {
	s, clock := busy(workers.Config{Workers: 2})
	if got := s.Stats().RebalanceInterval; got != 10*time.Millisecond {
		t.Errorf("it begins with %v", got)
	}
	for range 20 {
		load(s, 4)
		clock.Advance(s.Rebalance())
		for range 4 {
			s.Worker(0).Poll()
			s.Worker(1).Poll()
		}
		clock.Advance(s.Rebalance())
	}
	if got := s.Stats().RebalanceInterval; got != time.Millisecond {
		t.Errorf("with changing loads it is %v", got)
	}
	for range 20 {
		clock.Advance(s.Rebalance())
	}
	if got := s.Stats().RebalanceInterval; got != 50*time.Millisecond {
		t.Errorf("with steady loads it is %v", got)
	}
}

// TestRebalancingWaitsForItsTime looks too early.
func TestRebalancingWaitsForItsTime(t *testing.T) {
	s, clock := busy(workers.Config{Workers: 2, RebalanceMin: 5 * time.Millisecond, RebalanceMax: 5 * time.Millisecond})
	load(s, 4)
	clock.Advance(2 * time.Millisecond)
	if left := s.Rebalance(); left != 3*time.Millisecond || s.Stats().Moved != 0 {
		t.Errorf("it looks again in %v, and has moved %d", left, s.Stats().Moved)
	}
	clock.Advance(3 * time.Millisecond)
	if left := s.Rebalance(); left != 5*time.Millisecond || s.Stats().Moved == 0 {
		t.Errorf("it looks again in %v, and has moved %d", left, s.Stats().Moved)
	}
}

func TestRebalancingIsOff(t *testing.T) {
	for _, cfg := range []workers.Config{{Workers: 1}, {Workers: 2, RebalanceMax: -1}} {
		s, clock := busy(cfg)
		load(s, 4)
		clock.Advance(time.Second)
		s.Rebalance()
		if st := s.Stats(); st.Moved != 0 || st.RebalanceInterval != 0 {
			t.Errorf("%+v: moved %d, interval %v", cfg, st.Moved, st.RebalanceInterval)
		}
	}
}

// TestBusyWorkersAreRelieved does it for real: no worker has time to steal, and
// one is held for good.
func TestBusyWorkersAreRelieved(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1})
	var over atomic.Bool
	yielding := start(t, ctx, s, func(ctx context.Context) error {
		for !over.Load() {
			workers.Current(ctx).Yield(workers.Normal) // So its worker never searches.
		}
		return nil
	}, workers.WithWorker(1))
	children, gate := make(chan []*workers.Job), make(chan struct{})
	held := start(t, ctx, s, func(ctx context.Context) error {
		var jobs []*workers.Job
		for range workers.LocalCapacity {
			j, err := s.Go(ctx, func(context.Context) error { return nil })
			if err != nil {
				return err
			}
			jobs = append(jobs, j)
		}
		children <- jobs
		<-gate
		return nil
	}, workers.WithWorker(0))
	jobs := receive(t, ctx, "the children", children)
	for _, j := range jobs[:len(jobs)/2] {
		finish(t, ctx, j) // On worker 1, which did not steal it.
	}
	if st := s.Stats(); st.Moved == 0 || st.Rebalances == 0 {
		t.Errorf("%d rebalances have moved %d pieces", st.Rebalances, st.Moved)
	}
	over.Store(true)
	close(gate)
	finish(t, ctx, held, yielding)
	finish(t, ctx, jobs...)
}

func TestBadRebalancingIsRefused(t *testing.T) {
	for want, cfg := range map[string]workers.Config{
		"ImbalanceThreshold is -0.5": {ImbalanceThreshold: -0.5},
		"ImbalanceThreshold is NaN":  {ImbalanceThreshold: math.NaN()},
		"ImbalanceThreshold is +Inf": {ImbalanceThreshold: math.Inf(1)},
		"RebalanceMin is -1s":        {RebalanceMin: -time.Second},
		"RebalanceMax is -1s":        {RebalanceMax: -time.Second},
		"less than":                  {RebalanceMin: time.Second, RebalanceMax: time.Millisecond},
	} {
		if _, err := workers.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
