// Package fiberindex finds the fibers of a scheduler: by the goroutine below, or one after the other.
package fiberindex

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Entry is the part of a fiber that the index knows. The fiber holds it by value, so an Entry leads to its
// fiber.
type Entry struct{ goroutine atomic.Uintptr }

// Goroutine returns the goroutine below the fiber, or 0 if there is none.
func (e *Entry) Goroutine() uintptr { return e.goroutine.Load() }

// SetGoroutine notes the goroutine below the fiber, which calls. It is set before [Index.Enter], and cleared, by 0, after
// [Index.Leave].
func (e *Entry) SetGoroutine(id uintptr) { e.goroutine.Store(id) }

// Index leads from goroutines to the fibers above them, so that code without a context finds the fiber that it runs on.
// The zero Index is empty.
//
// It is a hash table with open addresses, in groups of the size of a cache line: seven fibers, and a word with a tag for
// each. A tag is a part of the hash. So a goroutine below no fiber has mostly seen that in one group, and looks into no
// fiber; the goroutine itself is written in the fiber. While the table grows, a fiber takes 12 to 24 bytes of it.
//
// Writers, at the begin and end of a fiber, hold mu. A lookup takes no lock, since a goroutine looks for itself only: its
// place was taken before it began, and stays until it is done. A full group leads on to the next one, and a place that
// was left in it is not empty again, so that the way to the fibers behind it stays. When the table is full of either
// kind, another one replaces it.
//
// Rejected: a look through the fibers that the workers run is a cache miss for each worker, and all goroutines that ask an
// actor would pay it. With the goroutine beside each fiber, the table took twice the room.
type Index struct {
	table atomic.Pointer[table] // Nil until the first has entered.
	mu    sync.Mutex
	live  int // How many have entered and not left.
	used  int // How many places are not empty.
}

// table has a length that is a power of two.
type table struct {
	groups []group
	shift  uint
}

// group is a part of the table. Tags has a byte for each fiber, from the lowest on.
type group struct {
	tags   atomic.Uint64 // Written after the fibers.
	fibers [groupSize]atomic.Pointer[Entry]
}

const (
	groupSize = 7
	minGroups = 4
	maxFull   = 3 // At most so many of four places are used; beyond, ways become long.
	// maxKept is how many places the largest table has that is kept even if it is empty: 8 KB.
	maxKept = 128 * groupSize

	// A tag is 0 where a place is empty, and has always been so while its group was full; tagLeft where a fiber has
	// left; and else 7 bits of the hash and tagTaken.
	tagLeft  = 1
	tagTaken = 0x80

	ones  uint64 = 0x01_0101_0101_0101 // The lowest bit of each tag.
	highs        = ones * tagTaken     // The highest.
)

// from returns the group to begin at with the search for id, and its tag.
func (t *table) from(id uintptr) (at int, tag uint64) {
	h := uint64(id) * 0x9E3779B97F4A7C15
	return int(h >> t.shift), h>>(t.shift-7)&0x7f | tagTaken
}

func (t *table) next(i int) int { return (i + 1) & (len(t.groups) - 1) }

// zeros has the highest bit set of the lowest byte of tags that is 0, and none if there is no such byte. Bytes above it
// that are 1 may have that bit set, too.
func zeros(tags uint64) uint64 { return (tags - ones) &^ tags & highs }

// Of returns the fiber of the calling goroutine, which is id, or nil.
func (x *Index) Of(id uintptr) *Entry {
	t := x.table.Load()
	if t == nil {
		return nil
	}
	for at, tag := t.from(id); ; at = t.next(at) { // As in find, which returns more and takes longer.
		g := &t.groups[at]
		tags := g.tags.Load()
		for same := zeros(tags ^ tag*ones); same != 0; same &= same - 1 {
			if e := g.fibers[bits.TrailingZeros64(same)/8].Load(); e != nil && e.goroutine.Load() == id {
				return e
			}
		}
		if zeros(tags) != 0 {
			return nil
		}
	}
}

// find returns the fiber of id and its place, or nil.
func (t *table) find(id uintptr) (e *Entry, g *group, i int) {
	if t == nil {
		return nil, nil, 0
	}
	for at, tag := t.from(id); ; at = t.next(at) {
		g = &t.groups[at]
		tags := g.tags.Load()
		for same := zeros(tags ^ tag*ones); same != 0; same &= same - 1 {
			i = bits.TrailingZeros64(same) / 8
			if e = g.fibers[i].Load(); e != nil && e.goroutine.Load() == id {
				return e, g, i
			}
		}
		if zeros(tags) != 0 {
			return nil, nil, 0
		}
	}
}

// Enter notes that the calling goroutine, e's, is below e. It returns the fiber that it was below until now, as work is
// that runs a host, or nil.
func (x *Index) Enter(e *Entry) (outer *Entry) {
	id := e.goroutine.Load()
	x.mu.Lock()
	defer x.mu.Unlock()
	t := x.table.Load()
	outer, g, i := t.find(id)
	if outer != nil {
		g.fibers[i].Store(e)
		return outer
	}
	if t == nil || 4*(x.used+1) > maxFull*groupSize*len(t.groups) {
		t = x.rebuild(t)
		x.table.Store(t)
	}
	x.live++
	x.used += t.put(id, e)
	return nil
}

// put takes the first place that is free, and returns 1 if it was empty.
func (t *table) put(id uintptr, e *Entry) (fresh int) {
	at, tag := t.from(id)
	for t.groups[at].tags.Load()&highs == highs {
		at = t.next(at)
	}
	g := &t.groups[at]
	tags := g.tags.Load()
	bit := bits.TrailingZeros64(^tags&highs) &^ 7
	if tags>>bit&tagLeft == 0 {
		fresh = 1
	}
	g.fibers[bit/8].Store(e)
	g.tags.Store(tags&^(0xff<<bit) | tag<<bit)
	return fresh
}

// rebuild returns a table with room for twice as many as there are. The old one stays as it is, since a lookup may be
// under way in it. The caller holds mu.
func (x *Index) rebuild(old *table) *table {
	n := max(minGroups, 1<<bits.Len(uint(2*x.live/groupSize)))
	t := &table{make([]group, n), uint(64 - bits.Len(uint(n-1)))}
	x.used = 0
	if old == nil {
		return t
	}
	for i := range old.groups {
		for j := range old.groups[i].fibers {
			if e := old.groups[i].fibers[j].Load(); e != nil {
				x.used += t.put(e.goroutine.Load(), e)
			}
		}
	}
	return t
}

// Leave is the end of Enter, which has returned outer, on the same goroutine.
func (x *Index) Leave(e, outer *Entry) {
	id := e.goroutine.Load()
	x.mu.Lock()
	defer x.mu.Unlock()
	t := x.table.Load()
	_, g, i := t.find(id)
	if g.fibers[i].Store(outer); outer != nil {
		return
	}
	x.used -= g.clear(i)
	x.live--
	if n := groupSize * len(t.groups); n > maxKept && 16*x.live < n {
		x.table.Store(x.rebuild(t))
	}
}

// clear gives a place back, and returns 1 if it is empty then. That is so in a group with another empty place: no fiber
// was put behind such a group.
func (g *group) clear(i int) (emptied int) {
	tags, left := g.tags.Load(), uint64(tagLeft)
	if zeros(tags) != 0 {
		left, emptied = 0, 1
	}
	g.tags.Store(tags&^(0xff<<(8*i)) | left<<(8*i))
	return emptied
}
