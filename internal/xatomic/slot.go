//go:build !modelcheck

package xatomic

// Slot is a pointer that one goroutine at a time writes, and that others read
// once a stronger operation has told them to, such as the store that makes a
// queue longer. It costs and promises what a Glance does; in a model its
// operations are explored like a Pointer's.
type Slot[T any] = Glance[T]
