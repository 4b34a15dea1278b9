package workers_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// sleeper is a worker that sleeps while another is at work, by a clock that the
// test advances.
type sleeper struct {
	*workers.Scheduler
	clock workers.Clock
	w     *workers.Worker
}

func newSleeper() *sleeper {
	s := &sleeper{Scheduler: workers.NewStill(workers.Config{Workers: 2})}
	s.SetClock(&s.clock)
	s.w = s.Worker(0)
	s.w.FallAsleep()
	s.Retry() // The monitor takes note of it.
	return s
}

// untilWoken has the monitor look four times in each ms, and returns when the
// worker was woken, or 0 if it was not within limit.
func (s *sleeper) untilWoken(limit time.Duration, found bool) time.Duration {
	const step = time.Millisecond / 4
	for passed := step; passed <= limit; passed += step {
		s.clock.Advance(step)
		s.Retry()
		if s.w.WakeUp(found) {
			return passed
		}
	}
	return 0
}

func (s *sleeper) steal() workers.StealStats { return s.Stats().Workers[0].Steal }

// TestBackoffDoubles wakes a worker that never finds what it is woken for.
func TestBackoffDoubles(t *testing.T) {
	s := newSleeper()
	s.Worker(1).Push(names{}.node("lone"), workers.Normal)
	var got []time.Duration
	for range 13 {
		got = append(got, s.untilWoken(2*time.Second, false)/time.Millisecond)
		s.w.FallAsleep()
		s.Retry()
	}
	want := []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000, 1000}
	if !slices.Equal(got, want) {
		t.Errorf("rounds came after %d ms, want %d", got, want)
	}
	if got := s.steal(); got.Retries != 13 || got.Backoff != time.Second {
		t.Errorf("%d rounds, the next one after %v", got.Retries, got.Backoff)
	}
	s.untilWoken(2*time.Second, true) // This time there is something.
	s.w.FallAsleep()
	s.Retry()
	if got := s.untilWoken(2*time.Second, false); got != time.Millisecond {
		t.Errorf("after a success the next round comes after %v", got)
	}
}

// TestBackoffLooksBeforeItWakes has nothing queued, so that the worker would be
// woken in vain; then there is something.
func TestBackoffLooksBeforeItWakes(t *testing.T) {
	s := newSleeper()
	if at := s.untilWoken(100*time.Millisecond, false); at != 0 {
		t.Fatalf("woken for nothing after %v", at)
	}
	// 1, 3, 7, 15, 31 and 63 ms.
	if got := s.steal(); got.Retries != 6 || got.Backoff != 64*time.Millisecond {
		t.Errorf("%d rounds within 100 ms, the next one after %v", got.Retries, got.Backoff)
	}
	s.Worker(1).Push(names{}.node("lone"), workers.Normal)
	if at := s.untilWoken(time.Second, false); at != 27*time.Millisecond {
		t.Errorf("woken after %v, want the rest of 127 ms", at)
	}
}

// TestBackoffDelaysNoSubmission submits during the longest wait.
func TestBackoffDelaysNoSubmission(t *testing.T) {
	s := newSleeper()
	s.untilWoken(5*time.Second, false)
	names{}.outside(t, s.Scheduler, workers.Normal, "new")
	if !s.w.WakeUp(true) {
		t.Error("a submission did not wake the worker at once")
	}
}

// TestBackoffYieldsToASearch has another worker searching already.
func TestBackoffYieldsToASearch(t *testing.T) {
	s := newSleeper()
	s.Worker(1).Push(names{}.node("lone"), workers.Normal)
	s.Worker(1).StartSearch()
	if at := s.untilWoken(10*time.Millisecond, false); at != 0 {
		t.Errorf("woken beside a search after %v", at)
	}
	s.Worker(1).Found()
	if got := s.untilWoken(10*time.Millisecond, false); got != time.Millisecond/4 {
		t.Errorf("once nobody searches, the round that is due comes after %v", got)
	}
}

// TestBackoffRestsWithTheOthers has no one at work from whom to steal.
func TestBackoffRestsWithTheOthers(t *testing.T) {
	s := newSleeper()
	s.Worker(1).FallAsleep()
	s.untilWoken(time.Second, false)
	if got := s.steal().Retries; got != 0 {
		t.Errorf("%d rounds while all sleep", got)
	}
}

// TestMonitorMakesTheRounds runs the monitor beside a worker that is busy.
func TestMonitorMakesTheRounds(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	quit := make(chan struct{})
	j := start(t, ctx, s, func(ctx context.Context) error {
		for {
			select {
			case <-quit:
				return nil
			default:
				workers.Current(ctx).Checkpoint()
			}
		}
	})
	eventually(t, ctx, "two rounds for the worker that sleeps", func() bool {
		return (*sched.Scheduler)(s).Stats().Total().Steal.Retries >= 2
	})
	close(quit)
	finish(t, ctx, j)
}
