package sim

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/gid"
)

// engines knows in which simulation a goroutine is.
var engines struct {
	n  atomic.Int64 // How many are entered; mostly none.
	mu sync.Mutex
	of map[gid.ID]member
	// waits has the goroutines that wait outside of the steps, as they have explained it.
	waits map[gid.ID]explained
}

// explained is what a goroutine waits for.
type explained struct {
	engine *Engine
	what   func() string
}

// member is a goroutine's place in a simulation.
type member struct {
	engine *Engine
	work   bool  // It runs work, rather than being outside.
	away   *step // The step that it runs is away.
}

// Enter makes the calling goroutine part of e, until Leave.
func Enter(e *Engine) { enter(member{engine: e}) }

// EnterWork is Enter for a goroutine that runs the work of e.
func EnterWork(e *Engine) { enter(member{engine: e, work: true}) }

func enter(m member) {
	engines.mu.Lock()
	defer engines.mu.Unlock()
	if engines.of == nil {
		engines.of = map[gid.ID]member{}
	}
	engines.of[gid.Current()] = m
	engines.n.Store(int64(len(engines.of)))
}

// setAway notes that the work on a goroutine belongs to a step that is away, or, if s is
// nil, not any more.
func setAway(id gid.ID, s *step) {
	engines.mu.Lock()
	defer engines.mu.Unlock()
	if m, ok := engines.of[id]; ok {
		m.away = s
		engines.of[id] = m
	}
}

// Leave takes the calling goroutine out of its simulation.
func Leave() {
	engines.mu.Lock()
	defer engines.mu.Unlock()
	delete(engines.of, gid.Current())
	engines.n.Store(int64(len(engines.of)))
}

// Current returns the simulation of the calling goroutine, or nil. It costs one
// load while there is none in the process.
func Current() *Engine { return current().engine }

// Working is Current for a goroutine that runs work, and nil for others.
func Working() *Engine {
	if m := current(); m.work {
		return m.engine
	}
	return nil
}

func current() member {
	if engines.n.Load() == 0 {
		return member{}
	}
	engines.mu.Lock()
	defer engines.mu.Unlock()
	return engines.of[gid.Current()]
}

// Over returns a channel that is closed when the simulation of the calling
// goroutine is over, and nil if it is in none.
func Over() <-chan struct{} {
	if e := Current(); e != nil {
		return e.ended
	}
	return nil
}

// Explain says what the calling goroutine, which runs no work, is about to wait for.
func (e *Engine) Explain(what func() string) {
	engines.mu.Lock()
	defer engines.mu.Unlock()
	if engines.waits == nil {
		engines.waits = map[gid.ID]explained{}
	}
	engines.waits[gid.Current()] = explained{e, what}
}

// Awake says that the calling goroutine does not wait any longer. It costs one load
// while there is no simulation.
func Awake() {
	if engines.n.Load() == 0 {
		return
	}
	engines.mu.Lock()
	defer engines.mu.Unlock()
	delete(engines.waits, gid.Current())
}

// outsideWaits says what goroutines outside wait for, as far as they have explained it.
func (e *Engine) outsideWaits() (waits []string) {
	var found []func() string
	engines.mu.Lock()
	for id, w := range engines.waits {
		if w.engine != e {
			continue
		}
		name := "a goroutine"
		if m, ok := engines.of[id]; ok && !m.work {
			name = "the body"
		}
		found = append(found, func() string { return name + " waits " + w.what() })
	}
	engines.mu.Unlock()
	for _, text := range found {
		waits = append(waits, text())
	}
	slices.Sort(waits)
	return waits
}
