package router

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// ring is where keys belong: points on a circle of 64-bit numbers, pointsEach
// for each routee. A number belongs to the routee of the next point.
//
// A key is first put into one of the slots, and the slots are the balls of
// Mirrokni, Thorup and Zadimoghaddam: each goes to the routee of its point, or
// to the next one that has not got its share yet. That bounds what a routee
// gets of the keys, whatever chance the points leave to it, costs a message one
// look into a table, and remembers no key.
type ring struct {
	points []point
	slots  []int32 // By slot, the index of its routee.
	firsts []int32 // By slot, the index of the point that comes next on the circle.
}

type point struct {
	at     uint64
	routee int32
}

const (
	// pointsEach makes the arcs of routees differ by some 9%, so that few slots
	// meet a routee that has its share. More cost time when routees change.
	pointsEach = 128
	slotBits   = 13
	numSlots   = 1 << slotBits
	// slotShare bounds the slots of a routee, as a multiple of the mean. The less
	// it is above 1, the more keys move besides those that have to.
	slotShare = 1.25
)

// newRing returns the ring of the routees with these identities.
func newRing(ids []string) *ring {
	r := &ring{points: make([]point, 0, len(ids)*pointsEach), slots: make([]int32, numSlots), firsts: make([]int32, numSlots)}
	for i, id := range ids {
		h := hashString(id)
		for range pointsEach {
			h = mix(h)
			r.points = append(r.points, point{h, int32(i)})
		}
	}
	slices.SortFunc(r.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(ids[a.routee], ids[b.routee]))
	})
	r.fill(len(ids))
	return r
}

// fill gives each slot to a routee.
func (r *ring) fill(n int) {
	share := int(math.Ceil(slotShare * numSlots / float64(n)))
	has := make([]int, n)
	for slot := range r.slots {
		at := mix(uint64(slot))
		r.firsts[slot] = int32(sort.Search(len(r.points), func(i int) bool { return r.points[i].at >= at }) % len(r.points))
		r.walk(slot, func(routee int) bool {
			if has[routee] >= share {
				return false
			}
			has[routee]++
			r.slots[slot] = int32(routee)
			return true
		})
	}
}

// walk calls take for the routees in their order on the ring, beginning with
// the one of the slot's point, until it returns true or all points were passed.
// A routee comes up once for each of its points.
func (r *ring) walk(slot int, take func(routee int) bool) {
	i := int(r.firsts[slot])
	for range r.points {
		if take(int(r.points[i].routee)) {
			return
		}
		if i++; i == len(r.points) {
			i = 0
		}
	}
}

// from is walk from the slot of a key with this hash.
func (r *ring) from(hash uint64, take func(routee int) bool) { r.walk(slotOf(hash), take) }

// owner returns the routee that a key with this hash belongs to.
func (r *ring) owner(hash uint64) int { return int(r.slots[slotOf(hash)]) }

func slotOf(hash uint64) int { return int(hash >> (64 - slotBits)) }
