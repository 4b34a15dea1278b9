//go:build unix

package strands

import (
	"math"
	"syscall"
)

// descriptors returns how many descriptors a process may have. The Go runtime has
// raised the soft limit to the hard one.
func descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 2 * spare
	}
	return int(min(limit.Cur, math.MaxInt32))
}
