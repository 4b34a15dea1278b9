package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/journaltest"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// TestMain runs the tests, or the child of one that is going to be killed.
func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		fmt.Fprintln(os.Stderr, child(path))
		os.Exit(1)
	}
	leak.Main(m)
}

// open opens the store of a folder.
func open(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(filepath.Join(dir, "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return s
}

func TestSuite(t *testing.T) {
	journaltest.Run(t, func(t *testing.T, dir string) journal.Store { return open(t, dir) })
}
