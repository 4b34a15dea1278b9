// Package journaltest has a suite of tests for journal stores, and one for the
// encodings of events.
package journaltest

import (
	"context"
	"io"
	"testing"

	"github.com/troupe-go/troupe/journal"
)

// Open opens the store that lives in a folder. A store that is opened again in the same
// folder, also while the other one is still open, has the same contents. The suite
// closes stores that are an [io.Closer].
type Open func(t *testing.T, dir string) journal.Store

// test is one case of the suite.
type test struct {
	name string
	run  func(k *kit)
}

// Run tests a store against what [journal.Store] promises, in some 110 cases. A case of
// an optional interface, such as [journal.Catalog] or [journal.Keeper], is skipped if the store lacks it. Each case is
// run twice: as it is, and with each call made before with a context that has ended, or
// ends while the call is at work, which must have no effect.
func Run(t *testing.T, open Open) {
	for _, group := range []struct {
		name  string
		tests []test
	}{
		{"append", appendTests}, {"names", nameTests}, {"once", onceTests}, {"fence", fenceTests},
		{"read", readTests}, {"feed", feedTests}, {"snapshot", snapshotTests}, {"shared", sharedTests},
		{"catalog", catalogTests}, {"keeper", keeperTests},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.tests {
				t.Run(c.name, func(t *testing.T) { c.run(newKit(t, open, false)) })
				t.Run(c.name+", with calls that are cancelled", func(t *testing.T) { c.run(newKit(t, open, true)) })
			}
		})
	}
}

// kit is what a case works with.
type kit struct {
	*testing.T
	ctx     context.Context
	open    Open
	dir     string
	cancels bool
	s       journal.Store
}

func newKit(t *testing.T, open Open, cancels bool) *kit {
	t.Helper()
	k := &kit{T: t, ctx: t.Context(), open: open, dir: t.TempDir(), cancels: cancels}
	k.s = k.another()
	return k
}

// another opens the store once more.
func (k *kit) another() journal.Store {
	k.Helper()
	s := k.open(k.T, k.dir)
	if c, ok := s.(io.Closer); ok {
		k.Cleanup(func() { _ = c.Close() }) // It may be closed already.
	}
	if k.cancels {
		return &cancelling{Store: s, t: k.T}
	}
	return s
}

// reopen closes the store, if it can be closed, and opens it again.
func (k *kit) reopen() {
	k.Helper()
	if c, ok := beneath(k.s).(io.Closer); ok {
		if err := c.Close(); err != nil {
			k.Fatalf("close the store: %v", err)
		}
	}
	k.s = k.another()
}
