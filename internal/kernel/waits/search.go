package waits

import "slices"

// search is the search for a ring through the first edge. One goroutine uses it.
type search[E Edge[E, N, W], N Node[E, N], W comparable] struct {
	first E
	path  []E
	on    map[W]bool // The waits in the path.
	ring  []E        // The path that led back to the first edge.
	used  []E        // All that has been found to be stuck, and was not forgotten.
	// Several paths may lead to the edges of handlers with several asks and of nodes that branch: without
	// what is known of those, there would be more and more paths. Free was found not to
	// be stuck. Known has waits that were, with the way from there to the first edge, or nil:
	// perhaps only because the edges of the path were taken to be, so it is forgotten
	// when one of them is found to be free. Out has the edges of nodes that branch, each
	// of which may be asked for as often as it has handlers.
	free  map[W]bool
	known map[W][]E
	out   map[N][][]E
}

// FindRing returns the edges that lead from the first one back to where it begins, or nil. A ring counts only if each of
// its edges is still there after all were read: then there was a moment at which they all were.
//
// The first edge need not be known to its node yet. Of several callers at the same time, each of which withdraws its wait if
// it finds a ring, only one should search at a time: else all of them may withdraw.
func FindRing[E Edge[E, N, W], N Node[E, N], W comparable](first E) []E {
	s := &search[E, N, W]{first: first}
	if !s.stuck(first) {
		return nil
	}
	var none W
	for _, e := range s.used {
		if w, _ := e.Wait(); w != none && !e.IsCurrent() {
			return nil
		}
	}
	return straight(s.ring)
}

// wait is the wait of e, without the round.
func wait[E Edge[E, N, W], N Node[E, N], W comparable](e E) W {
	w, _ := e.Wait()
	return w
}

// stuck reports whether e can't end before the first edge does.
func (s *search[E, N, W]) stuck(e E) bool {
	w, _ := e.Wait()
	if s.free[w] {
		return false
	}
	if way, ok := s.known[w]; ok {
		s.ringBy(way)
		return true
	}
	depth, relied, before := len(s.path), len(s.used), s.ring
	s.path, s.ring = append(s.path, e), nil
	note(&s.on, w, true)
	is := s.heldUp(e)
	s.path = s.path[:depth]
	delete(s.on, w)
	var way []E
	if s.ring == nil {
		s.ring = before
	} else {
		way = slices.Clone(s.ring[depth:])
	}
	several := e.IsOneOfSeveral() || e.From().Branches()
	switch {
	case !is:
		for _, u := range s.used[relied:] {
			delete(s.known, wait(u))
		}
		s.used, s.ring = s.used[:relied], before
		if several {
			note(&s.free, w, true)
		}
	default:
		s.used = append(s.used, e)
		if several {
			note(&s.known, w, way)
		}
	}
	return is
}

// ringBy makes the path with the way from its end a ring, if it is the shorter one.
func (s *search[E, N, W]) ringBy(way []E) {
	if way != nil && (s.ring == nil || len(s.path)+len(way) < len(s.ring)) {
		s.ring = append(slices.Clone(s.path), way...)
	}
}

// straight leaves out what lies between two places at which the ring crosses itself,
// since a way that was known has been put behind a path.
func straight[E Edge[E, N, W], N Node[E, N], W comparable](ring []E) []E {
	last := map[W]int{}
	for i, e := range ring {
		last[wait(e)] = i
	}
	var all []E
	for i := 0; i < len(ring); i++ {
		i = last[wait(ring[i])]
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

func (s *search[E, N, W]) heldUp(e E) bool {
	var none N
	if h := e.To().Holder(); h != none && s.someStuck(s.handlersOf(h)) {
		return true
	}
	next := s.handlersOf(e.To())
	if e.ForMessage() {
		at := slices.IndexFunc(next, func(n []E) bool { return e.HandledIn(n[0]) })
		switch {
		case at >= 0:
			return s.handlerStuck(next[at])
		case e.LetIn():
			return false
		}
		switch e.To().Rule(len(next)) {
		case NoneStuck:
			return false
		case AllStuck:
			return s.allStuck(next)
		}
	}
	return s.someStuck(next)
}

// handlersOf returns the edges of n, by its handlers.
func (s *search[E, N, W]) handlersOf(n N) [][]E {
	if !n.Branches() {
		return handlers(s.edgesOf(n))
	}
	all, ok := s.out[n]
	if !ok {
		all = handlers(s.edgesOf(n))
		note(&s.out, n, all)
	}
	return all
}

// handlers splits edges by handler. The edges of one handler lie side by side.
func handlers[E Edge[E, N, W], N Node[E, N], W comparable](edges []E) (all [][]E) {
	for i, from := 0, 0; i < len(edges); i++ {
		if i+1 == len(edges) || !edges[i].SameHandler(edges[i+1]) {
			all = append(all, edges[from:i+1])
			from = i + 1
		}
	}
	return all
}

// edgesOf returns the edges of n, and the first one among them if it is one, though
// it may not be known yet.
func (s *search[E, N, W]) edgesOf(n N) []E {
	several := s.first.IsOneOfSeveral()
	_, spares := s.first.Spare()
	switch {
	case n != s.first.From():
		return n.EdgesFor(&s.first)
	case !n.Branches() && !spares:
		return []E{s.first}
	case several:
		return n.EdgesFor(&s.first)
	}
	all := slices.DeleteFunc(n.EdgesFor(&s.first), s.isFirst)
	return append(all, s.first)
}

func (s *search[E, N, W]) isFirst(e E) bool {
	w, round := e.Wait()
	first, firstRound := s.first.Wait()
	return w == first && round == firstRound
}

// handlerStuck reports whether a handler that waits can't go on. The edges are its.
func (s *search[E, N, W]) handlerStuck(edges []E) bool {
	if _, spares := edges[0].Spare(); !spares {
		return s.anyStuck(edges)
	}
	before, stuck := s.ring, 0
	for i := range edges {
		if s.anyStuck(edges[i : i+1]) {
			stuck++
		}
	}
	if spare, _ := edges[0].Spare(); stuck > 0 && stuck > spare {
		return true
	}
	s.ring = before
	return false
}

// anyStuck reports whether one of the edges of a handler is stuck. One that leads
// back to an edge of the path is, too; but unless another leads to the first edge,
// that is a ring without it, and for those to know who are in it.
func (s *search[E, N, W]) anyStuck(edges []E) (stuck bool) {
	if slices.ContainsFunc(edges, s.isFirst) {
		s.ring = slices.Clone(s.path)
		return true
	}
	for _, e := range edges {
		switch {
		case s.on[wait(e)]:
			stuck = true
		case s.stuck(e):
			if stuck = true; s.ring != nil {
				return true
			}
		}
	}
	return stuck
}

// someStuck reports whether one of the handlers is stuck.
func (s *search[E, N, W]) someStuck(handlers [][]E) (stuck bool) {
	for _, edges := range handlers {
		if s.handlerStuck(edges) {
			if stuck = true; s.ring != nil {
				return true
			}
		}
	}
	return stuck
}

// allStuck reports whether all handlers are stuck.
func (s *search[E, N, W]) allStuck(handlers [][]E) bool {
	before := s.ring
	for _, edges := range handlers {
		if !s.handlerStuck(edges) {
			s.ring = before
			return false
		}
	}
	return true
}
