package memory

import (
	"container/list"
	"sync"
	"time"
)

// Group is what is known of the events with the same key.
type Group[E any] struct {
	Count uint64    `json:"count"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Event E         `json:"event"` // The last one.
}

// Groups counts events by key. It keeps the groups that had an event last, up to a limit. The zero value keeps none.
type Groups[K comparable, E any] struct {
	Limit int

	mu    sync.Mutex
	byKey map[K]*list.Element
	order list.List // Of *entry, the one with the last event in front.
	left  uint64
}

type entry[K comparable, E any] struct {
	key K
	Group[E]
}

// Add counts n events.
func (g *Groups[K, E]) Add(key K, n uint64, at time.Time, e E) {
	if g.Limit <= 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if known := g.byKey[key]; known != nil {
		g.order.MoveToFront(known)
		one := known.Value.(*entry[K, E])
		one.Count += n
		one.Last, one.Event = at, e
		return
	}
	if g.byKey == nil {
		g.byKey = map[K]*list.Element{}
	}
	if g.order.Len() == g.Limit {
		delete(g.byKey, g.order.Remove(g.order.Back()).(*entry[K, E]).key)
		g.left++
	}
	g.byKey[key] = g.order.PushFront(&entry[K, E]{key, Group[E]{n, at, at, e}})
}

// All returns the groups, the one with the last event first, and how many were left out so far as they were beyond the limit.
func (g *Groups[K, E]) All() (all []Group[E], left uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	all = make([]Group[E], 0, g.order.Len())
	for at := g.order.Front(); at != nil; at = at.Next() {
		all = append(all, at.Value.(*entry[K, E]).Group)
	}
	return all, g.left
}
