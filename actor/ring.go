package actor

import "slices"

// A wait is stuck if it can't end before the first one does, at which the search
// begins. It ends when the handlers go on that have to act for it. They depend on
// where its message is:
//
//   - Handled by a handler that waits in its turn: that one. It is known by the ask
//     that it was handling when it began to wait.
//   - Let in to a call chain, and not handled yet: nobody, since it is not held up.
//   - In the lanes of an actor, or about to be: an actor that is not reentrant, or
//     reentrant in a call chain, has to see all of its handlers that wait return,
//     so one that is stuck is enough. A fully reentrant one goes on if it has room
//     for one more, and else when any of them does: so all have to be stuck. The
//     same holds for one with readers, as long as no write waits for them.
//
// The wait for an actor's end is one for all of its handlers, and so is the wait for
// its start, as long as it has not started.
//
// An actor that lives in an event loop does nothing while a handler of another one waits
// there, so it is held up by that as well.
//
// A handler that waits for several asks (see gathering) can't go on if one of them
// is stuck, if it waits for all; else if those that are not stuck, and may yet be
// answered, are fewer than it needs.

// ringSearch is the search for a ring through the first edge. Its owner holds
// graph.
type ringSearch struct {
	first edge
	path  []edge
	on    map[*asking]bool // The waits in the path.
	ring  []edge           // The path that led back to the first edge.
	used  []edge           // All that has been found to be stuck, and was not forgotten.
	// Several paths may lead to the edges of gatherings and reentrant actors: without
	// what is known of those, there would be more and more paths. Free was found not to
	// be stuck. Known has waits that were, with the way from there to the first edge, or nil:
	// perhaps only because the edges of the path were taken to be, so it is forgotten
	// when one of them is found to be free. Out has the edges of reentrant actors, each
	// of which may be asked for as often as it has handlers.
	free  map[*asking]bool
	known map[*asking][]edge
	out   map[*proc][][]edge
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
	return straight(r.ring)
}

// stuck reports whether e can't end before the first edge does.
func (r *ringSearch) stuck(e edge) bool {
	if r.free[e.wait] {
		return false
	}
	if way, ok := r.known[e.wait]; ok {
		r.ringBy(way)
		return true
	}
	depth, relied, before := len(r.path), len(r.used), r.ring
	r.path, r.ring = append(r.path, e), nil
	note(&r.on, e.wait, true)
	is := r.heldUp(e)
	r.path = r.path[:depth]
	delete(r.on, e.wait)
	var way []edge
	if r.ring == nil {
		r.ring = before
	} else {
		way = slices.Clone(r.ring[depth:])
	}
	several := e.group != nil || e.from.reentrancy != NoReentrancy
	switch {
	case !is:
		for _, u := range r.used[relied:] {
			delete(r.known, u.wait)
		}
		r.used, r.ring = r.used[:relied], before
		if several {
			note(&r.free, e.wait, true)
		}
	default:
		r.used = append(r.used, e)
		if several {
			note(&r.known, e.wait, way)
		}
	}
	return is
}

// ringBy makes the path with the way from its end a ring, if it is the shorter one.
func (r *ringSearch) ringBy(way []edge) {
	if way != nil && (r.ring == nil || len(r.path)+len(way) < len(r.ring)) {
		r.ring = append(slices.Clone(r.path), way...)
	}
}

// straight leaves out what lies between two places at which the ring crosses itself,
// since a way that was known has been put behind a path.
func straight(ring []edge) []edge {
	last := map[*asking]int{}
	for i, e := range ring {
		last[e.wait] = i
	}
	var all []edge
	for i := 0; i < len(ring); i++ {
		i = last[ring[i].wait]
		all = append(all, ring[i])
	}
	return all
}

