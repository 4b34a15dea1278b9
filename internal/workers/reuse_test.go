package workers_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// wave has n jobs wait at the same time.
func wave(t *testing.T, s *workers.Scheduler, n int) {
	var jobs []*workers.Job
	for range n {
		jobs = append(jobs, start(t, t.Context(), s, func(ctx context.Context) error { return sleep(ctx, time.Millisecond) }))
	}
	for _, j := range jobs {
		if err := j.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFibersAreUsedAgain has jobs come in waves. The jobs of one wave leave their fibers to
// the next, and fibers that are left after the last wave go.
func TestFibersAreUsedAgain(t *testing.T) { bubble(t, usedAgain) }

func usedAgain(t *testing.T, s *workers.Scheduler) {
	const n, kept = 2000, 2 * (64 + 1) // As many as two workers keep for themselves.
	most := 0
	for range 5 {
		wave(t, s, n)
		most = max(most, s.Fibers())
	}
	if most > n+n/2 {
		t.Errorf("%d fibers were made for waves of %d jobs: they are not used again", most, n)
	}
	if most < n {
		t.Errorf("%d fibers are there after waves of %d jobs: they are not kept", most, n)
	}
	time.Sleep(time.Minute) //nolint:forbidigo // The time of a bubble.
	synctest.Wait()
	if left := s.Fibers(); left > kept {
		t.Errorf("%d fibers are left a minute later, want at most %d", left, kept)
	}
	wave(t, s, n)
}

// TestFibersEndWithTheScheduler stops a scheduler that has many idle fibers.
func TestFibersEndWithTheScheduler(t *testing.T) {
	var stopped *workers.Scheduler
	bubble(t, func(t *testing.T, s *workers.Scheduler) {
		stopped = s
		wave(t, s, 1000)
	})
	if left := stopped.Fibers(); left != 0 {
		t.Errorf("%d fibers are left after the stop", left)
	}
}

// TestFibersOfPinnedWorkersStay has workers that are bound to threads make many
// fibers, which no other thread may resume or end.
func TestFibersOfPinnedWorkersStay(t *testing.T) {
	s, err := workers.New(workers.Config{Workers: 2, PinWorkers: true, JobTimeout: -1})
	if err != nil {
		t.Skip(err)
	}
	for range 3 {
		wave(t, s, 500)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
