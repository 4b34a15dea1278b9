//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

// boxFaults are about lanes of large messages.
var boxFaults = planted.Group{
	Run: "^TestLargeMessages$",
	Faults: []planted.Fault{
		{
			Name: "large messages that are put back take the places of others",
			In:   "boxes.insert",
			Old:  "append(make([]unsafe.Pointer, n, n+len(old)), old...)",
			New:  "append(old[:len(old):len(old)], make([]unsafe.Pointer, n)...)",
			Want: "FAIL",
			Run:  "^TestLargeMessages$/^stash$",
		},
		{
			Name: "a kill leaves large messages behind",
			In:   "boxes.handOver",
			Old:  "append(append(fresh.in, b.out[at:]...), b.in[b.lane.skipped:]...)",
			New:  "append(fresh.in, b.out[at:]...)",
			Want: "FAIL",
			Run:  "^TestLargeMessages$/^kill$",
			Hang: true,
		},
		{
			Name: "large dead letters are all the same one",
			In:   "sealed.at",
			Old:  "s.batch[i]",
			New:  "s.batch[0]",
			Want: "FAIL",
			Run:  "^TestLargeMessages$/^stop$",
		},
	},
}
