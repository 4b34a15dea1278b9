//go:build portable || (!amd64 && !arm64)

package prefetch

// Enabled says whether hints do anything.
const Enabled = false

// Lines does nothing.
func Lines(uintptr, int) {}
