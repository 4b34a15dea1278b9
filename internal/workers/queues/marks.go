package queues

import (
	"time"

	"github.com/troupe-go/troupe/internal/deque"
)

// Marks say how long the work in a queue has been there. Elements have no time of arrival; it would cost each of them a
// look at the clock and 8 bytes. Instead the time and the position after the newest element are noted now and then. The
// queue is first in, first out, so all that lies before a mark has waited since the mark.
type Marks struct{ list []mark } // The oldest first.

// mark says that elements before end were there at the time at.
type mark struct {
	at  time.Duration
	end int64
}

// due returns the position before which all has been there since the given time. Begin is the position of the oldest
// element.
func (m *Marks) due(since time.Duration, begin int64) (end int64) {
	keep := 0
	for i, x := range m.list {
		if x.at > since && x.end > begin {
			break
		}
		if x.at <= since {
			end = x.end
		}
		keep = i + 1
	}
	m.list = append(m.list[:0], m.list[keep:]...)
	return end
}

// set marks the queue, which now ends at end. Earlier marks beyond that are of elements that have left at the new end.
func (m *Marks) set(now time.Duration, begin, end int64) {
	for i := range m.list {
		m.list[i].end = min(m.list[i].end, end)
	}
	if begin < end {
		m.list = append(m.list, mark{at: now, end: end})
	}
}

// OwnMarks are the marks of one worker's queues.
type OwnMarks struct {
	Local [Priorities]Marks
	First Marks
	inbox [bonds][slots]Marks
}

// SharedMarks are the marks of the shared queues.
type SharedMarks [Priorities]Marks

// Mark marks the worker's queues. Any goroutine may call it.
func (q *Own[T]) Mark(now time.Duration, m *OwnMarks) {
	m.First.set(now, q.First.Taken(), q.First.End())
	for p := High; p < Priorities; p++ {
		m.Local[p].set(now, q.Local[p].Taken(), q.Local[p].End())
	}
	if q.Inbox.Mask() == 0 {
		clear(m.inbox[:])
		return
	}
	for bond := Placed; bond <= Pinned; bond++ {
		for slot := range slots {
			begin, end := q.Inbox.span(bond, slot)
			m.inbox[bond.index()][slot].set(now, begin, end)
		}
	}
}

// Mark marks the shared queues, but for the critical one.
func (q *Shared[T]) Mark(now time.Duration, m *SharedMarks) {
	for p := High; p < Priorities; p++ {
		begin, end := q.span(p)
		m[p].set(now, begin, end)
	}
}

// DueOf returns the position before which all in a worker's queue has been there since the given time, or 0.
func DueOf[T any](q *deque.Deque[T], m *Marks, since time.Duration) (end int64) {
	if len(m.list) == 0 {
		return 0
	}
	return m.due(since, q.Taken())
}

// Due returns the position before which all of priority p has been there since the given time, or 0.
func (q *Shared[T]) Due(p Priority, m *SharedMarks, since time.Duration) (end int64) {
	if len(m[p].list) == 0 {
		return 0
	}
	begin, _ := q.span(p)
	return m[p].due(since, begin)
}
