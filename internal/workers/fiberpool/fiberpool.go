// Package fiberpool keeps fibers without work, for workers to use again.
package fiberpool

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// own is how many fibers a worker keeps for itself: 3 KB each. More are shared.
	own = 64
	// batch is how many fibers a worker shares or takes at a time.
	batch = 32
	// reviewEvery is for how long shared fibers lie unused until they are ended: a few cycles of work that comes in
	// waves. Picked out of thin air.
	reviewEvery = 250 * time.Millisecond
	// endsPerReview is how many fibers one look of the monitor ends: 0.3 ms.
	endsPerReview = 256
)

// Shared has fibers of type T beyond those that each worker keeps for itself. Where tasks begin to wait by the thousand
// and end by the thousand, over and over, it takes longer than all else to make the fibers and their stacks each time.
// The monitor ends a fiber that has lain here unused for a while, a few at each of its looks, and does not sleep while
// there are any.
type Shared[T any] struct {
	end  func(*T)
	size atomic.Int64 // How many there are. Written under mu.

	mu     sync.Mutex
	fibers []*T // The last one was used last.
	// least is how many there were at least since reviewed; they were not needed.
	least    int
	reviewed time.Duration
	excess   int // How many are to be ended.
	closed   bool
}

// Init says how a fiber without work is ended.
func (s *Shared[T]) Init(end func(*T)) { s.end = end }

// Len returns how many fibers there are.
func (s *Shared[T]) Len() int { return int(s.size.Load()) }

// put takes fibers, and reports whether it has: it takes none when the workers leave.
func (s *Shared[T]) put(fibers []*T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.fibers = append(s.fibers, fibers...)
	s.size.Store(int64(len(s.fibers)))
	return true
}

// take adds up to n fibers to pool, the ones that were used last.
func (s *Shared[T]) take(pool []*T, n int) []*T {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := max(0, len(s.fibers)-n)
	pool = append(pool, s.fibers[left:]...)
	s.cut(left)
	return pool
}

// cut leaves the first n fibers. The caller holds mu.
func (s *Shared[T]) cut(n int) {
	clear(s.fibers[n:])
	s.fibers = s.fibers[:n]
	s.least = min(s.least, n)
	s.excess = min(s.excess, n)
	s.size.Store(int64(n))
}

// Review ends some of the fibers that were not needed of late. The monitor calls it.
func (s *Shared[T]) Review(now time.Duration) {
	if s.size.Load() == 0 {
		return
	}
	for _, f := range s.unneeded(now) {
		s.end(f)
	}
}

// unneeded takes out fibers that are to be ended, the ones that were used longest ago.
func (s *Shared[T]) unneeded(now time.Duration) (unneeded []*T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now-s.reviewed >= reviewEvery {
		s.excess, s.least, s.reviewed = s.least, len(s.fibers), now
	}
	n := min(s.excess, endsPerReview)
	if n == 0 {
		return nil
	}
	unneeded = append(unneeded, s.fibers[:n]...)
	left := copy(s.fibers, s.fibers[n:])
	s.excess -= n
	s.cut(left)
	if left == 0 {
		s.fibers = nil
	}
	return unneeded
}

// Close ends the fibers. From now on workers end the fibers that they do not keep.
func (s *Shared[T]) Close() {
	s.mu.Lock()
	fibers := s.fibers
	s.fibers, s.closed = nil, true
	s.size.Store(0)
	s.mu.Unlock()
	for _, f := range fibers {
		s.end(f)
	}
}

// Own has the fibers without work of one worker, and counts the fibers that this worker has made. Only the worker uses it.
type Own[T any] struct {
	shared *Shared[T]
	bound  bool
	fibers []*T // Parked in their loop; the last one was used last.
	made   int
}

// Init ties the worker to the shared fibers. The fibers of a bound worker stay with it, since no other thread may resume
// them.
func (o *Own[T]) Init(shared *Shared[T], bound bool) { o.shared, o.bound = shared, bound }

// Take returns a fiber, or nil: then the worker makes one, and Take has counted it.
func (o *Own[T]) Take() *T {
	if len(o.fibers) == 0 && o.shared.Len() > 0 {
		o.fibers = o.shared.take(o.fibers, batch)
	}
	last := len(o.fibers) - 1
	if last < 0 {
		o.made++
		return nil
	}
	f := o.fibers[last]
	o.fibers[last] = nil
	o.fibers = o.fibers[:last]
	return f
}

// Put keeps a fiber.
func (o *Own[T]) Put(f *T) {
	if len(o.fibers) == own {
		o.makeRoom()
	}
	o.fibers = append(o.fibers, f)
}

// makeRoom shares the fibers that were used longest ago, or ends them.
func (o *Own[T]) makeRoom() {
	if o.bound || !o.shared.put(o.fibers[:batch]) {
		for _, f := range o.fibers[:batch] {
			o.end(f)
		}
	}
	left := copy(o.fibers, o.fibers[batch:])
	clear(o.fibers[left:])
	o.fibers = o.fibers[:left]
}

// Ended counts n fibers that have ended by themselves.
func (o *Own[T]) Ended(n int) { o.made -= n }

// Away returns how many fibers are suspended or queued, if so many run. It is known of a bound worker only.
func (o *Own[T]) Away(running int) int { return o.made - len(o.fibers) - running }

// End ends all fibers that the worker keeps.
func (o *Own[T]) End() {
	for _, f := range o.fibers {
		o.end(f)
	}
	o.fibers = nil
}

func (o *Own[T]) end(f *T) {
	o.made--
	o.shared.end(f)
}
