package inspect

import (
	"slices"

	"github.com/troupe-go/troupe/actor"
)

// ringWait is a Wait of which it is known whether it is part of a ring.
type ringWait struct {
	Wait
	// InCycle says that none of those in the ring goes on unless somebody gives up.
	InCycle bool `json:"in_cycle,omitempty"`
}

// waitGraph is what the page shows of who waits for whom.
type waitGraph struct {
	// Waits are those in a ring first, and then by PID; 5,000 at most.
	Waits []ringWait `json:"waits"`
	// Total is how many there are.
	Total int `json:"total"`
	// InCycle is how many of them are part of a ring.
	InCycle int `json:"in_cycle"`
}

// maxWaits bounds a graph that is handed out.
const maxWaits = 5000

// graphOf finds the rings. Each wait is as it was at a moment of its own: a ring
// that is gone when one looks again was none.
func graphOf(waits []Wait) waitGraph {
	g := waitGraph{Waits: make([]ringWait, 0, len(waits)), Total: len(waits)}
	for n, ring := range inRings(waits) {
		g.Waits = append(g.Waits, ringWait{waits[n], ring})
		if ring {
			g.InCycle++
		}
	}
	slices.SortStableFunc(g.Waits, func(a, b ringWait) int {
		if a.InCycle != b.InCycle {
			if a.InCycle {
				return -1
			}
			return 1
		}
		return a.From.Compare(b.From)
	})
	g.Waits = g.Waits[:min(len(g.Waits), maxWaits)]
	return g
}

// inRings says of each wait whether it is part of a ring. It takes away actors that
// wait for none, and actors that none waits for, until there are no more: in a graph
// where each waits for one other at most, the rest are the rings.
func inRings(waits []Wait) []bool {
	left := make([]bool, len(waits))
	out, in := map[actor.PID]int{}, map[actor.PID]int{}
	from, to := map[actor.PID][]int{}, map[actor.PID][]int{}
	for n, w := range waits {
		left[n] = true
		out[w.From]++
		in[w.To]++
		from[w.From] = append(from[w.From], n)
		to[w.To] = append(to[w.To], n)
	}
	var look []int
	for n := range waits {
		look = append(look, n)
	}
	for len(look) > 0 {
		n := look[len(look)-1]
		look = look[:len(look)-1]
		w := waits[n]
		if !left[n] || out[w.To] > 0 && in[w.From] > 0 {
			continue
		}
		left[n] = false
		out[w.From]--
		in[w.To]--
		look = append(look, to[w.From]...)
		look = append(look, from[w.To]...)
	}
	return left
}
