package strand

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/workers"
)

// Mutex is a lock for strands: a strand that waits for it suspends and holds no worker, so
// it may be held across a wait. Those who wait get it in the order in which they came. The
// zero Mutex is unlocked; it must not be copied. Goroutines may use it too.
//
// To guard a few lines that don't wait, a sync.Mutex does as well. It must not be
// held while its holder waits by means of this module, since another strand that
// then wants it holds a worker.
type Mutex struct {
	// word is unlocked, locked or contended. It goes from and to unlocked without
	// mu, and to and from contended under it.
	word    atomic.Uint32
	mu      sync.Mutex
	waiters waiters
}

const (
	unlocked uint32 = iota
	locked
	contended // It is locked, and somebody waits, or is about to.
)

// Lock waits for the mutex and takes it. It returns the cause if ctx ends first;
// then it is not taken. An uncontended Lock costs a few ns.
func (m *Mutex) Lock(ctx context.Context) error {
	if ctx == nil {
		return errNilContext
	}
	if err := pass(ctx); err != nil {
		return err
	}
	if m.word.CompareAndSwap(unlocked, locked) {
		workers.Took(m)
		return nil
	}
	m.mu.Lock()
	for {
		switch {
		case m.word.CompareAndSwap(unlocked, locked):
			m.mu.Unlock()
			workers.Took(m)
			return nil
		case m.word.Load() == contended || m.word.CompareAndSwap(locked, contended):
			err := m.waiters.wait(ctx, &m.mu, m, "")
			if err == nil {
				workers.Took(m)
			}
			return err
		}
	}
}

// TryLock takes the mutex if it is unlocked, and reports whether it did.
func (m *Mutex) TryLock() bool {
	if !m.word.CompareAndSwap(unlocked, locked) {
		return false
	}
	workers.Took(m)
	return true
}

// Unlock hands the mutex to the first who waits, or unlocks it. It returns
// [ErrNotLocked] if it is not locked. It may be called by another than who has
// locked it. For ctx see [Strand.Unpark].
func (m *Mutex) Unlock(ctx context.Context) error {
	workers.Released(m)
	if m.word.CompareAndSwap(locked, unlocked) {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.word.Load() != contended {
		if m.word.CompareAndSwap(locked, unlocked) {
			return nil
		}
		return ErrNotLocked
	}
	if !m.waiters.wakeOne(workers.Current(ctx)) {
		m.word.Store(unlocked)
	}
	return nil
}

// waiters is a queue of callers that wait for a grant. Guarded by a mutex that each method
// is given or that its caller holds.
type waiters struct{ q queue[struct{}] }

// wait waits for a grant, of a lock or of what is named. The caller holds mu, which wait
// unlocks.
func (ws *waiters) wait(ctx context.Context, mu *sync.Mutex, lock *Mutex, what string) error {
	e := &entry[struct{}]{}
	e.waiter.Arm(ctx, nil)
	w := e.waiter
	defer w.Disarm()
	ws.q.add(e)
	mu.Unlock()
	switch f := workers.Current(ctx); {
	case f == nil:
	case lock != nil:
		f.ExplainLock(lock)
	default:
		f.Explain(func() string { return what })
	}
	for {
		goOn := w.Wait(ctx)
		mu.Lock()
		done := e.done
		if !done && !goOn {
			ws.q.remove(e)
		}
		mu.Unlock()
		switch {
		case done:
			return nil
		case !goOn:
			return cause(ctx)
		}
	}
}

// wakeOne grants the first; from is the caller's fiber, or nil. It returns false if there is none.
func (ws *waiters) wakeOne(from *workers.Fiber) bool {
	e := ws.q.take(nil)
	if e == nil {
		return false
	}
	e.done = true
	e.waiter.Wake(from, workers.Low)
	return true
}
