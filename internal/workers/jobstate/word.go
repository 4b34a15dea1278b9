package jobstate

import (
	_ "sync/atomic" // Without it, the compiler does not inline the methods of the atomics in xatomic, but calls them.
	"time"

	"github.com/troupe-go/troupe/internal/workers/settings"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Word is the state of one job, with what is counted about it, in one atomic word.
//
// # Protocol
//
//	pending --steal--> stolen --arrival--> pending
//	pending, stolen --start--> running
//	pending, stolen --claim of a second entry--> the same, marked --start--> running
//	pending, stolen --cancel--> cancelled
//	running --deadline--> timed out
//	running --return--> completed, failed, timed out or cancelled
//
// The worker that has the job moves it along the first, second and last line. Any goroutine
// may cancel it or time it out at any moment. So each change is a compare-and-swap from a
// state that allows it, and the method says whether it took place. The queue's entry of a
// job that was cancelled is void.
//
// A job that critical work waits for has a second entry: the one that comes first
// begins it, and the other is void as well.
//
// Running is also what waits, or has given way: that is the state of its fiber, and
// not told twice, which would be two such swaps for each wait and each yield.
type Word struct {
	word xatomic.Uint64
}

// Value is what a [Word] held at one moment.
type Value uint64

// The value, from its low end: the state, marks, the priority, counts, and the
// time of the start.
const (
	stateBits = 1<<4 - 1

	MarkCancelled Value = 1 << 4 // It was cancelled after it had begun.
	MarkClaimed   Value = 1 << 4 // Of a job that has not begun: its second entry begins it.
	MarkOverdue   Value = 1 << 5 // It has timed out and its function has not returned.
	MarkCut       Value = 1 << 6 // The context of the job above it has ended.
	MarkLinked    Value = 1 << 7 // The job above it will say when that happens.

	// The bits of the priority in which it differs from Normal.
	priorityShift = 8
	priorityBits  = 3 << priorityShift
	stealOne      = 1 << 10
	stealBits     = (1<<7 - 1) * stealOne // 127 means as many or more.
	preemptOne    = 1 << 17               // Counted by the fiber until the job ends.
	preemptBits   = (1<<9 - 1) * preemptOne

	// startShift leaves 38 bits for the start, in units of 1.05 ms: 9 years of
	// a scheduler's life.
	startShift = 26
	startUnit  = 1 << 20 * time.Nanosecond
	startMax   = 1<<38 - 1
)

// State returns the state of the job.
func (v Value) State() State { return State(v & stateBits) }

// Has reports whether the job has one of the marks.
func (v Value) Has(marks Value) bool { return v&marks != 0 }

// IsLive reports whether the job is between its beginning and its function's return.
func (v Value) IsLive() bool { return v.State() == Running || v&MarkOverdue != 0 }

// Priority returns the priority under which the job was submitted.
func (v Value) Priority() settings.Priority {
	return settings.Priority(v&priorityBits>>priorityShift) ^ settings.Normal
}

// Steals returns how often the job was stolen; 127 means as many or more.
func (v Value) Steals() int { return int(v & stealBits / stealOne) }

// Preemptions returns how often the job has given way, as far as its word knows; 511 means
// as many or more.
func (v Value) Preemptions() int { return int(v & preemptBits / preemptOne) }

// Started returns when the job has begun, since the start of its scheduler, or 0 if it has
// not.
func (v Value) Started() time.Duration { return time.Duration(v>>startShift) * startUnit }

// Preempted returns the value with the count of how often the job has given way, 511 at
// most.
func (v Value) Preempted(often uint32) Value { return v | Value(often)*preemptOne }

// with returns the value in another state.
func (v Value) with(st State) Value { return v&^stateBits | Value(st) }

// counted returns the value with one more of what the bits count, unless they are at
// their highest.
func (v Value) counted(bits, one Value) Value {
	if v&bits == bits {
		return v
	}
	return v + one
}

// Init makes the job pending. It must not be shared yet. Most are normal, and for
// those the word is 0 as it is: a store would cost 5 ns.
func (s *Word) Init(p settings.Priority) {
	if word := uint64(p^settings.Normal) << priorityShift; s.word.Load() != word {
		s.word.Store(word)
	}
}

// Load returns all that the word holds.
func (s *Word) Load() Value { return Value(s.word.Load()) }

// State returns the state of the job.
func (s *Word) State() State { return s.Load().State() }

// Mark sets one of the marks.
func (s *Word) Mark(mark Value) { s.word.Or(uint64(mark)) }

// swap replaces the value if it is still the old one.
func (s *Word) swap(old, next Value) bool { return s.word.CompareAndSwap(uint64(old), uint64(next)) }
