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
	// Seconds is for how long the handler that waits has been under way, if that is known.
	Seconds float64 `json:"seconds,omitempty"`
}

// waitEnd is an actor that others wait for, and that waits for none.
type waitEnd struct {
	PID   actor.PID `json:"pid"`
	State string    `json:"state"`
	// Seconds is for how long its handler has been under way, if it has one that takes long.
	Seconds float64 `json:"seconds,omitempty"`
	// Outside is how many senders wait for room that are no handlers of actors.
	Outside int `json:"outside,omitempty"`
}

// waitGraph is what the page shows of who waits for whom.
type waitGraph struct {
	// Waits are those in a ring first, and then by PID; 5,000 at most.
	Waits []ringWait `json:"waits"`
	// Total is how many there are.
	Total int `json:"total"`
	// InCycle is how many of them are part of a ring.
	InCycle int `json:"in_cycle"`
	// Ends are the ends of the chains, if they were asked for; 1,000 at most.
	Ends []waitEnd `json:"ends,omitempty"`
}

// maxEnds bounds how many are looked at.
const maxEnds = 1000

// waits returns the graph, with how long each wait has lasted, and with what is at the ends.
func (w *web) waits() waitGraph {
	g, handlers := graphOf(w.i.Waits()), w.i.handlers()
	from, inside := map[actor.PID]bool{}, map[actor.PID]int{}
	for n := range g.Waits {
		one := &g.Waits[n]
		from[one.From] = true
		if one.Lane != "" {
			inside[one.To]++
		}
		if h := handlers[one.From]; h != nil {
			one.Seconds = h.Seconds
		}
	}
	known := map[actor.PID]bool{}
	for n := range g.Waits {
		id := g.Waits[n].To
		if from[id] || known[id] || len(g.Ends) == maxEnds {
			continue
		}
		known[id] = true
		end := waitEnd{PID: id, State: actor.Exited.String()}
		if info, err := w.i.sys.Info(id); err == nil {
			end.State = info.State.String()
			for _, n := range info.Senders {
				end.Outside += n
			}
			end.Outside = max(0, end.Outside-inside[id])
		}
		if h := handlers[id]; h != nil {
			end.Seconds = h.Seconds
		}
		g.Ends = append(g.Ends, end)
	}
	return g
}

// maxWaits bounds a graph that is handed out.
const maxWaits = 5000

// graphOf finds the rings. Each wait is as it was at a moment of its own: a ring
// that is gone when one looks again was none.
func graphOf(waits []Wait) waitGraph {
	g := waitGraph{Waits: make([]ringWait, 0, len(waits)), Total: len(waits)}
	for n, ring := range inRings(waits) {
		g.Waits = append(g.Waits, ringWait{Wait: waits[n], InCycle: ring})
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
