//go:build unix

package terminal

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// spent returns the processor time of the process in seconds, and the most memory
// that it has had in MB.
func spent() (cpu, rss float64) {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	unit := 1024.0
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		unit = 1
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, float64(u.Maxrss) * unit / 1e6
}

// switches returns how often threads of the process have stopped running, for waiting or
// for others.
func switches() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return int64(u.Nvcsw) + int64(u.Nivcsw) //nolint:unconvert // They are narrower on some systems.
}
