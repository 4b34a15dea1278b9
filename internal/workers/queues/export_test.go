package queues

// Len is the number of elements.
func (q *FIFO[T]) Len() int { return q.n }

// Ring is the length of the memory that the queue holds.
func (q *FIFO[T]) Ring() int { return len(q.ring) }

// KeepRing is how much of it an empty queue keeps at most.
const KeepRing = keepRing
