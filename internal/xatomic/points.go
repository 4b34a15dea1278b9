//go:build modelcheck || yielding

package xatomic

import "sync/atomic"

// The methods here call read or write before each operation, so that another thread
// may go first. The files checked.go and yielding.go decide which thread, and how
// often.

// number is an atomic integer.
type number[T any] interface {
	Load() T
	Store(T)
	Swap(T) T
	Add(T) T
	And(T) T
	Or(T) T
	CompareAndSwap(before, after T) bool
}

// integer is an atomic integer of type T, on top of the one of sync/atomic.
type integer[T any, N any, P interface {
	*N
	number[T]
}] struct{ n N }

func (x *integer[T, N, P]) Load() T       { read(x); return P(&x.n).Load() }
func (x *integer[T, N, P]) Store(v T)     { write(x); P(&x.n).Store(v) }
func (x *integer[T, N, P]) Swap(v T) T    { write(x); return P(&x.n).Swap(v) }
func (x *integer[T, N, P]) Add(delta T) T { write(x); return P(&x.n).Add(delta) }
func (x *integer[T, N, P]) And(mask T) T  { write(x); return P(&x.n).And(mask) }
func (x *integer[T, N, P]) Or(mask T) T   { write(x); return P(&x.n).Or(mask) }
func (x *integer[T, N, P]) CompareAndSwap(before, after T) bool {
	write(x)
	return P(&x.n).CompareAndSwap(before, after)
}

type (
	// Int32 is atomic.Int32 with points.
	Int32 = integer[int32, atomic.Int32, *atomic.Int32]
	// Int64 is atomic.Int64 with points.
	Int64 = integer[int64, atomic.Int64, *atomic.Int64]
	// Uint32 is atomic.Uint32 with points.
	Uint32 = integer[uint32, atomic.Uint32, *atomic.Uint32]
	// Uint64 is atomic.Uint64 with points.
	Uint64 = integer[uint64, atomic.Uint64, *atomic.Uint64]
	// Uintptr is atomic.Uintptr with points.
	Uintptr = integer[uintptr, atomic.Uintptr, *atomic.Uintptr]
	// Step is a Count with points.
	Step = Uintptr
)

// Bool is atomic.Bool with points.
type Bool struct{ b atomic.Bool }

// Load does the same as in atomic.Bool.
func (x *Bool) Load() bool { read(x); return x.b.Load() }

// Store does the same as in atomic.Bool.
func (x *Bool) Store(v bool) { write(x); x.b.Store(v) }

// Swap does the same as in atomic.Bool.
func (x *Bool) Swap(v bool) bool { write(x); return x.b.Swap(v) }

// CompareAndSwap does the same as in atomic.Bool.
func (x *Bool) CompareAndSwap(before, after bool) bool {
	write(x)
	return x.b.CompareAndSwap(before, after)
}

// Pointer is atomic.Pointer with points.
type Pointer[T any] struct{ p atomic.Pointer[T] }

// Load does the same as in atomic.Pointer.
func (x *Pointer[T]) Load() *T { read(x); return x.p.Load() }

// Store does the same as in atomic.Pointer.
func (x *Pointer[T]) Store(v *T) { write(x); x.p.Store(v) }

// Swap does the same as in atomic.Pointer.
func (x *Pointer[T]) Swap(v *T) *T { write(x); return x.p.Swap(v) }

// CompareAndSwap does the same as in atomic.Pointer.
func (x *Pointer[T]) CompareAndSwap(before, after *T) bool {
	write(x)
	return x.p.CompareAndSwap(before, after)
}
