package queues

import "time"

// Marks say how long the work in a queue has been there. Elements have no time of arrival; it would cost each of them a
// look at the clock and 8 bytes. Instead the time and the position after the newest element are noted now and then. The
// queue is first in, first out, so all that lies before a mark has waited since the mark.
type Marks struct{ list []mark } // The oldest first.

// mark says that elements before end were there at the time at.
type mark struct {
	at  time.Duration
	end int64
}

// None reports whether there are no marks.
func (m *Marks) None() bool { return len(m.list) == 0 }

// Due returns the position before which all has been there since the given time. Begin is the position of the oldest
// element.
func (m *Marks) Due(since time.Duration, begin int64) (end int64) {
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

// Set marks the queue, which now ends at end. Earlier marks beyond that are of elements that have left at the new end.
func (m *Marks) Set(now time.Duration, begin, end int64) {
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
	Inbox [Bonds][Slots]Marks
}

// SharedMarks are the marks of the shared queues.
type SharedMarks [Priorities]Marks

// Mark marks the worker's queues. Any goroutine may call it.
func (q *Own[T]) Mark(now time.Duration, m *OwnMarks) {
	m.First.Set(now, q.First.Taken(), q.First.End())
	for p := High; p < Priorities; p++ {
		m.Local[p].Set(now, q.Local[p].Taken(), q.Local[p].End())
	}
	if q.Inbox.Mask() == 0 {
		clear(m.Inbox[:])
		return
	}
	for bond := Placed; bond <= Pinned; bond++ {
		for slot := range Slots {
			begin, end := q.Inbox.Span(bond, slot)
			m.Inbox[bond.Index()][slot].Set(now, begin, end)
		}
	}
}

// Mark marks the shared queues, but for the critical one.
func (q *Shared[T]) Mark(now time.Duration, m *SharedMarks) {
	for p := High; p < Priorities; p++ {
		begin, end := q.Span(p)
		m[p].Set(now, begin, end)
	}
}
