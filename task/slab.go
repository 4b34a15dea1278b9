package task

import "unsafe"

// slab is memory for several tasks of a group, in the order of Go, so that most of
// them cost no allocation and the group needs no list of them. A group keeps its
// tasks, and a task its group, so nothing is kept for longer. In one that forgets
// tasks, by Discard, each is by itself.
type slab[T any] struct {
	taken int // Under the group's mu, as next is.
	tasks []Task[T]
	next  *slab[T]
}

const (
	// slabMost is the largest number of tasks in a slab, and slabBytes the largest size of
	// a slab: with the 8 bytes of the collector it is a size class of the allocator. One
	// such allocation costs little beside its tasks, and larger slabs would waste memory
	// in small groups.
	slabMost  = 64
	slabBytes = 4<<10 - 8
	// cacheLine is 64 bytes on amd64 and most arm64.
	cacheLine = 64
)

// newTask returns a task that is not in the group yet. The caller holds mu.
func (g *Group[T]) newTask() *Task[T] {
	if t := g.unused; t != nil {
		g.unused, t.next = t.next, nil
		return t
	}
	s := g.newest
	if s == nil { // Of a group that discards.
		return &Task[T]{g: g}
	}
	if s.taken == len(s.tasks) {
		s = g.grow(s)
	}
	t := &s.tasks[s.taken]
	s.taken++
	t.g = g
	return t
}

// giveBack takes a task that the scheduler has refused for the next Go: in a slab
// it would be kept. The caller holds mu.
func (g *Group[T]) giveBack(t *Task[T]) {
	t.work, t.name = nil, nil
	t.next, g.unused = g.unused, t
}

// grow adds a slab to the full one s, twice as long as that: so less than half of
// what a group takes is to spare. The caller holds mu.
func (g *Group[T]) grow(s *slab[T]) *slab[T] {
	size := int(unsafe.Sizeof(Task[T]{}))
	n := max(1, min(2*len(s.tasks), slabMost, slabBytes/size))
	s.next = &slab[T]{tasks: make([]Task[T], n)}
	g.newest = s.next
	return s.next
}

// enter takes t into the group. Its place is 1 in a slab, and one more than its
// index in loose. The caller holds mu.
func (g *Group[T]) enter(t *Task[T]) {
	t.place = 1
	if g.opts.discard {
		g.loose = append(g.loose, t)
		t.place = int32(len(g.loose))
	}
}

// remove takes t out of the group. The caller holds mu.
func (g *Group[T]) remove(t *Task[T]) {
	if g.opts.discard {
		last := len(g.loose)
		moved := g.loose[last-1]
		g.loose[t.place-1], moved.place = moved, t.place
		g.loose[last-1] = nil
		g.loose = g.loose[:last-1]
	}
	t.place = 0
}

// all is an iterator over the tasks in the order of Go; with Discard, in no order.
// The caller holds mu, or the group is closed.
func (g *Group[T]) all(yield func(*Task[T]) bool) {
	for _, t := range g.loose {
		if !yield(t) {
			return
		}
	}
	for s := &g.first; s != nil; s = s.next {
		for i := range s.tasks {
			if t := &s.tasks[i]; t.place != 0 && !yield(t) {
				return
			}
		}
	}
}
