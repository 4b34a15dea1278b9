package queues

// fifo is a first-in-first-out queue that grows as needed and lets go of its memory when it is empty again. The zero fifo
// is empty.
type fifo[T any] struct {
	ring []*T // Its length is a power of two, or zero.
	head int
	n    int
	// popped counts what has left: the position of the next. It falls with pushFront.
	popped int64
}

// keepRing is the longest ring that an empty queue keeps: 8 KB on 64 bits, so that bursts of usual size do not allocate
// each time.
const keepRing = 1024

// push adds x at the end.
func (q *fifo[T]) push(x *T) {
	q.makeRoom()
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = x
	q.n++
}

// pushFront makes x the next that pop returns.
func (q *fifo[T]) pushFront(x *T) {
	q.makeRoom()
	q.head = (q.head - 1) & (len(q.ring) - 1)
	q.popped--
	q.ring[q.head] = x
	q.n++
}

func (q *fifo[T]) makeRoom() {
	if q.n < len(q.ring) {
		return
	}
	grown := make([]*T, max(16, 2*len(q.ring)))
	for i := range q.n {
		grown[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
	}
	q.ring, q.head = grown, 0
}

// pop takes the oldest, or returns nil.
func (q *fifo[T]) pop() *T {
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
func (q *fifo[T]) span() (begin, end int64) { return q.popped, q.popped + int64(q.n) }
