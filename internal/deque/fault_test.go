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
			In:   "Deque.Pop",
			Old: `d.bottom.Store(b)
t := d.top.Load()`,
			New: `t := d.top.Load()
d.bottom.Store(b)`,
			Want: "was taken 2 times",
		},
		{
			Name: "a double steal of the last element",
			In:   "Deque.Pop",
			Old: `if !d.top.CompareAndSwap(t, t+1) {
	x = nil
}`,
			New:  "d.top.Store(t + 1)",
			Want: "was taken 2 times",
		},
		{
			// The classic one (Arora, Blumofe and Plaxton, SPAA 1998, have a tag
			// against it): a thief's swap succeeds because top is what it was, though
			// the element is another.
			Name: "ABA on the ring",
			In:   "Deque.Pop",
			Old: `if !d.top.CompareAndSwap(t, t+1) {
	x = nil
}
d.bottom.Store(b + 1)`,
			New: `if !d.top.CompareAndSwap(t, t+1) {
	x = nil
	d.bottom.Store(b + 1)
} else {
	d.bottom.Store(0)
	d.top.Store(0)
}`,
			Want: "was taken 2 times",
		},
		{
			Name: "steal reads after it has swapped",
			In:   "Deque.Steal",
			Old: `x = d.ring[t&d.mask].Load()
if !d.top.CompareAndSwap(t, t+1) {
	return nil, true
}`,
			New: `if !d.top.CompareAndSwap(t, t+1) {
	return nil, true
}
x = d.ring[t&d.mask].Load()`,
			Want: "a thief got",
		},
		{
			Name: "the ring overwrites its oldest",
			In:   "Deque.Push",
			Old:  "b-d.top.Load() >= int64(len(d.ring))",
			New:  "b-d.top.Load() > int64(len(d.ring))",
			Want: "a thief got",
		},
		{
			Name: "a thief clears the slot",
			In:   "Deque.Steal",
			Old:  "return x, false",
			New: `d.ring[t&d.mask].Store(nil)
return x, false`,
			Want: "was taken 0 times",
		},
		{
			Name: "a steal without a swap",
			In:   "Deque.Steal",
			Old: `if !d.top.CompareAndSwap(t, t+1) {
	return nil, true
}`,
			New:  "d.top.Store(t + 1)",
			Want: "was taken 2 times",
		},
		{
			Name: "bottom before the element",
			In:   "Deque.Push",
			Old: `d.ring[b&d.mask].Store(x)
d.bottom.Store(b + 1)`,
			New: `d.bottom.Store(b + 1)
d.ring[b&d.mask].Store(x)`,
			Want: "was taken 0 times",
		},
		{
			Name: "sweep goes too far",
			In:   "Deque.Sweep",
			Old: `for i := from; i < t; i++ {
	d.ring[i&d.mask].Store(nil)
}`,
			New: `for i := from; i < b; i++ {
	d.ring[i&d.mask].Store(nil)
}`,
			Want: "was taken 0 times",
		},
	}})
}
