package postgres_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/journaltest"
)

// TestMain runs the tests, or the child of one that is going to be killed.
func TestMain(m *testing.M) {
	if url := os.Getenv(childURL); url != "" {
		fmt.Fprintln(os.Stderr, child(url))
		os.Exit(1)
	}
	leak.Main(&ending{m})
}

func TestSuite(t *testing.T) {
	s := theServer(t)
	journaltest.Run(t, func(t *testing.T, dir string) journal.Store {
		if strings.HasSuffix(t.Name(), "cancelled") || !strings.HasPrefix(t.Name(), "TestSuite/f") {
			lane.Check(t) // The quick lane has fences and feeds. Each case makes tables.
		}
		return open(t, schema(t, s, schemaOf(dir)))
	})
}

// Streams of more than a page, by events and by bytes, come whole and in order.
func TestPages(t *testing.T) {
	for name, c := range map[string]struct{ n, size int }{"events": {1500, 1}, "bytes": {30, 100_000}, "large": {3, 3 << 20}} {
		t.Run(name, func(t *testing.T) {
			s, _ := fresh(t)
			if err := appendTo(s, slices.Repeat([]string{strings.Repeat("x", c.size)}, c.n)...); err != nil {
				t.Fatal(err)
			}
			if got := count(t, s); got != c.n {
				t.Errorf("there are %d events, want %d", got, c.n)
			}
			n := 0
			for r, err := range s.Feed(t.Context(), 0, journal.Filter{}) {
				if n++; err != nil || r.Version != uint64(n) || len(r.Data) != c.size {
					t.Fatalf("version %d with %d bytes comes where %d should (%v)", r.Version, len(r.Data), n, err)
				}
			}
			if n != c.n {
				t.Errorf("the feed has %d events, want %d", n, c.n)
			}
		})
	}
}

// ending are tests with a server that ends after them.
type ending struct{ *testing.M }

// Run runs the tests, and returns their exit status.
func (e *ending) Run() int {
	code := e.M.Run()
	endServer()
	return code
}
