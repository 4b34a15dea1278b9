package main

// graph says for each file of a package which others it refers to.
type graph map[string]map[string]bool

// references returns the graph of a package's files. A file refers to another if it uses an
// identifier that is declared there: one of the package, a field or a method.
func references(s *source) graph {
	g := make(graph)
	for _, file := range s.built {
		g[s.file(file.Package)] = make(map[string]bool)
	}
	for use, object := range s.info.Uses {
		if object.Pkg() != s.types || !object.Pos().IsValid() {
			continue
		}
		if from, to := s.file(use.Pos()), s.file(object.Pos()); from != to {
			g[from][to] = true
		}
	}
	return g
}

// perFile returns how many others a file refers to on average.
func (g graph) perFile() float64 {
	edges := 0
	for _, to := range g {
		edges += len(to)
	}
	return float64(edges) / float64(max(1, len(g)))
}

// circle returns the size of the largest circle: the most files that all lead to each other. It
// is 0 if no two files do.
func (g graph) circle() int {
	reach := make(map[string]map[string]bool)
	for file := range g {
		seen := make(map[string]bool)
		g.follow(file, seen)
		reach[file] = seen
	}
	largest := 0
	for a := range g {
		n := 0
		for b := range reach[a] {
			if reach[b][a] {
				n++
			}
		}
		largest = max(largest, n)
	}
	return largest
}

// follow adds to seen what can be reached from a file.
func (g graph) follow(file string, seen map[string]bool) {
	for to := range g[file] {
		if !seen[to] {
			seen[to] = true
			g.follow(to, seen)
		}
	}
}
