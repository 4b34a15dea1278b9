//go:build race

package xatomic

import (
	"sync/atomic"
	"unsafe"
)

// Store makes p visible. Only one goroutine at a time may call it.
func (g *Glance[T]) Store(p *T) {
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&g.p)), unsafe.Pointer(p))
}

// Store makes n visible. Only one goroutine at a time may call it.
func (c *Count) Store(n uintptr) { atomic.StoreUintptr(&c.n, n) }

// Store makes n visible. Only one goroutine at a time may call it.
func (c *Count32) Store(n uint32) { atomic.StoreUint32(&c.n, n) }
