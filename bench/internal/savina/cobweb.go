package savina

import "github.com/troupe-go/troupe/internal/bench/suite"

var cobweb = suite.Workload{
	Name: Cobweb, Family: suite.Actors, Baseline: channels, Unit: "ns/node", Size: 50_000, TinySize: 200,
	About: "the unbalanced cobwebbed tree: actors grow a tree of 50,000, with 1 to 10 children of very different size, " +
		"which is then visited, down and up, each node adding what it has computed (Savina)",
	Ops:  func(n, size int) int { return n * size },
	Want: func(n, size int) int64 { return int64(n) * Root(size).total() },
}

// Node is a node of the tree, as yet without children.
type Node struct {
	seed uint64
	size int // Nodes of its subtree, itself included.
}

// Root returns the root of a tree with size nodes.
func Root(size int) Node { return Node{1, size} }

// Children calls yield with each child: up to ten, each of a random part of what
// is left, so that most of the tree hangs on a few. The
// suite draws random numbers while the tree grows. Here the path decides, so the tree
// is always the same.
func (n Node) Children(yield func(Node) bool) {
	left, fanOut := n.size-1, int(mix(n.seed)%10)+1
	for i := 1; left > 0; i++ {
		seed := mix(n.seed + uint64(i))
		size := left
		if i < fanOut {
			size = 1 + int(seed%uint64(left))
		}
		if !yield(Node{seed, size}) {
			return
		}
		left -= size
	}
}

// Work is what a node computes when it is visited.
func (n Node) Work() int64 {
	x := n.seed
	for range 100 {
		x = mix(x)
	}
	return int64(x >> 40)
}

func (n Node) total() int64 {
	sum := n.Work()
	for child := range n.Children {
		sum += child.total()
	}
	return sum
}
