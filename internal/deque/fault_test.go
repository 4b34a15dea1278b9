//go:build !modelcheck && !race && !invariants

package deque_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestModelFindsPlantedFaults runs the exhaustive search of TestModel, and shows
// that it sees what it is there to see.
func TestModelFindsPlantedFaults(t *testing.T) {
	planted.Expect(t, "modelcheck", planted.Group{Run: "^TestModel$", Faults: []planted.Fault{
		{
			Name: "a missing fence in the deque's pop",
			File: "deque.go",
			Old:  "	d.bottom.Store(b)\n	t := d.top.Load()\n",
			New:  "	t := d.top.Load()\n	d.bottom.Store(b)\n",
			Want: "was taken 2 times",
		},
		{
			Name: "a double steal of the last element",
			File: "deque.go",
			Old:  "		if !d.top.CompareAndSwap(t, t+1) {\n			x = nil\n		}\n",
			New:  "		d.top.Store(t + 1)\n",
			Want: "was taken 2 times",
		},
		{
			// The classic one (Arora, Blumofe and Plaxton, SPAA 1998, have a tag
			// against it): a thief's swap succeeds because top is what it was, though
			// the element is another.
			Name: "ABA on the ring",
			File: "deque.go",
			Old:  "			x = nil\n		}\n		d.bottom.Store(b + 1)\n",
			New:  "			x = nil\n			d.bottom.Store(b + 1)\n		} else {\n			d.bottom.Store(0)\n			d.top.Store(0)\n		}\n",
			Want: "was taken 2 times",
		},
		{
			Name: "steal reads after it has swapped",
			File: "deque.go",
			Old:  "	x = d.ring[t&d.mask].Load()\n	if !d.top.CompareAndSwap(t, t+1) {\n		return nil, true\n	}\n",
			New:  "	if !d.top.CompareAndSwap(t, t+1) {\n		return nil, true\n	}\n	x = d.ring[t&d.mask].Load()\n",
			Want: "a thief got",
		},
		{
			Name: "the ring overwrites its oldest",
			File: "deque.go",
			Old:  "if b-d.top.Load() >= int64(len(d.ring)) {",
			New:  "if b-d.top.Load() > int64(len(d.ring)) {",
			Want: "a thief got",
		},
		{
			Name: "a thief clears the slot",
			File: "deque.go",
			Old:  "		return nil, true\n	}\n	return x, false\n",
			New:  "		return nil, true\n	}\n	d.ring[t&d.mask].Store(nil)\n	return x, false\n",
			Want: "was taken 0 times",
		},
		{
			Name: "a steal without a swap",
			File: "deque.go",
			Old:  "	if !d.top.CompareAndSwap(t, t+1) {\n		return nil, true\n	}\n	return x, false\n",
			New:  "	d.top.Store(t + 1)\n	return x, false\n",
			Want: "was taken 2 times",
		},
		{
			Name: "bottom before the element",
			File: "deque.go",
			Old:  "	d.ring[b&d.mask].Store(x)\n	d.bottom.Store(b + 1)\n",
			New:  "	d.bottom.Store(b + 1)\n	d.ring[b&d.mask].Store(x)\n",
			Want: "was taken 0 times",
		},
		{
			Name: "sweep goes too far",
			File: "deque.go",
			Old:  "for i := from; i < t; i++ {",
			New:  "for i := from; i < b; i++ {",
			Want: "was taken 0 times",
		},
	}})
}
