//go:build !modelcheck && !yielding

package xatomic

import (
	"sync"
	"sync/atomic"
)

type (
	// Bool is atomic.Bool.
	Bool = atomic.Bool
	// Int64 is atomic.Int64.
	Int64 = atomic.Int64
	// Uint32 is atomic.Uint32.
	Uint32 = atomic.Uint32
	// Uint64 is atomic.Uint64.
	Uint64 = atomic.Uint64
	// Int32 is atomic.Int32.
	Int32 = atomic.Int32
	// Uintptr is atomic.Uintptr.
	Uintptr = atomic.Uintptr
	// Step is a Count, by which one side tells another how far it has come.
	Step = Count
	// Pointer is atomic.Pointer.
	Pointer[T any] = atomic.Pointer[T]
	// Mutex is sync.Mutex.
	Mutex = sync.Mutex
)

// pass is where another goroutine may go first, in other builds.
func pass() {}
