package sched

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// roll has the goroutines below the fibers of a scheduler, so that whoever has no
// context finds the fiber that he runs on, if any.
//
// It is a hash table with open addresses. Those who write, when a fiber begins or
// ends, hold mu; who looks takes no lock, since he looks for his own goroutine
// only: its post was there before he began, and stays until he is done. A post
// that was left is not empty again, so that the way to those behind it stays. When
// the table is full of either kind, another one takes its place.
//
// It was considered to look through the fibers that the workers run. That is a
// cache miss for each worker, which all goroutines that ask an actor would pay.
type roll struct {
	table atomic.Pointer[posts] // Nil until the first has entered.
	mu    sync.Mutex
	live  int // How many have entered and not left.
	used  int // How many posts are not empty.
}

// posts is a table. Its length is a power of two.
type posts struct {
	all   []post
	shift uint
}

// post says which fiber a goroutine is below. The fiber is written before id, and
// read by that goroutine alone.
type post struct {
	id atomic.Uintptr
	f  *Fiber
}

const (
	postLeft = 1 // No goroutine's: those are addresses.
	minPosts = 16
)

// from returns where to begin to look for id.
func (t *posts) from(id uintptr) int { return int(uint64(id) * 0x9E3779B97F4A7C15 >> t.shift) }

func (t *posts) next(i int) int { return (i + 1) & (len(t.all) - 1) }

// of returns the fiber of the calling goroutine, which is id, or nil.
func (r *roll) of(id uintptr) *Fiber {
	if p := r.table.Load().find(id); p != nil {
		return p.f
	}
	return nil
}

// find returns the post of id, or nil.
func (t *posts) find(id uintptr) *post {
	if t == nil {
		return nil
	}
	for i := t.from(id); ; i = t.next(i) {
		switch p := &t.all[i]; p.id.Load() {
		case id:
			return p
		case 0:
			return nil
		}
	}
}

// enter notes that the goroutine id, which calls, is below f. It returns the fiber
// that it was below until now, as work is that runs a host, or nil.
func (r *roll) enter(id uintptr, f *Fiber) (outer *Fiber) {
	if id == 0 {
		return nil // Not known on this machine.
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.table.Load()
	if p := t.find(id); p != nil {
		outer, p.f = p.f, f
		return outer
	}
	if t == nil || 4*(r.used+1) > 3*len(t.all) {
		t = r.rebuild(t)
		r.table.Store(t)
	}
	r.live++
	r.used += t.put(id, f)
	return nil
}

// put takes the first post that is free, and returns 1 if it was empty.
func (t *posts) put(id uintptr, f *Fiber) (fresh int) {
	i := t.from(id)
	for t.all[i].id.Load() > postLeft {
		i = t.next(i)
	}
	if t.all[i].id.Load() == 0 {
		fresh = 1
	}
	t.all[i].f = f
	t.all[i].id.Store(id)
	return fresh
}

// rebuild returns a table with room for twice as many as there are. The old one is
// left as it is: somebody may be looking into it. The caller holds mu.
func (r *roll) rebuild(old *posts) *posts {
	n := max(minPosts, 1<<bits.Len(uint(2*r.live)))
	t := &posts{make([]post, n), uint(64 - bits.Len(uint(n-1)))}
	r.used = 0
	if old == nil {
		return t
	}
	for i := range old.all {
		if id := old.all[i].id.Load(); id > postLeft {
			r.used += t.put(id, old.all[i].f)
		}
	}
	return t
}

// leave is the end of enter, which has returned outer, on the same goroutine.
func (r *roll) leave(id uintptr, outer *Fiber) {
	if id == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.table.Load()
	p := t.find(id)
	if p.f = outer; outer != nil {
		return
	}
	p.id.Store(postLeft)
	r.live--
	if n := len(t.all); n > 64*minPosts && 16*r.live < n {
		r.table.Store(r.rebuild(t))
	}
}
