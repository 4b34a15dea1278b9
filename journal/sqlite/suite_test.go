package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
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
	journaltest.Run(t, func(t *testing.T, dir string) journal.Store {
		if strings.HasSuffix(t.Name(), "cancelled") {
			lane.Check(t) // Half of the cases. Each takes a new file, and so several syncs.
		}
		return open(t, dir)
	})
}

// Streams of more than a page, by events and by bytes, come whole and in order.
func TestPages(t *testing.T) {
	for name, c := range map[string]struct{ n, size int }{"events": {1500, 1}, "bytes": {30, 100_000}} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			if err := appendTo(s, slices.Repeat([]string{strings.Repeat("x", c.size)}, c.n)...); err != nil {
				t.Fatal(err)
			}
			if got := count(t, s); got != c.n {
				t.Errorf("there are %d events, want %d", got, c.n)
			}
			n := 0
			for r, err := range s.Feed(t.Context(), 0, journal.Filter{}) {
				if n++; err != nil || r.Version != uint64(n) {
					t.Fatalf("version %d comes where %d should (%v)", r.Version, n, err)
				}
			}
			if n != c.n {
				t.Errorf("the feed has %d events, want %d", n, c.n)
			}
		})
	}
}
