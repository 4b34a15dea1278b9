package alarms_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/internal/workers/alarms"
)

// sleeper notes when it was woken, in nanoseconds since the test began, and how often.
type sleeper struct {
	began    time.Time
	number   alarms.Number
	at, woke atomic.Int64
}

func (s *sleeper) Alarm() *alarms.Number { return &s.number }

func (s *sleeper) Wake() {
	s.at.Store(int64(time.Since(s.began)))
	s.woke.Add(1)
}

const workers = 2

// bubble calls do with sleepers for whom time passes when nothing else happens.
func bubble(t *testing.T, n int, do func(t *testing.T, a *alarms.Alarms, all []*sleeper)) {
	synctest.Test(t, func(t *testing.T) {
		a := alarms.New(workers, time.Now())
		all := make([]*sleeper, n)
		for i := range all {
			all[i] = &sleeper{began: time.Now()}
		}
		do(t, &a, all)
		a.Close()
	})
}

func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // The time of a bubble.
	synctest.Wait()
}

// TestRing sets alarms for times of any order, replaces some, and stops some: each sleeper is woken once, at the time that
// was set last, to the nanosecond, or not at all.
func TestRing(t *testing.T) {
	bubble(t, 700, func(t *testing.T, a *alarms.Alarms, all []*sleeper) {
		random := rand.New(rand.NewPCG(1, 2))
		set := func(i int, s *sleeper) time.Duration {
			d := time.Duration(random.Int64N(int64(time.Second)))
			a.Set(i%(workers+1)-1, s.began.Add(d), s)
			return d
		}
		want := make([]time.Duration, len(all))
		for i, s := range all {
			want[i] = set(i, s)
		}
		for i, s := range all {
			switch i % 3 {
			case 0:
				want[i] = set(i, s)
			case 1:
				a.Stop(&s.number)
				want[i] = -1
			}
		}
		pass(time.Second)
		for i, s := range all {
			woke, at := s.woke.Load(), time.Duration(s.at.Load())
			if stopped := want[i] < 0; stopped && woke != 0 || !stopped && (woke != 1 || at != want[i]) {
				t.Errorf("sleeper %d is woken %d times, at last after %v, want %v", i, woke, at, want[i])
			}
		}
	})
}

// An alarm of the past rings at once.
func TestAlarmInThePast(t *testing.T) {
	bubble(t, 2, func(t *testing.T, a *alarms.Alarms, all []*sleeper) {
		a.Set(0, time.Time{}, all[0])
		a.Set(1, all[1].began.Add(-time.Hour), all[1])
		synctest.Wait()
		if all[0].woke.Load() != 1 || all[1].woke.Load() != 1 {
			t.Error("an alarm of the past does not ring")
		}
	})
}

// Alarms that were stopped do not stay, and keep no timer.
func TestStoppedAlarmsAreForgotten(t *testing.T) {
	const some, many = 10, 3000
	bubble(t, some+many, func(t *testing.T, a *alarms.Alarms, all []*sleeper) {
		for i, s := range all {
			at := time.Minute
			if i < some {
				at = time.Hour
			}
			a.Set(i%workers, s.began.Add(at), s)
		}
		if kept := a.Len(); kept != some+many {
			t.Errorf("%d alarms, want %d", kept, some+many)
		}
		for _, s := range all[some:] {
			a.Stop(&s.number)
		}
		if kept := a.Len(); kept > 2*some {
			t.Errorf("%d alarms are kept for %d that sleep", kept, some)
		}
		for _, s := range all[:some] {
			a.Stop(&s.number)
		}
		if kept, set := a.Len(), a.StopTimers(); kept != 0 || set != 0 {
			t.Errorf("%d alarms and %d timers for nobody", kept, set)
		}
	})
}
