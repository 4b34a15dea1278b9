package queues

// FIFO is a first-in-first-out queue that grows as needed and lets go of its memory when it is empty again. The zero FIFO
// is empty.
type FIFO[T any] struct {
	ring []*T // Its length is a power of two, or zero.
	head int
	n    int
	// popped counts what has left: the position of the next. It falls with PushFront.
	popped int64
}

// keepRing is the longest ring that an empty queue keeps: 8 KB on 64 bits, so that bursts of usual size do not allocate
// each time.
const keepRing = 1024

// Push adds x at the end.
func (q *FIFO[T]) Push(x *T) {
	q.makeRoom()
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = x
	q.n++
}

// PushFront makes x the next that Pop returns.
func (q *FIFO[T]) PushFront(x *T) {
	q.makeRoom()
	q.head = (q.head - 1) & (len(q.ring) - 1)
	q.popped--
	q.ring[q.head] = x
	q.n++
}

func (q *FIFO[T]) makeRoom() {
	if q.n < len(q.ring) {
		return
	}
	grown := make([]*T, max(16, 2*len(q.ring)))
	for i := range q.n {
		grown[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
	}
	q.ring, q.head = grown, 0
}

// Pop takes the oldest, or returns nil.
func (q *FIFO[T]) Pop() *T {
	if q.n == 0 {
		return nil
	}
	slot := &q.ring[q.head]
	x := *slot
	*slot = nil
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.popped++
	if q.n--; q.n == 0 && len(q.ring) > keepRing {
		q.ring, q.head = nil, 0
	}
	return x
}

// span returns the positions of the oldest and after the newest.
func (q *FIFO[T]) span() (begin, end int64) { return q.popped, q.popped + int64(q.n) }
