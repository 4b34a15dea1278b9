//go:build unix

// Package cputime tells what processor time the process has used.
package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Process returns the processor time that all threads of the process have used so far, in user code and in the system.
// Known is false where the system does not tell.
func Process() (used time.Duration, known bool) {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
