package workers_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

var errGivenUp = errors.New("given up")

// sleep waits until d has passed, or until ctx has ended.
func sleep(ctx context.Context, d time.Duration) error {
	f := workers.Current(ctx)
	var w workers.Waiter
	w.Arm(ctx, nil)
	defer w.Disarm()
	until := time.Now().Add(d)
	f.SetAlarm(until)
	defer f.StopAlarm()
	for time.Now().Before(until) {
		if !w.Wait(ctx) {
			return workers.Cause(ctx)
		}
	}
	return nil
}

// bubble calls do with a scheduler for which time passes when nothing else does.
func bubble(t *testing.T, do func(t *testing.T, s *workers.Scheduler)) {
	synctest.Test(t, func(t *testing.T) {
		s, err := workers.New(workers.Config{Workers: 2, JobTimeout: -1})
		if err != nil {
			t.Fatal(err)
		}
		do(t, s)
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestAlarmsRingAtTheirTime has jobs sleep for times of any order, some of them
// again and again, and cancels a part: each wakes up at its time to the nanosecond,
// or at once.
func TestAlarmsRingAtTheirTime(t *testing.T) { bubble(t, ringAtTheirTime) }

func ringAtTheirTime(t *testing.T, s *workers.Scheduler) {
	const n = 700
	random := rand.New(rand.NewPCG(1, 2))
	began := time.Now()
	jobs := make([]*workers.Job, n)
	ends := make([]time.Duration, n) // When each is to end.
	for i := range jobs {
		var naps []time.Duration
		for range 1 + i%3 {
			naps = append(naps, time.Duration(random.Int64N(int64(time.Second))))
			ends[i] += naps[len(naps)-1]
		}
		jobs[i] = start(t, t.Context(), s, func(ctx context.Context) error {
			for _, nap := range naps {
				if err := sleep(ctx, nap); err != nil {
					return err
				}
			}
			if now := time.Since(began); now != ends[i] {
				t.Errorf("job %d woke up after %v, want %v", i, now, ends[i])
			}
			return nil
		})
	}
	pause := 300 * time.Millisecond
	time.Sleep(pause) //nolint:forbidigo // The time of a bubble.
	cancelled := 0
	for i, j := range jobs {
		if i%5 != 0 && ends[i] > pause && j.Cancel(errGivenUp) {
			ends[i] = pause
			cancelled++
		}
	}
	for i, j := range jobs {
		err := j.Wait(t.Context())
		if (ends[i] == pause) != errors.Is(err, errGivenUp) {
			t.Errorf("job %d, to end after %v: %v", i, ends[i], err)
		}
	}
	if cancelled < n/4 {
		t.Errorf("%d of %d jobs were cancelled while they slept; it was to be more", cancelled, n)
	}
}

// TestAnAlarmIsReplaced sets a second alarm in place of the first.
func TestAnAlarmIsReplaced(t *testing.T) {
	for _, second := range []time.Duration{time.Second, time.Hour} {
		bubble(t, func(t *testing.T, s *workers.Scheduler) {
			began := time.Now()
			var woken atomic.Int64
			j := start(t, t.Context(), s, func(ctx context.Context) error {
				f := workers.Current(ctx)
				f.SetAlarm(began.Add(time.Minute))
				f.SetAlarm(began.Add(second))
				f.Suspend()
				woken.Store(int64(time.Since(began)))
				f.StopAlarm()
				return nil
			})
			if err := j.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := time.Duration(woken.Load()); got != second {
				t.Errorf("woken after %v, want %v", got, second)
			}
		})
	}
}

// TestAnAlarmOfThePastRings sets alarms that have no need to be waited for.
func TestAnAlarmOfThePastRings(t *testing.T) {
	bubble(t, func(t *testing.T, s *workers.Scheduler) {
		began := time.Now()
		for _, at := range []time.Time{{}, began.Add(-time.Hour), began} {
			j := start(t, t.Context(), s, func(ctx context.Context) error {
				f := workers.Current(ctx)
				f.SetAlarm(at)
				f.Suspend()
				return nil
			})
			if err := j.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if passed := time.Since(began); passed != 0 {
			t.Errorf("that took %v", passed)
		}
	})
}

// TestAlarmsOnAHost lets work ring that is on no worker.
func TestAlarmsOnAHost(t *testing.T) {
	bubble(t, func(t *testing.T, s *workers.Scheduler) {
		began := time.Now()
		h := s.NewHost()
		h.Enter()
		defer h.Leave()
		var n workers.Node
		n.Init(runner(func(f *workers.Fiber) {
			f.SetAlarm(began.Add(time.Minute))
			f.Suspend()
		}))
		h.Run(&n, workers.Normal)
		if passed := time.Since(began); passed != time.Minute {
			t.Errorf("woken after %v, want a minute", passed)
		}
	})
}

type runner func(*workers.Fiber)

func (r runner) Run(f *workers.Fiber, _ workers.Priority) { r(f) }

// BenchmarkAlarm sets and stops an alarm, while others are set.
func BenchmarkAlarm(b *testing.B) {
	b.ReportAllocs()
	s := newScheduler(b, workers.Config{})
	ctx := context.Background()
	var others []*workers.Job
	for range 1000 {
		others = append(others, start(b, ctx, s, func(ctx context.Context) error { return sleep(ctx, time.Hour) }))
	}
	j := start(b, ctx, s, func(ctx context.Context) error {
		f := workers.Current(ctx)
		for b.Loop() {
			f.SetAlarm(time.Now().Add(time.Minute))
			f.StopAlarm()
		}
		return nil
	}, workers.WithTimeout(0))
	if err := j.Wait(ctx); err != nil {
		b.Fatal(err)
	}
	for _, j := range others {
		j.Cancel(nil)
	}
}
