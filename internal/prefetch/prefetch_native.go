//go:build (amd64 || arm64) && !portable

package prefetch

// Enabled says whether hints do anything.
const Enabled = true

// Lines hints at n lines from the one in which address at lies, n being at least 1. It
// costs 2 ns, and half of one for each line. It is implemented in assembly.
func Lines(at uintptr, n int)
