package sched_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
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

// TestAnAlarmHasTheSystemWakeItsProcess sets alarms, and looks at the timer of the
// system: it is set for the earliest, not for what is far away, and is closed when the
// scheduler has stopped.
func TestAnAlarmHasTheSystemWakeItsProcess(t *testing.T) {
	before := timerFiles(t)
	s, err := sched.New(sched.Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	j := start(t, t.Context(), s, func(ctx context.Context) error {
		f := sched.Current(ctx)
		f.SetAlarm(time.Now().Add(time.Hour))
		if left := sched.PromptLeft(f); left != 0 {
			t.Errorf("an hour before the alarm the timer is set for %v", left)
		}
		const soon = 90 * time.Millisecond
		at := time.Now().Add(soon)
		f.SetAlarm(at)
		if left := sched.PromptLeft(f); left > soon || left <= 0 && time.Now().Before(at) {
			t.Errorf("%v before the alarm the timer is set for %v", soon, left)
		}
		f.StopAlarm()
		return nil
	})
	if err := j.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if n := timerFiles(t); n != before+1 {
		t.Errorf("the scheduler has %d timers, want 1", n-before)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if n := timerFiles(t); n != before {
		t.Errorf("%d timers are left of a scheduler that has stopped", n-before)
	}
}
