package actor

import "slices"

// A wait is stuck if it can't end before the first one does, at which the search
// begins. It ends when those go on who have to act for it. Who that is depends on
// where its message is:
//
//   - Handled by a handler that waits in its turn: that one. It is known by the ask
//     that it was handling when it began to wait.
//   - Let in to a call chain, and not handled yet: nobody, since it is not held up.
//   - In the lanes of an actor, or about to be: an actor that is not reentrant, or
//     reentrant in a call chain, has to see all of its handlers that wait return,
//     so one that is stuck is enough. A fully reentrant one goes on if it has room
//     for one more, and else when any of them does: so all have to be stuck. So
//     does one with readers, as long as no write waits for them.
//
// The wait for an actor's end is one for all of its handlers.

// ringSearch is the search for a ring through the first edge. Its owner holds
// graph.
type ringSearch struct {
	first edge
	path  []edge
	ring  []edge // The path that led back to the first edge.
	used  []edge // All that has been found to be stuck.
}

// findRing returns the edges that lead from the first one back to where it
// begins, or nil. The caller holds graph.
func findRing(first edge) []edge {
	r := &ringSearch{first: first}
	if !r.stuck(first) {
		return nil
	}
	for _, e := range r.used {
		if e.wait == nil {
			continue // It is not there yet.
		}
		if now, ok := e.wait.edge(e.from, e.round); !ok || now != e {
			return nil
		}
	}
	return r.ring
}

// stuck reports whether e can't end before the first edge does.
func (r *ringSearch) stuck(e edge) bool {
	r.path = append(r.path, e)
	is := r.heldUp(e)
	r.path = r.path[:len(r.path)-1]
	if is {
		r.used = append(r.used, e)
	}
	return is
}

func (r *ringSearch) heldUp(e edge) bool {
	next := r.edgesOf(e.to)
	if e.kind != StopWait {
		at := slices.IndexFunc(next, func(n edge) bool { return e.isHandledIn(n) })
		switch {
		case at >= 0:
			return r.anyStuck(next[at : at+1])
		case e.chained:
			return false
		case e.to.reentrancy == FullReentrancy:
			return e.to.isCrowded(len(next)) && r.allStuck(next)
		case e.to.reentrancy == sharedReads:
			if readers, writer := e.to.readers(); readers > 0 && !writer {
				return e.to.isCrowded(len(next)) && r.allStuck(next)
			}
		}
	}
	return r.anyStuck(next)
}

// isHandledIn reports whether the message of the ask e is being handled by the
// handler that waits in n.
func (e edge) isHandledIn(n edge) bool {
	return e.kind == AskWait && e.wait != nil && n.up == address{e.wait, e.round}
}

// edgesOf returns the edges of p, and the first one among them if it is one, though
// it may not be known yet.
func (r *ringSearch) edgesOf(p *proc) []edge {
	switch {
	case p != r.first.from:
		return p.edges()
	case p.reentrancy == NoReentrancy:
		return []edge{r.first}
	}
	all := slices.DeleteFunc(p.edges(), func(e edge) bool { return r.isFirst(e) })
	return append(all, r.first)
}

func (r *ringSearch) isFirst(e edge) bool { return e.wait == r.first.wait && e.round == r.first.round }

// anyStuck reports whether one of the edges is stuck. One that leads back to an
// edge of the path is, too; but unless another leads to the first edge, that is a
// ring without it, and for those to know who are in it.
func (r *ringSearch) anyStuck(edges []edge) (stuck bool) {
	for _, e := range edges {
		switch {
		case r.isFirst(e):
			r.ring = slices.Clone(r.path)
			return true
		case hasWait(r.path, e.wait):
			stuck = true
		case r.stuck(e):
			if stuck = true; r.ring != nil {
				return true
			}
		}
	}
	return stuck
}

// allStuck reports whether all edges are stuck.
func (r *ringSearch) allStuck(edges []edge) bool {
	before := r.ring
	for i := range edges {
		if !r.anyStuck(edges[i : i+1]) {
			r.ring = before
			return false
		}
	}
	return true
}
