package strand_test

import (
	"testing"

	"github.com/troupe-go/troupe/strand"
)

// TestPollerLooksBeforeItWaits checks that the poller waits after several looks in
// vain, and not before: while it waits it may keep a processor from a worker.
func TestPollerLooksBeforeItWaits(t *testing.T) {
	var l strand.Looks
	for range 3 {
		if l.Found(7) {
			t.Fatal("it waits where there have just been changes")
		}
		vain := 1
		for !l.Found(0) {
			if vain++; vain > 1000 {
				t.Fatal("it never waits")
			}
		}
		if vain < 4 {
			t.Fatalf("it waits after %d looks", vain)
		}
		if !l.Found(0) { // Nothing came, as of a signal.
			t.Fatal("it does not wait on")
		}
	}
}
