//go:build linux

package sched

import (
	"time"

	"golang.org/x/sys/unix"
)

// PromptLeft returns what is left of the system's timer for the alarms among which f's is:
// 0 if it was not set, and 1 ns if its time has come since.
func PromptLeft(f *Fiber) time.Duration {
	a := f.alarmsOf(f.alarm.Load())
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.prompt.file == nil {
		return 0
	}
	var spec unix.ItimerSpec
	if err := unix.TimerfdGettime(a.prompt.fd, &spec); err != nil {
		panic(err)
	}
	if _, err := unix.Read(a.prompt.fd, make([]byte, 8)); err == nil {
		return 1
	}
	return time.Duration(spec.Value.Nano())
}
