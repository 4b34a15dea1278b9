package invariants_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/invariants"
)

// broken returns what Check panics with when its condition does not hold, or
// nil if it lets that pass.
func broken() (message any) {
	defer func() { message = recover() }()
	invariants.Check(false, "%d are lost", 7)
	return nil
}

func TestCheckPanicsOnlyInCheckedBuilds(t *testing.T) {
	invariants.Check(true, "this holds")
	message := broken()
	if !invariants.Enabled {
		if message != nil {
			t.Fatalf("Check panicked with %q in a build without the tag", message)
		}
		return
	}
	text, ok := message.(string)
	if !ok || !strings.Contains(text, "invariant broken: 7 are lost") {
		t.Fatalf("Check panicked with %v; the message is missing", message)
	}
}

func TestShrinkOnlyInCheckedBuilds(t *testing.T) {
	want := 1024
	if invariants.Enabled {
		want = 4
	}
	if got := invariants.Shrink(1024, 4); got != want {
		t.Fatalf("Shrink returned %d, want %d", got, want)
	}
}

func TestYieldAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, invariants.Yield); n != 0 {
		t.Fatalf("Yield allocates %v times", n)
	}
}
