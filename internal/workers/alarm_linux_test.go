package workers_test

import (
	"os"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// timerFiles returns how many timers of the system the process has.
func timerFiles(t *testing.T) (n int) {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, f := range files {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && to == "anon_inode:[timerfd]" {
			n++
		}
	}
	return n
}

// A scheduler that has stopped gives the system's timer back.
func TestStopClosesTheTimerOfAlarms(t *testing.T) {
	before := timerFiles(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	submit(t, s, workers.Normal, func(f *workers.Fiber, _ workers.Priority) {
		f.SetAlarm(time.Now().Add(50 * time.Millisecond))
		if n := timerFiles(t); n != before+1 {
			t.Errorf("the scheduler has %d timers, want 1", n-before)
		}
		f.StopAlarm()
	})
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if n := timerFiles(t); n != before {
		t.Errorf("%d timers are left of a scheduler that has stopped", n-before)
	}
}
