//go:build modelcheck

package xatomic

import (
	"unsafe"

	"github.com/troupe-go/troupe/internal/modelcheck"
)

// Checked is true in builds with the tag modelcheck.
const Checked = true

func read[T any](at *T)  { modelcheck.Point(modelcheck.Read, unsafe.Pointer(at), nil) }
func write[T any](at *T) { modelcheck.Point(modelcheck.Write, unsafe.Pointer(at), nil) }

// Await is Load, but waits until the value is as wanted.
func (x *integer[T, N, P]) Await(wanted func(T) bool) T {
	modelcheck.Point(modelcheck.Read, unsafe.Pointer(x), func() bool { return wanted(P(&x.n).Load()) })
	return P(&x.n).Load()
}

// Await is Load, but waits until the value is as wanted.
func (x *Bool) Await(wanted func(bool) bool) bool {
	modelcheck.Point(modelcheck.Read, unsafe.Pointer(x), func() bool { return wanted(x.b.Load()) })
	return x.b.Load()
}

// Slot is a Pointer.
type Slot[T any] = Pointer[T]

// Mutex is sync.Mutex with points: a thread that locks it can go on when nobody
// has it.
type Mutex struct{ locked bool }

// Lock does the same as in sync.Mutex.
func (m *Mutex) Lock() {
	modelcheck.Point(modelcheck.Write, unsafe.Pointer(m), func() bool { return !m.locked })
	m.locked = true
}

// Unlock does the same as in sync.Mutex.
func (m *Mutex) Unlock() {
	write(m)
	m.locked = false
}

// Once is sync.Once with points.
type Once struct {
	mu   Mutex
	done bool
}

// Do does the same as in sync.Once.
func (o *Once) Do(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done {
		defer func() { o.done = true }()
		f()
	}
}

// Pool is sync.Pool without chance: it gives back what was put last, which is
// what a late use of it meets soonest.
type Pool struct {
	New  func() any
	kept []any
}

// Get does the same as in sync.Pool.
func (p *Pool) Get() any {
	last := len(p.kept) - 1
	if last < 0 {
		return p.New()
	}
	x := p.kept[last]
	p.kept = p.kept[:last]
	return x
}

// Put does the same as in sync.Pool.
func (p *Pool) Put(x any) { p.kept = append(p.kept, x) }

// Spin waits until x is something else than v.
func Spin(x *Uint64, v uint64) { x.Await(func(now uint64) bool { return now != v }) }

// SpinWhile waits until none of the bits is set in x, and returns its value.
func SpinWhile(x *Uint32, bits uint32) uint32 {
	return x.Await(func(now uint32) bool { return now&bits == 0 })
}

// Signal wakes one waiter. It holds one token at most. The zero Signal is none.
type Signal struct{ token *bool }

// NewSignal returns a signal without a token.
func NewSignal() Signal { return Signal{new(bool)} }

// Made reports whether the signal comes from NewSignal.
func (s Signal) Made() bool { return s.token != nil }

// Send puts a token in. It waits while there is one.
func (s Signal) Send() {
	modelcheck.Point(modelcheck.Write, unsafe.Pointer(s.token), func() bool { return !*s.token })
	*s.token = true
}

// Offer puts a token in unless there is one.
func (s Signal) Offer() {
	write(s.token)
	*s.token = true
}

// Await waits for the token and takes it. It returns false if done is closed
// first, which a model does after [modelcheck.Outside]. Where both are the case,
// which of them an ordinary build sees is chance; here it is the token.
func (s Signal) Await(done <-chan struct{}) bool {
	modelcheck.Point(modelcheck.Write, unsafe.Pointer(s.token), func() bool { return *s.token || closed(done) })
	had := *s.token
	*s.token = false
	return had
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// AwaitEither is for simulations, which a model has none of.
func (s Signal) AwaitEither(done, _ <-chan struct{}) bool { return s.Await(done) }

// Receive waits for the token and takes it.
func (s Signal) Receive() {
	modelcheck.Point(modelcheck.Write, unsafe.Pointer(s.token), func() bool { return *s.token })
	*s.token = false
}

// TryReceive takes the token if there is one.
func (s Signal) TryReceive() bool {
	write(s.token)
	had := *s.token
	*s.token = false
	return had
}
