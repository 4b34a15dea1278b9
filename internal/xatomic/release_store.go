//go:build !amd64 || race || modelcheck || yielding

package xatomic

import "sync/atomic"

// Release is x.Store(v), which on arm64 is a release, too.
func Release(x *Uint32, v uint32) { x.Store(v) }

// ReleaseInt32 is Release for a number that no model explores.
func ReleaseInt32(x *atomic.Int32, v int32) { x.Store(v) }
