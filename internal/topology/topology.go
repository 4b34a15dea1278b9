// Package topology says which processors the program may run on and what they
// share: a cache, a NUMA node, or neither.
//
// On Linux it reads sysfs and the program's affinity mask, in which a cpuset
// shows as well. Elsewhere, and where sysfs is missing or makes no sense, all
// processors count as sharing everything: what is not known must not steer.
package topology

import (
	"cmp"
	"runtime"
	"slices"
)

// CPU is one processor as the operating system counts them.
type CPU struct {
	ID int
	// Cache names the group of processors that share the last level of cache:
	// it is the least ID among them, or -1 if the machine does not say.
	Cache int
	// Node is the NUMA node.
	Node int
	// Thread is 0 for the first hardware thread of a core, 1 for its second.
	Thread int
}

// Distance is how far apart two processors are, in what they share.
type Distance uint8

// The distances, from near to far.
const (
	SameCache Distance = iota
	SameNode
	Remote

	NumDistances = 3
)

// Distance returns how far d is from c. On a machine that does not tell of its
// caches, those on one node share one.
func (c CPU) Distance(d CPU) Distance {
	switch {
	case c.Cache == d.Cache && (c.Cache >= 0 || c.Node == d.Node):
		return SameCache
	case c.Node == d.Node:
		return SameNode
	}
	return Remote
}

// Machine is the set of processors that the program may use.
type Machine struct {
	// CPUs is in the order in which workers are spread over them: a thread of
	// each core before the second threads, and neighbours before strangers, so
	// that few workers share a cache.
	CPUs []CPU
}

// Flat reports whether no processor is farther from another than their common
// cache: then there is nothing that locality could tell.
func (m Machine) Flat() bool {
	for _, c := range m.CPUs {
		if c.Distance(m.CPUs[0]) != SameCache {
			return false
		}
	}
	return true
}

// Find returns the processor with the given ID.
func (m Machine) Find(id int) (c CPU, ok bool) {
	for _, c := range m.CPUs {
		if c.ID == id {
			return c, true
		}
	}
	return CPU{}, false
}

func (m Machine) sort() {
	slices.SortFunc(m.CPUs, func(a, b CPU) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Node, b.Node),
			cmp.Compare(a.Cache, b.Cache), cmp.Compare(a.ID, b.ID))
	})
}

// flat returns a machine of which nothing is known but its processors.
func flat(ids []int) Machine {
	m := Machine{CPUs: make([]CPU, len(ids))}
	for i, id := range ids {
		m.CPUs[i] = CPU{ID: id, Cache: -1}
	}
	m.sort()
	return m
}

// upTo returns the numbers below n.
func upTo(n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = i
	}
	return ids
}

func cpuCount() int { return max(1, runtime.NumCPU()) }