func note[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

// matters reports whether an ask of a gathering may be stuck. Most are not, since
// the actor that was asked does not wait; that is seen without a look at more.
func (r *ringSearch) matters(s *asking, target *proc) bool {
	return s == r.first.wait || s.isOpen(onlyRound) && (s.moves.Load() != 0 || target == r.first.from || target.mayWait(nil))
}

func (r *ringSearch) heldUp(e edge) bool {
	if h := e.to.loopHolder(); h != nil && r.someStuck(r.handlersOf(h)) {
		return true
	}
	next := r.handlersOf(e.to)
	if e.kind != StopWait && e.kind != StartWait {
		at := slices.IndexFunc(next, func(n []edge) bool { return e.isHandledIn(n[0]) })
		switch {
		case at >= 0:
			return r.handlerStuck(next[at])
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
	return r.someStuck(next)
}

// handlersOf returns the edges of p, by its handlers.
func (r *ringSearch) handlersOf(p *proc) [][]edge {
	if p.reentrancy == NoReentrancy {
		return handlers(r.edgesOf(p))
	}
	all, ok := r.out[p]
	if !ok {
		all = handlers(r.edgesOf(p))
		note(&r.out, p, all)
	}
	return all
}

// handlers splits edges by handler. The edges of one handler lie side by side.
func handlers(edges []edge) (all [][]edge) {
	for i, from := 0, 0; i < len(edges); i++ {
		if i+1 == len(edges) || edges[i].group == nil || edges[i+1].group != edges[i].group {
			all = append(all, edges[from:i+1])
			from = i + 1
		}
	}
	return all
}

// isHandledIn reports whether the message of the ask e is being handled by the
// handler that waits in n.
func (e edge) isHandledIn(n edge) bool {
	return e.kind == AskWait && e.wait != nil && n.up == address{e.wait, e.round}
}

// edgesOf returns the edges of p, and the first one among them if it is one, though
// it may not be known yet.
func (r *ringSearch) edgesOf(p *proc) []edge {
	g := r.first.group
	switch {
	case p != r.first.from:
		return p.edgesFor(r)
	case p.reentrancy == NoReentrancy && (g == nil || g.all):
		return []edge{r.first}
	case g != nil:
		return p.edgesFor(r)
	}
	all := slices.DeleteFunc(p.edgesFor(r), func(e edge) bool { return r.isFirst(e) })
	return append(all, r.first)
}

func (r *ringSearch) isFirst(e edge) bool { return e.wait == r.first.wait && e.round == r.first.round }

// handlerStuck reports whether a handler that waits can't go on. The edges are its.
func (r *ringSearch) handlerStuck(edges []edge) bool {
	g := edges[0].group
	if g == nil || g.all {
		return r.anyStuck(edges)
	}
	before, stuck := r.ring, 0
	for i := range edges {
		if r.anyStuck(edges[i : i+1]) {
			stuck++
		}
	}
	if stuck > 0 && g.undecided()-stuck < int(edges[0].need) {
		return true
	}
	r.ring = before
	return false
}

// anyStuck reports whether one of the edges of a handler is stuck. One that leads
// back to an edge of the path is, too; but unless another leads to the first edge,
// that is a ring without it, and for those to know who are in it.
func (r *ringSearch) anyStuck(edges []edge) (stuck bool) {
	if slices.ContainsFunc(edges, r.isFirst) {
		r.ring = slices.Clone(r.path)
		return true
	}
	for _, e := range edges {
		switch {
		case r.on[e.wait]:
			stuck = true
		case r.stuck(e):
			if stuck = true; r.ring != nil {
				return true
			}
		}
	}
	return stuck
}

// someStuck reports whether one of the handlers is stuck.
func (r *ringSearch) someStuck(handlers [][]edge) (stuck bool) {
	for _, edges := range handlers {
		if r.handlerStuck(edges) {
			if stuck = true; r.ring != nil {
				return true
			}
		}
	}
	return stuck
}

// allStuck reports whether all handlers are stuck.
func (r *ringSearch) allStuck(handlers [][]edge) bool {
	before := r.ring
	for _, edges := range handlers {
		if !r.handlerStuck(edges) {
			r.ring = before
			return false
		}
	}
	return true
}
