//go:build !modelcheck && (amd64 || arm64)

package actor_test

import (
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// The fields that senders write for each message are in other cache lines than the fields that
// the actor reads for each. Where they shared one, a message took twice as long, but only in
// some runs, as the allocator had it.
func TestNoFalseSharing(t *testing.T) {
	const line = 64
	cell, buffers := actor.Layout[int]()
	apart := func(at map[string]uintptr, before, after string, least uintptr) {
		t.Helper()
		if d := at[after] - at[before]; at[after] < at[before] || d < least {
			t.Errorf("%s is at %d and %s at %d, want %d bytes from one to the other", before, at[before], after, at[after], least)
		}
	}
	// Cells begin anywhere, so a line and the field must lie between.
	apart(cell, "alert", "mu", line+4)
	apart(cell, "reentrancy", "mu", line+1)
	apart(cell, "rare", "p", line+8)
	apart(cell, "rare", "actor", line+8)
	// The allocator has sizes of 352 and 384 bytes, and none between.
	if size := cell["size"]; size > 352 {
		t.Errorf("a cell has %d bytes, want at most 352", size)
	}
	if size := buffers["size"]; size != 4*line {
		t.Errorf("the buffers have %d bytes, want %d, for which the allocator begins with a line", size, 4*line)
	}
	for field, want := range map[string]uintptr{"out": 0, "slid": 1, "contents": 2, "tight": 2, "behind": 3, "in": 3} {
		if got := buffers[field] / line; got != want {
			t.Errorf("%s is in line %d of the buffers, want %d", field, got, want)
		}
	}
}
