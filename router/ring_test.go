package router_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/router"
)

func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("<%d.1>", i)
	}
	return all
}

// No routee has more than its share of the slots, rounded up, however many there
// are.
func TestSharesAreBounded(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 100, 1000} {
		share := int(router.SlotShare*router.NumSlots/float64(n)) + 1
		for i, slots := range router.Slots(names(n)) {
			if slots > share || slots == 0 {
				t.Errorf("routee %d of %d has %d slots, of %d at most", i, n, slots, share)
			}
		}
	}
}

// When a routee leaves, its keys move, and hardly any others. When it comes back
// they do too.
func TestFewKeysMove(t *testing.T) {
	lane.Check(t)
	const keys = 20_000
	for _, n := range []int{2, 3, 5, 10, 30} {
		before := router.Owners(names(n), keys)
		for leaver := range min(n, 5) {
			rest := append(names(n)[:leaver:leaver], names(n)[leaver+1:]...)
			after := router.Owners(rest, keys)
			had, others := 0, 0
			for k := range keys {
				switch {
				case before[k] == leaver:
					had++
				case names(n)[before[k]] != rest[after[k]]:
					others++
				}
			}
			if had > keys*13/(n*10)+keys/router.NumSlots || had < keys/(2*n) {
				t.Errorf("%d of %d keys belonged to one of %d routees", had, keys, n)
			}
			if others > keys/(20*n)+keys/1000 {
				t.Errorf("%d of %d keys moved although their routee, one of %d, stayed", others, keys, n)
			}
		}
	}
}

// Keys of each type have hashes that differ, and don't depend on the type's name.
func TestHashesOfKeyTypes(t *testing.T) { simulated.Too(t, testHashesOfKeyTypes) }

func testHashesOfKeyTypes(t testing.TB) {
	type name string
	type number int32
	if router.HashOf(name("a")) != router.HashOf("a") || router.HashOf(number(-1)) != router.HashOf(int32(-1)) {
		t.Error("a named type has another hash")
	}
	seen := map[uint64]string{}
	note := func(what string, h uint64) {
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash", what, other)
		}
		seen[h] = what
	}
	for i := range 256 {
		note(fmt.Sprint("uint8 ", i), router.HashOf(uint8(i)))
	}
	for i := 256; i < 2000; i++ {
		note(fmt.Sprint("uint16 ", i), router.HashOf(uint16(i)))
		note(fmt.Sprint("string ", i), router.HashOf(fmt.Sprint(i)))
	}
	note("int64", router.HashOf(int64(-5)))
	note("uint32", router.HashOf(uint32(1<<31)))
	note("empty", router.HashOf(""))
}
