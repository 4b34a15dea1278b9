package xatomic

import (
	"sync/atomic"
	"unsafe"
)

// Glance is a pointer that one goroutine at a time writes, very often, and that
// others look at now and then. A store costs what a plain store does; the store
// of an atomic.Pointer is an exchange on amd64. In return it orders nothing: a
// reader sees some value that was stored, soon after, and may rely on what the
// pointer leads to only if that has come to the writer by a stronger operation,
// such as an operation of a queue.
//
// Builds for the race detector, and it alone could tell the difference, store
// atomically.
type Glance[T any] struct{ p *T }

// Load returns a value that was stored lately. Any goroutine may call it.
func (g *Glance[T]) Load() *T {
	return (*T)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&g.p))))
}

// Count is a number of the same kind. It may wrap around where uintptr has 32
// bits, so it is there to be compared for equality.
type Count struct{ n uintptr }

// Load returns a value that was stored lately. Any goroutine may call it.
func (c *Count) Load() uintptr { return atomic.LoadUintptr(&c.n) }

// Count32 is a Count of four bytes, for where there are many.
type Count32 struct{ n uint32 }

// Load returns a value that was stored lately. Any goroutine may call it.
func (c *Count32) Load() uint32 { return atomic.LoadUint32(&c.n) }
