package fiberindex_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers/fiberindex"
)

// TestIndex has goroutines enter and leave in any order, some of them within others. Their numbers are near each other, as
// in the runtime. After each step the goroutine is found below its present fiber; in the end all are, and no other.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const kinds = 200
		type stay struct{ e, outer *fiberindex.Entry }
		var x fiberindex.Index
		there := map[uintptr][]stay{}
		far := uint64(0x9E3779B97F4A7C15 &^ 0xff) // Words of 32 bits keep its lower half.
		stride := rapid.SampledFrom([]uintptr{1, 512, uintptr(far)}).Draw(t, "stride")
		last := func(id uintptr) *fiberindex.Entry {
			if all := there[id]; len(all) > 0 {
				return all[len(all)-1].e
			}
			return nil
		}
		enters := 0
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			id := uintptr(rapid.IntRange(1, kinds).Draw(t, "goroutine")) * stride
			if all := there[id]; len(all) > 0 && rapid.IntRange(0, 3).Draw(t, "does") != 0 {
				of := all[len(all)-1]
				x.Leave(of.e, of.outer)
				of.e.SetGoroutine(0)
				there[id] = all[:len(all)-1]
			} else {
				enters++
				e := &fiberindex.Entry{}
				e.SetGoroutine(id)
				outer := x.Enter(e)
				if outer != last(id) {
					t.Fatalf("goroutine %#x is said to have been below %p, want %p", id, outer, last(id))
				}
				there[id] = append(all, stay{e, outer})
			}
			if x.Of(id) != last(id) {
				t.Fatalf("goroutine %#x is not found below its present fiber", id)
			}
		}
		live := 0
		for i := range uintptr(kinds) {
			id := (i + 1) * stride
			if x.Of(id) != last(id) {
				t.Fatalf("goroutine %#x is below %p, want %p", id, x.Of(id), last(id))
			}
			live += min(1, len(there[id]))
		}
		if gotLive, used, found, places := x.Counts(); gotLive != live || used != found || enters > 0 && 4*used > 3*places {
			t.Fatalf("%d are counted of %d, %d places of %d, which are %d", gotLive, live, used, found, places)
		}
	})
}

// A table that was large gives its room back when most fibers have left.
func TestIndexShrinks(t *testing.T) {
	var x fiberindex.Index
	all := make([]fiberindex.Entry, 3000)
	for i := range all {
		all[i].SetGoroutine(uintptr(64 * (i + 1)))
		x.Enter(&all[i])
	}
	_, _, _, large := x.Counts()
	for i := range all {
		x.Leave(&all[i], nil)
	}
	if _, _, _, small := x.Counts(); large < 4096 || small > large/8 {
		t.Errorf("the table has %d places for 3,000 goroutines, and then %d", large, small)
	}
}
