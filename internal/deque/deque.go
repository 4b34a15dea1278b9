// Package deque is the run queue of a worker: one owner puts work in and
// takes it out, any number of thieves take the oldest.
//
// # Protocol
//
// The algorithm is the deque of Chase and Lev (Dynamic Circular Work-Stealing
// Deque, SPAA 2005) on a ring of fixed size, in the sequentially consistent
// form that Lê, Pop, Cohen and Zappa Nardelli start from (Correct and
// Efficient Work-Stealing for Weak Memory Models, PPoPP 2013). Go's atomics are
// sequentially consistent, so the fences which that paper is about come with
// them.
//
// Elements live at positions top <= i < bottom, in slot i modulo the size.
// Only the owner moves bottom. A goroutine that moves top from i to
// i+1 by compare-and-swap owns element i. Top never falls, so a thief that is
// overtaken fails its swap and does not use what it read. The order of
// bottom and top is enough for the slots, and the owner writes them plainly:
// as an exchange it took 7% of a message between two actors.
//
// The owner may take from either end: Pop the newest, for work that it forked
// itself and that is warm in its cache, or Take the oldest, for work that has
// to be fair.
//
// # Tried and rejected
//
// A ring with a head that is advanced by n elements in one swap (as tokio and
// the Go runtime have it) steals batches faster, but its owner can't pop the
// newest without a swap too, and there would be two structures to check.
// Clearing a slot from the thief's side is a race with the owner's next round;
// so the owner clears: in Pop, and in Sweep for what left at the old end.
package deque

import (
	// Without this import, the compiler does not inline the methods of the types in xatomic, but calls them.
	_ "sync/atomic"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// cacheLine keeps what thieves write off the line which the owner writes.
// 64 bytes on amd64 and most arm64; the neighbour line that is prefetched with
// it is not worth 128 bytes more in every deque.
const cacheLine = 64

// Deque is a bounded work-stealing deque. New makes one.
type Deque[T any] struct {
	// top is the position of the oldest element. Thieves and owner advance it
	// by compare-and-swap.
	top xatomic.Int64
	_   [cacheLine - 8]byte
	// bottom is the position after the newest element. Written by the owner,
	// read by thieves after top.
	bottom xatomic.Int64
	swept  int64 // The owner's: slots before this position hold nothing.
	mask   int64
	// ring is written by the owner, and read by thieves after bottom. A thief
	// that reads during a write fails its swap, and does not use what it read.
	ring []xatomic.Slot[T]
}

// New returns a deque for up to capacity elements, which is rounded up to a
// power of two.
func New[T any](capacity int) *Deque[T] {
	size := 1
	for size < capacity {
		size *= 2
	}
	return &Deque[T]{mask: int64(size - 1), ring: make([]xatomic.Slot[T], size)}
}

// Len returns the number of elements, at some moment during the call.
func (d *Deque[T]) Len() int {
	// Top first: the other way round, a thief in between could make the
	// result negative.
	t := d.top.Load()
	return max(0, int(d.bottom.Load()-t))
}

// Taken returns how many elements have left at the old end since the
// beginning. It never falls.
func (d *Deque[T]) Taken() int64 { return d.top.Load() }

// End is the position after the newest element. Taken is the position of the oldest.
// It falls when the owner pops.
func (d *Deque[T]) End() int64 { return d.bottom.Load() }

// At returns the element in place i, counted from the oldest, or nil, without taking
// it. Only the owner may call it. Somebody else may have taken the element by then.
func (d *Deque[T]) At(i int) *T {
	at := d.top.Load() + int64(i)
	if at >= d.bottom.Load() {
		return nil
	}
	return d.ring[at&d.mask].Load()
}

// First returns the oldest element and its position, or nil, without taking it. Only
// the owner may call it. Somebody else may take the element before TakeFirst does.
func (d *Deque[T]) First() (x *T, at int64) {
	at = d.top.Load()
	if at >= d.bottom.Load() {
		return nil, at
	}
	return d.ring[at&d.mask].Load(), at
}

// TakeFirst takes the element that First has returned with at. It returns false if
// somebody else was faster.
func (d *Deque[T]) TakeFirst(at int64) bool { return d.top.CompareAndSwap(at, at+1) }

// Push puts x at the new end. It returns false when the deque is full.
// Only the owner may call it.
func (d *Deque[T]) Push(x *T) bool {
	b := d.bottom.Load()
	if b-d.top.Load() >= int64(len(d.ring)) {
		return false
	}
	d.ring[b&d.mask].Store(x)
	d.bottom.Store(b + 1)
	return true
}

// Pop takes the newest element, or returns nil. Only the owner may call it.
func (d *Deque[T]) Pop() *T {
	b := d.bottom.Load() - 1
	if b < d.top.Load() {
		return nil
	}
	// From here on thieves see the last element as gone, unless they have
	// already read bottom: those meet the owner at top.
	d.bottom.Store(b)
	t := d.top.Load()
	if t > b {
		d.bottom.Store(b + 1)
		return nil
	}
	slot := &d.ring[b&d.mask]
	x := slot.Load()
	if t == b {
		if !d.top.CompareAndSwap(t, t+1) {
			x = nil
		}
		d.bottom.Store(b + 1)
	}
	if x != nil {
		slot.Store(nil)
	}
	return x
}

// Take takes the oldest element, or returns nil. It is a Steal that does not
// give up, for the owner, or for a goroutine that empties the deque. Any
// goroutine may call it.
func (d *Deque[T]) Take() *T {
	for {
		x, contended := d.Steal()
		if !contended {
			return x
		}
	}
}

// Steal takes the oldest element. A nil element means that the deque was
// empty, or, when contended is true, that someone else was faster.
// Any goroutine may call it.
func (d *Deque[T]) Steal() (x *T, contended bool) {
	t := d.top.Load()
	if t >= d.bottom.Load() {
		return nil, false
	}
	x = d.ring[t&d.mask].Load()
	if !d.top.CompareAndSwap(t, t+1) {
		return nil, true
	}
	return x, false
}

// Sweep lets go of elements that were taken at the old end and still lie in
// the ring. Only the owner may call it. It costs one store for each position
// used since the last call, at most the deque's size.
func (d *Deque[T]) Sweep() {
	t, b := d.top.Load(), d.bottom.Load()
	from := max(d.swept, b-int64(len(d.ring)))
	for i := from; i < t; i++ {
		d.ring[i&d.mask].Store(nil)
	}
	d.swept = t
}
