//go:build !race

package xatomic

// Store makes p visible. Only one goroutine at a time may call it.
func (g *Glance[T]) Store(p *T) { g.p = p }

// Store makes n visible. Only one goroutine at a time may call it.
func (c *Count) Store(n uintptr) { c.n = n }

// Store makes n visible. Only one goroutine at a time may call it.
func (c *Count32) Store(n uint32) { c.n = n }
