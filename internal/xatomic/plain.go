//go:build !modelcheck

package xatomic

import (
	"sync"
	"sync/atomic"
)

// Checked is true in builds with the tag modelcheck.
const Checked = false

// The types of sync and sync/atomic.
type (
	Bool           = atomic.Bool
	Int32          = atomic.Int32
	Int64          = atomic.Int64
	Uint32         = atomic.Uint32
	Uint64         = atomic.Uint64
	Uintptr        = atomic.Uintptr
	Pointer[T any] = atomic.Pointer[T]
	Mutex          = sync.Mutex
)
