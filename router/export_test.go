package router

// Owners returns, for a router whose routees have these names, which one each of
// n keys belongs to.
func Owners(names []string, n int) []int {
	r := newRing(names)
	owners := make([]int, n)
	for i := range owners {
		owners[i] = r.owner(mix(uint64(i)))
	}
	return owners
}

// Slots returns how many slots each routee has.
func Slots(names []string) []int {
	counts := make([]int, len(names))
	for _, i := range newRing(names).slots {
		counts[i]++
	}
	return counts
}

const (
	NumSlots  = numSlots
	SlotShare = slotShare
)

// HashOf is the hash of a key.
func HashOf[K Hashable](k K) uint64 { return hasher[K]()(k) }
