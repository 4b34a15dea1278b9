package alarms_test

import (
	"os"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers/alarms"
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

// The system's timer is set for the earliest alarm, not for one that is far away, and closed at the end.
func TestSystemTimer(t *testing.T) {
	before := timerFiles(t)
	a := alarms.New(1, time.Now())
	s := &sleeper{began: time.Now()}
	a.Set(0, time.Now().Add(time.Hour), s)
	if left := a.SystemLeft(); left != 0 {
		t.Errorf("an hour before the alarm the timer is set for %v", left)
	}
	const soon = 90 * time.Millisecond
	at := time.Now().Add(soon)
	a.Set(0, at, s)
	if left := a.SystemLeft(); left > soon || left <= 0 && time.Now().Before(at) {
		t.Errorf("%v before the alarm the timer is set for %v", soon, left)
	}
	a.Stop(s.Alarm())
	if n := timerFiles(t); n != before+1 {
		t.Errorf("there are %d timers, want 1", n-before)
	}
	a.Close()
	if n := timerFiles(t); n != before {
		t.Errorf("%d timers are left at the end", n-before)
	}
}
