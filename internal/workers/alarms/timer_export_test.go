//go:build linux

package alarms

import (
	"time"

	"golang.org/x/sys/unix"
)

// SystemLeft returns how much time the system's timer of the first heap has left: 0 if it was not set, and 1 ns if its time
// has come since.
func (a *Alarms) SystemLeft() time.Duration {
	h := &a.heaps[0]
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.system.file == nil {
		return 0
	}
	var spec unix.ItimerSpec
	if err := unix.TimerfdGettime(h.system.fd, &spec); err != nil {
		panic(err)
	}
	if _, err := unix.Read(h.system.fd, make([]byte, 8)); err == nil {
		return 1
	}
	return time.Duration(spec.Value.Nano())
}
