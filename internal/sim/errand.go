package sim

import (
	"cmp"
	"slices"
	"strings"
)

// errand is something that a goroutine outside has left to the stepper.
type errand struct {
	order func() (kind string, number uint64)
	do    func()
}

func first() (kind string, number uint64) { return "", 0 }

// Drop takes out of what h has queued what give accepts. Called by a goroutine
// outside, it waits until the running step is over.
func (e *Engine) Drop(h Host, give func(work any) bool) {
	if Working() == e {
		e.drop(h, give)
		return
	}
	done := make(chan struct{})
	e.mu.Lock()
	e.errands = append(e.errands, errand{first, func() { e.drop(h, give); close(done) }})
	e.mu.Unlock()
	e.Nudge()
	select {
	case <-done:
	case <-e.ended:
	}
}

// Later has do called when the running step is over. It returns false if no step
// runs, or if it is the caller's. It is for goroutines outside that the step itself
// may have set going, as the end of a context does: whether what they do comes before
// or after the rest of the step would be chance. Errands of several
// goroutines are done in their order; see Host.
func (e *Engine) Later(order func() (kind string, number uint64), do func()) bool {
	if Working() == e {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.inStep.Load() {
		return false
	}
	e.errands = append(e.errands, errand{order, do})
	return true
}

// Between has do called by the stepper before the next step. Calls of several guests
// are done in the order of the guests' creation.
func (e *Engine) Between(g *Guest, do func()) {
	e.mu.Lock()
	e.errands = append(e.errands, errand{func() (string, uint64) { return outside{}.Order(g) }, do})
	e.mu.Unlock()
	e.Nudge()
}

// runErrands does what goroutines outside have left to the stepper. It reports
// whether that was anything.
func (e *Engine) runErrands() bool {
	e.mu.Lock()
	errands := e.errands
	e.errands = nil
	e.mu.Unlock()
	slices.SortStableFunc(errands, func(a, b errand) int {
		aKind, aNumber := a.order()
		bKind, bNumber := b.order()
		return cmp.Or(strings.Compare(aKind, bKind), cmp.Compare(aNumber, bNumber))
	})
	for _, one := range errands {
		one.do()
	}
	return len(errands) > 0
}

func (e *Engine) drop(h Host, give func(work any) bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	keep := func(entries []Entry) []Entry {
		kept := entries[:0]
		for _, entry := range entries {
			if entry.Host == h && give(entry.Work) {
				continue
			}
			kept = append(kept, entry)
		}
		clear(entries[len(kept):])
		return kept
	}
	e.ready, e.arrived = keep(e.ready), keep(e.arrived)
}
