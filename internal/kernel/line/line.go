// Package line has a queue whose entries may leave it from anywhere.
package line

import "github.com/troupe-go/troupe/internal/invariants"

// Line is a queue in the order in which the entries came. Each operation takes constant time and no memory: there may be
// hundreds of thousands of entries, and all may want to leave at the same moment. The zero Line is empty. A copy takes the
// place of the original.
type Line[T any] struct {
	first, last *Entry[T]
	n           int32
}

// Entry is a place in a line. It is part of what waits there.
type Entry[T any] struct {
	Value         T
	ahead, behind *Entry[T]
	queued        bool
}

// Behind returns the next entry, or nil.
func (e *Entry[T]) Behind() *Entry[T] { return e.behind }

// First returns the entry that came first, or nil.
func (l *Line[T]) First() *Entry[T] { return l.first }

// Len returns how many entries there are.
func (l *Line[T]) Len() int32 { return l.n }

// Push puts an entry, which is in no line, at the end.
func (l *Line[T]) Push(e *Entry[T]) {
	if invariants.Enabled {
		invariants.Check(!e.queued, "an entry that is in a line already is put into one")
	}
	e.queued, e.ahead = true, l.last
	if l.last != nil {
		l.last.behind = e
	} else {
		l.first = e
	}
	l.last = e
	l.n++
}

// Remove takes an entry out. It does nothing if the entry is in no line; it must not be in another one.
func (l *Line[T]) Remove(e *Entry[T]) {
	if !e.queued {
		return
	}
	if e.ahead != nil {
		e.ahead.behind = e.behind
	} else {
		l.first = e.behind
	}
	if e.behind != nil {
		e.behind.ahead = e.ahead
	} else {
		l.last = e.ahead
	}
	e.queued, e.ahead, e.behind = false, nil, nil
	l.n--
}
