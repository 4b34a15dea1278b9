package actor

import "time"

// dues are the timers of one owner that wait for their time: a heap, the one that is due
// first on top, and of several that are due at the same time the one that was set first.
// Guarded by the owner's mu.
//
// # Protocol
//
// Each timer has an alarm of its own, which the clock calls on a goroutine of its own: so
// alarms at about the same time come in any order. The first alarm sends for all timers that
// are due by then, from the top of the heap. One of them does so
// at a time; the others leave it to that one, by until, and are over. One that has to
// wait, as a lane is full, hands this over to a further goroutine when its message has its
// place among those that wait for room.
//
// The alternative was one alarm for each owner. It is no cheaper where most timers are
// stopped before they are due, since the alarm has to be set again for each.
type dues struct {
	heap []dueTimer
	// until is the time for which timers are to be sent for.
	until time.Time
	// sending says that a goroutine is at it.
	sending bool
}

type dueTimer struct {
	at time.Time // A copy of timer.due, which has a lock of its own.
	t  *timer
}

func (a dueTimer) before(b dueTimer) bool {
	if c := a.at.Compare(b.at); c != 0 {
		return c < 0
	}
	return a.t.number < b.t.number
}

// add enters a timer that is due at the given time.
func (d *dues) add(t *timer, at time.Time) {
	d.heap = append(d.heap, dueTimer{at, t})
	d.up(len(d.heap) - 1)
}

// remove takes out a timer, if it is there.
func (d *dues) remove(t *timer) {
	if t.dueAt == 0 {
		return
	}
	i, last := t.dueAt-1, len(d.heap)-1
	d.heap[i] = d.heap[last]
	d.heap[last] = dueTimer{}
	d.heap = d.heap[:last]
	t.dueAt = 0
	if i < last {
		d.down(d.up(i))
	}
}

// up moves the timer at i to where it belongs nearer to the top, and returns where that is.
func (d *dues) up(i int) int {
	x := d.heap[i]
	for i > 0 && x.before(d.heap[(i-1)/2]) {
		d.put(i, d.heap[(i-1)/2])
		i = (i - 1) / 2
	}
	d.put(i, x)
	return i
}

// down is up in the other direction.
func (d *dues) down(i int) {
	x := d.heap[i]
	for {
		next := 2*i + 1
		if next+1 < len(d.heap) && d.heap[next+1].before(d.heap[next]) {
			next++
		}
		if next >= len(d.heap) || !d.heap[next].before(x) {
			d.put(i, x)
			return
		}
		d.put(i, d.heap[next])
		i = next
	}
}

func (d *dues) put(i int, x dueTimer) {
	d.heap[i] = x
	x.t.dueAt = i + 1
}

// next takes out the timer that is to be sent for next, or returns nil: then nobody is at
// it any more.
func (d *dues) next() *timer {
	if len(d.heap) == 0 || d.heap[0].at.After(d.until) {
		d.sending = false
		return nil
	}
	t := d.heap[0].t
	d.remove(t)
	return t
}

// ring is called by the alarm of t, with all timers of its owner that are due before.
func (t *timer) ring() {
	p := t.owner
	p.mu.Lock()
	if p.rare == nil || t.dueAt == 0 {
		p.mu.Unlock()
		return // Somebody has sent for it, or it was stopped.
	}
	d := &p.rare.dues
	at := d.heap[t.dueAt-1].at
	if p.sys.clock.Since(at) < 0 {
		p.mu.Unlock()
		return // It is late: the timer was sent for, and waits for its next time.
	}
	if at.After(d.until) {
		d.until = at
	}
	if d.sending {
		p.mu.Unlock()
		return
	}
	d.sending = true
	p.mu.Unlock()
	p.sendDue()
}

// sendDue sends for one timer after the other. It is called by who is at it.
func (p *proc) sendDue() {
	for {
		p.mu.Lock()
		var t *timer
		if p.rare != nil {
			t = p.rare.dues.next()
		}
		p.mu.Unlock()
		if t == nil || !t.fire() {
			return
		}
	}
}

// passOn leaves it to a further goroutine to send for the timers of p, if there are more.
func (p *proc) passOn() {
	p.mu.Lock()
	var more bool
	if p.rare != nil {
		d := &p.rare.dues
		more = len(d.heap) > 0 && !d.heap[0].at.After(d.until)
		d.sending = more
	}
	p.mu.Unlock()
	if more {
		p.sys.clock.AfterFunc(0, p.sendDue)
	}
}
