package task

import (
	"unsafe"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// slab is memory for several tasks of a group, in the order of Go, so that most of
// them cost no allocation and the group needs no list of them. A group keeps its
// tasks, and a task its group, so nothing is kept for longer. In one that forgets
// tasks, by Discard, each is by itself.
type slab[T any] struct {
	taken xatomic.Int32 // Or more.
	tasks []Task[T]
	next  *slab[T] // Under the group's mu.
}

const (
	// slabMost is how many tasks a slab has at most, and slabBytes the memory that
	// they take: with 8 bytes for the collector, a size that the allocator has. An
	// allocation of that is a small part of what its tasks cost, and a group has no
	// more to spare.
	slabMost  = 64
	slabBytes = 4<<10 - 8
	// cacheLine is 64 bytes on amd64 and most arm64.
	cacheLine = 64
)

// newTask returns a task that is not in the group yet.
func (g *Group[T]) newTask() *Task[T] {
	if g.unused.Load() != nil {
		if t := g.takeUnused(); t != nil {
			return t
		}
	}
	for {
		s := g.newest.Load()
		if s == nil { // Of a group that discards, or is closed.
			return &Task[T]{g: g}
		}
		if i := int(s.taken.Add(1)) - 1; i < len(s.tasks) {
			t := &s.tasks[i]
			t.g = g
			return t
		}
		g.grow(s)
	}
}

// giveBack takes a task that the scheduler has refused for the next Go: in a slab
// it would be kept.
func (g *Group[T]) giveBack(t *Task[T]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t.work, t.name = nil, nil
	t.next = g.unused.Load()
	g.unused.Store(t)
}

func (g *Group[T]) takeUnused() *Task[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.unused.Load()
	if t != nil {
		g.unused.Store(t.next)
		t.next = nil
	}
	return t
}

// grow adds a slab to the full one s, twice as long as that: so less than half of
// what a group takes is to spare.
func (g *Group[T]) grow(s *slab[T]) {
	size := int(unsafe.Sizeof(Task[T]{}))
	n := max(1, min(2*len(s.tasks), slabMost, slabBytes/size))
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.newest.Load() == s {
		s.next = &slab[T]{tasks: make([]Task[T], n)}
		g.newest.Store(s.next)
	}
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
