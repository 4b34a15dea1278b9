package sched

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// roll has the goroutines below the fibers of a scheduler, so that whoever has no
// context finds the fiber that he runs on, if any.
//
// It is a hash table with open addresses, in groups of the size of a cache line:
// seven fibers, and a word with a tag for each, which says a part of the hash.
// So who is on no fiber has mostly seen that in one group, and looks into no
// fiber; the goroutine itself is written in the fiber. While the table grows, a fiber
// takes 12 to 24 bytes of it.
//
// Those who write, when a fiber begins or ends, hold mu; who looks takes no lock,
// since he looks for his own goroutine only: its place was taken before he began, and
// stays until he is done. A group that is full leads on to the next one, and a place
// that was left in it is not empty again, so that the way to those behind it stays.
// When the table is full of either kind, another one takes its place.
//
// It was considered to look through the fibers that the workers run. That is a
// cache miss for each worker, which all goroutines that ask an actor would pay. With
// the goroutine beside each fiber in the table, it took twice the room.
type roll struct {
	table atomic.Pointer[posts] // Nil until the first has entered.
	mu    sync.Mutex
	live  int // How many have entered and not left.
	used  int // How many places are not empty.
}

// posts is a table. Its length is a power of two.
type posts struct {
	all   []group
	shift uint
}

// group is a part of the table. Tags has a byte for each fiber, from the lowest on.
type group struct {
	tags   atomic.Uint64 // Written after the fibers.
	fibers [groupSize]atomic.Pointer[Fiber]
}

const (
	groupSize = 7
	minGroups = 4
	maxFull   = 3 // Of four places so many may be used; beyond, ways become long.

	// What tags are: 0 where a place is empty, and has always been so while its group was
	// full; tagLeft where somebody has left; and else 7 bits of the hash and tagTaken.
	tagLeft  = 1
	tagTaken = 0x80

	ones  uint64 = 0x01_0101_0101_0101 // The lowest bit of each tag.
	highs        = ones * tagTaken     // The highest.
)

// from returns in which group to begin to look for id, and its tag.
func (t *posts) from(id uintptr) (at int, tag uint64) {
	h := uint64(id) * 0x9E3779B97F4A7C15
	return int(h >> t.shift), h>>(t.shift-7)&0x7f | tagTaken
}

func (t *posts) next(i int) int { return (i + 1) & (len(t.all) - 1) }

// zeros has the highest bit set of the lowest byte of tags that is 0, and none if
// there is no such byte. Of those above it may have some set that are 1.
func zeros(tags uint64) uint64 { return (tags - ones) &^ tags & highs }

// of returns the fiber of the calling goroutine, which is id, or nil.
func (r *roll) of(id uintptr) *Fiber {
	t := r.table.Load()
	if t == nil {
		return nil
	}
	for at, tag := t.from(id); ; at = t.next(at) { // As in find, which says more and takes longer.
		g := &t.all[at]
		tags := g.tags.Load()
		for same := zeros(tags ^ tag*ones); same != 0; same &= same - 1 {
			if f := g.fibers[bits.TrailingZeros64(same)/8].Load(); f != nil && f.id.Load() == id {
				return f
			}
		}
		if zeros(tags) != 0 {
			return nil
		}
	}
}

// find returns the fiber of id and where it is, or nil.
func (t *posts) find(id uintptr) (f *Fiber, g *group, i int) {
	if t == nil {
		return nil, nil, 0
	}
	for at, tag := t.from(id); ; at = t.next(at) {
		g = &t.all[at]
		tags := g.tags.Load()
		for same := zeros(tags ^ tag*ones); same != 0; same &= same - 1 {
			i = bits.TrailingZeros64(same) / 8
			if f = g.fibers[i].Load(); f != nil && f.id.Load() == id {
				return f, g, i
			}
		}
		if zeros(tags) != 0 {
			return nil, nil, 0
		}
	}
}

// enter notes that the goroutine id, which calls, is below f, whose id is that. It
// returns the fiber that it was below until now, as work is that runs a host, or nil.
func (r *roll) enter(id uintptr, f *Fiber) (outer *Fiber) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.table.Load()
	outer, g, i := t.find(id)
	if outer != nil {
		g.fibers[i].Store(f)
		return outer
	}
	if t == nil || 4*(r.used+1) > maxFull*groupSize*len(t.all) {
		t = r.rebuild(t)
		r.table.Store(t)
	}
	r.live++
	r.used += t.put(id, f)
	return nil
}

// put takes the first place that is free, and returns 1 if it was empty.
func (t *posts) put(id uintptr, f *Fiber) (fresh int) {
	at, tag := t.from(id)
	for t.all[at].tags.Load()&highs == highs {
		at = t.next(at)
	}
	g := &t.all[at]
	tags := g.tags.Load()
	bit := bits.TrailingZeros64(^tags&highs) &^ 7
	if tags>>bit&tagLeft == 0 {
		fresh = 1
	}
	g.fibers[bit/8].Store(f)
	g.tags.Store(tags&^(0xff<<bit) | tag<<bit)
	return fresh
}

// rebuild returns a table with room for twice as many as there are. The old one is
// left as it is: somebody may be looking into it. The caller holds mu.
func (r *roll) rebuild(old *posts) *posts {
	n := max(minGroups, 1<<bits.Len(uint(2*r.live/groupSize)))
	t := &posts{make([]group, n), uint(64 - bits.Len(uint(n-1)))}
	r.used = 0
	if old == nil {
		return t
	}
	for i := range old.all {
		for j := range old.all[i].fibers {
			if f := old.all[i].fibers[j].Load(); f != nil {
				r.used += t.put(f.id.Load(), f)
			}
		}
	}
	return t
}

// leave is the end of enter, which has returned outer, on the same goroutine.
func (r *roll) leave(id uintptr, outer *Fiber) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.table.Load()
	_, g, i := t.find(id)
	if g.fibers[i].Store(outer); outer != nil {
		return
	}
	r.used -= g.clear(i)
	r.live--
	if n := groupSize * len(t.all); n > maxKept && 16*r.live < n {
		r.table.Store(r.rebuild(t))
	}
}

// maxKept is how many places the largest table has that is kept whatever there is in
// it: 8 KB.
const maxKept = 128 * groupSize

// clear gives a place back, and returns 1 if it is empty then: so it is in a group
// with another one that is empty, beyond which nobody was put.
func (g *group) clear(i int) (emptied int) {
	tags, left := g.tags.Load(), uint64(tagLeft)
	if zeros(tags) != 0 {
		left, emptied = 0, 1
	}
	g.tags.Store(tags&^(0xff<<(8*i)) | left<<(8*i))
	return emptied
}
