//go:build !modelcheck

package xatomic

import "syscall"

// rest gives the processor back to the system for d nanoseconds, which the Go
// runtime, as long as nobody needs the place, does not notice. A time.Sleep would
// be seen by a fake clock.
func rest(d int64) {
	t := syscall.NsecToTimespec(d)
	_ = syscall.Nanosleep(&t, nil) // It may be too short.
}
