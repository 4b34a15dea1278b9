package inspect

// backlog is a queue of at most limit events, which drops the oldest. It is in
// pieces. One slice would have to be copied to grow, by a goroutine that reports an
// event and must not be held up: 2^20 events are some 400 MB.
type backlog struct {
	limit       int
	first, last *piece
	head, tail  int // Where the oldest is in first, and the next has its place in last.
	length      int
	dropped     uint64
}

// piece is 12 KB or so.
type piece struct {
	events [32]Event
	next   *piece
}

func (b *backlog) put(e Event) {
	if b.length == b.limit {
		b.take()
		b.dropped++
	}
	switch {
	case b.last == nil:
		b.last = &piece{}
		b.first, b.head, b.tail = b.last, 0, 0
	case b.tail == len(b.last.events):
		b.last.next = &piece{}
		b.last, b.tail = b.last.next, 0
	}
	b.last.events[b.tail] = e
	b.tail++
	b.length++
}

func (b *backlog) take() (e Event, ok bool) {
	if b.length == 0 {
		return e, false
	}
	e, b.first.events[b.head] = b.first.events[b.head], Event{}
	b.head++
	b.length--
	switch {
	case b.length == 0: // The piece is kept: otherwise each event that is taken at once would cost one.
		b.head, b.tail = 0, 0
	case b.head == len(b.first.events):
		b.first, b.head = b.first.next, 0
	}
	return e, true
}
