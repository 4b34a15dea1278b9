// Package guard notices that an engine has lost what it acknowledged.
//
//	before, err := g.Begin()
//	revision, err := write()
//	err = g.Acknowledged(before, revision)
//
// Every write that begins after another was acknowledged gets a greater revision. If it gets
// one that is not greater, the store was set back: by lost files, by a restored backup, or by
// a fault of the engine (nats-server#6888, #7545, #7567).
package guard

import (
	"fmt"
	"sync"

	"github.com/troupe-go/troupe/engine"
)

// Guard watches the revisions of one table or log. Its methods may be called by several
// goroutines.
type Guard struct {
	// Where names the table or log for errors.
	Where string

	mu      sync.Mutex
	highest uint64 // Seen by this node.
	lost    error
}

// Begin is called before a write. It returns the highest revision seen so far, for
// Acknowledged, and an error that is [engine.ErrAmnesia] if a write was lost before.
func (g *Guard) Begin() (uint64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.highest, g.lost
}

// Saw notes a revision that was read.
func (g *Guard) Saw(revision uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.highest = max(g.highest, revision)
}

// Acknowledged notes the revision of a write that began when before was the highest. It
// returns an error that is [engine.ErrAmnesia] if the revision is not above that.
func (g *Guard) Acknowledged(before, revision uint64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if revision <= before && g.lost == nil {
		g.lost = fmt.Errorf("engine: %s: a write has the revision %d, and %d was acknowledged before: %w; `troupe cluster repair` says how",
			g.Where, revision, before, engine.ErrAmnesia)
	}
	g.highest = max(g.highest, revision)
	return g.lost
}
