//go:build !amd64 || race || modelcheck

package xatomic

// Release is x.Store(v), which on arm64 is a release, too.
func Release(x *Uint32, v uint32) { x.Store(v) }
