package fiberindex

import (
	"math"
	"slices"
	"sync"
	"time"
)

// List has all fibers, as elements of type T, in an order that says nothing. Init makes it ready.
type List[T any] struct {
	link func(*T) *Link[T]

	mu    sync.Mutex
	first *T
	// The present round: its next element, nil between rounds, and when the present or last round began.
	cursor *T
	round  time.Duration

	visiting sync.Mutex  // Held by Visit, so that one visitor at a time calls look with mu held.
	visits   []*Visit[T] // The ones under way. Under mu.
}

// Link ties an element to its neighbours. The element holds it by value.
type Link[T any] struct{ next, previous *T }

// Init says where in an element its Link lies.
func (l *List[T]) Init(link func(*T) *Link[T]) { l.link = link }

// Lock keeps elements from coming and going until Unlock. It also guards fields that only few elements have.
func (l *List[T]) Lock() { l.mu.Lock() }

// Unlock is the end of Lock.
func (l *List[T]) Unlock() { l.mu.Unlock() }

// Add puts x before all others.
func (l *List[T]) Add(x *T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.link(x)
	if k.next = l.first; k.next != nil {
		l.link(k.next).previous = x
	}
	l.first = x
}

// Remove takes x out. A round or a Visit that has come to x goes on with the next element.
func (l *List[T]) Remove(x *T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.link(x)
	if l.cursor == x {
		l.cursor = k.next
	}
	for _, v := range l.visits {
		if v.next == x {
			v.next = k.next
		}
	}
	if k.previous != nil {
		l.link(k.previous).next = k.next
	} else {
		l.first = k.next
	}
	if k.next != nil {
		l.link(k.next).previous = k.previous
	}
	k.next, k.previous = nil, nil
}

// Each calls look with each element, while elements can neither come nor go.
func (l *List[T]) Each(look func(*T)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for x := l.first; x != nil; x = l.link(x).next {
		look(x)
	}
}

// Patrol goes on with a round over all elements, for n of them at most, and calls look with each. It begins a round when
// there is none, and the last one began at least every ago. Elements can neither come nor go meanwhile.
func (l *List[T]) Patrol(now, every time.Duration, n int, look func(*T)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cursor == nil {
		if now-l.round < every {
			return
		}
		l.round, l.cursor = now, l.first
	}
	for ; n > 0 && l.cursor != nil; n-- {
		look(l.cursor)
		l.cursor = l.link(l.cursor).next
	}
}

// BeginRound has the next Patrol begin a round if none is under way, however short ago the last one began.
func (l *List[T]) BeginRound() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.round = math.MinInt64 / 2
}

// Visit is one visitor's way along the list. There may be several, and elements come and go meanwhile: Remove takes a
// visit that has come to the element on to the next one, and Add puts an element before all visits.
type Visit[T any] struct{ next *T } // Guarded by the list's mu.

// visitBatch is how many elements are looked at while the list is locked: 20 us.
const visitBatch = 1024

// Visit calls look with each element that is there all the time. Look is called while elements can neither come nor go.
// Calls of Visit exclude each other.
func (l *List[T]) Visit(look func(*T)) {
	l.visiting.Lock()
	defer l.visiting.Unlock()
	v := l.BeginVisit()
	defer l.EndVisit(v)
	for l.VisitSome(v, visitBatch, look) {
	}
}

// BeginVisit begins a visit, which EndVisit has to end.
func (l *List[T]) BeginVisit() *Visit[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := &Visit[T]{l.first}
	l.visits = append(l.visits, v)
	return v
}

// EndVisit is the end of BeginVisit.
func (l *List[T]) EndVisit(v *Visit[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.visits = slices.DeleteFunc(l.visits, func(other *Visit[T]) bool { return other == v })
}

// VisitSome goes on with a visit, for n elements at most. It returns false at the end.
func (l *List[T]) VisitSome(v *Visit[T], n int, look func(*T)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range n {
		x := v.next
		if x == nil {
			return false
		}
		look(x)
		v.next = l.link(x).next
	}
	return true
}
