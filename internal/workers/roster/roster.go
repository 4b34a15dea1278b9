// Package roster has a list that is read often, by many, and seldom changed.
package roster

import (
	"slices"
	"sync"
	"sync/atomic"
)

// List is a list of things that differ. The zero List is empty. Its methods may be called by several goroutines at
// the same time.
type List[T comparable] struct {
	mu  sync.Mutex
	all atomic.Pointer[[]T] // Replaced, never changed.
}

// All returns what is in the list, in the order of Add. The caller must not change it. It costs a load.
func (l *List[T]) All() []T {
	if all := l.all.Load(); all != nil {
		return *all
	}
	return nil
}

// Add puts one into the list.
func (l *List[T]) Add(one T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := append(slices.Clone(l.All()), one)
	l.all.Store(&all)
}

// Remove takes one out of the list, if it is there.
func (l *List[T]) Remove(one T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(l.All()), func(other T) bool { return other == one })
	l.all.Store(&all)
}
