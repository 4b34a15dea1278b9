//go:build !unix

package strands

import "math"

// descriptors returns how many descriptors a process may have: here there is no limit.
func descriptors() int { return math.MaxInt32 }
