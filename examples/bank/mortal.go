package main

import (
	"context"
	"math/rand/v2"
	"os"

	"github.com/troupe-go/troupe/journal"
)

// mortal is a store whose process is killed at a commit: before it, or after it.
type mortal struct {
	journal.Store
	left int // Commits; 0 is no limit. A Journal makes one at a time.
}

func (m *mortal) Append(ctx context.Context, batch []*journal.Write) error {
	m.left--
	dies := m.left == 0
	if dies && rand.IntN(2) == 0 {
		die()
	}
	err := m.Store.Append(ctx, batch)
	if dies {
		die()
	}
	return err
}

// die kills the process as kill -9 does: nothing is closed or flushed.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill() // Nobody is left to be told.
	}
	select {}
}
