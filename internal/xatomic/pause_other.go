//go:build portable || (!amd64 && !arm64)

package xatomic

// Pause does nothing here.
func Pause() {}
