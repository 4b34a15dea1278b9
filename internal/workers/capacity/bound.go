// Package capacity bounds how many jobs are queued, and keeps those waiting that would queue more:
//
//	var b capacity.Bound
//	b.Init(1000, false)
//	if b.Enter() {
//		... // The job is queued, and leaves when it begins.
//		b.Leave()
//	}
//
// It knows nothing of jobs and schedulers.
package capacity

import (
	// Without these imports, the compiler does not inline the methods of the types in xatomic, but calls them.
	_ "sync"
	_ "sync/atomic"

	"slices"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// Bound counts the jobs that are queued, if that is bounded. An unbounded
// scheduler pays for it with one comparison.
type Bound struct {
	limit  int64 // 0 means none.
	reject bool
	// queued is how many jobs were accepted and have not begun. Written by
	// submitters and by workers.
	queued xatomic.Int64
	// waiting is how many submitters wait. Written under mu. It pairs with
	// queued: a submitter enters itself, then tries again; a worker makes room,
	// then looks for one that waits.
	waiting xatomic.Int64

	mu    xatomic.Mutex
	queue []Submitter // The waiting submitters, the first one first.
}

// Submitter waits for room. It is compared by ==.
type Submitter interface {
	// WakeUp has the submitter try again. It must not wait, and may come without a reason.
	WakeUp()
}

// Init says how many jobs may be queued; 0 means any number. With reject, Enter refuses
// what is beyond the bound.
func (b *Bound) Init(limit int, reject bool) { b.limit, b.reject = int64(limit), reject }

// IsBounded reports whether there is a limit.
func (b *Bound) IsBounded() bool { return b.limit != 0 }

// Limit returns how many jobs may be queued.
func (b *Bound) Limit() int64 { return b.limit }

// Queued returns how many jobs are queued.
func (b *Bound) Queued() int64 { return b.queued.Load() }

// Rejects reports whether a submitter does not wait for room.
func (b *Bound) Rejects() bool { return b.reject }

// Waiting returns how many submitters wait.
func (b *Bound) Waiting() int { return int(b.waiting.Load()) }

// Enter takes a place for what a job submits, beyond the bound unless that is to
// be rejected.
func (b *Bound) Enter() bool {
	switch {
	case b.limit == 0:
	case b.reject:
		return b.TryEnter()
	default:
		b.queued.Add(1)
	}
	return true
}

// TryEnter takes a place if one is free.
func (b *Bound) TryEnter() bool {
	for {
		n := b.queued.Load()
		if n >= b.limit {
			return false
		}
		if b.queued.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Leave gives a place back.
func (b *Bound) Leave() {
	if b.limit != 0 {
		b.queued.Add(-1)
		b.wakeOne()
	}
}

func (b *Bound) wakeOne() {
	if b.waiting.Load() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) > 0 && b.queued.Load() < b.limit {
		b.queue[0].WakeUp()
	}
}

// WakeAll has all that wait look whether they still may.
func (b *Bound) WakeAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.queue {
		s.WakeUp()
	}
}

// Add enters a submitter that waits, which then tries again.
func (b *Bound) Add(s Submitter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = append(b.queue, s)
	b.waiting.Add(1)
}

// Remove takes s out. It may have been woken for a place that it does not take,
// or there may be more than one, so the next is woken too.
func (b *Bound) Remove(s Submitter) {
	b.mu.Lock()
	if i := slices.Index(b.queue, s); i >= 0 {
		b.queue = slices.Delete(b.queue, i, i+1)
	}
	b.waiting.Add(-1)
	b.mu.Unlock()
	b.wakeOne()
}
