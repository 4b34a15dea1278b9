package queues

import "time"

// FIFO is the queue below the others.
type FIFO[T any] struct{ fifo[T] }

func (q *FIFO[T]) Push(x *T) { q.push(x) }
func (q *FIFO[T]) Pop() *T   { return q.pop() }

// Len is the number of elements.
func (q *FIFO[T]) Len() int { return q.n }

// Ring is the length of the memory that the queue holds.
func (q *FIFO[T]) Ring() int { return len(q.ring) }

// KeepRing is how much of it an empty queue keeps at most.
const KeepRing = keepRing

// Len is how much work an inbox has.
func (b *Inbox[T]) Len() int { return b.length() }

// Set marks a queue.
func (m *Marks) Set(now time.Duration, begin, end int64) { m.set(now, begin, end) }

// Due is the position before which all has been there since a time.
func (m *Marks) Due(since time.Duration, begin int64) int64 { return m.due(since, begin) }
