package actor

import "time"

// dues are the timers of one owner that wait for their time: a heap, the one that is due
// first on top, and of several that are due at the same time the one that was set first.
// Guarded by the owner's mu.
//
// # Protocol
//
// An owner has one alarm, however many timers it has, and the clock calls that on a goroutine
// of its own. The alarm is set for the timer on top, or for an earlier time: a timer that is
// stopped leaves the alarm as it is unless it was the last, and an alarm that finds nothing
// due is set again. The goroutine sends for all timers that are due, from the top of the heap.
// Nothing that it does waits for room in a lane. While it is at it, nobody sets the alarm: it
// does so itself at the end.
//
// The alternative was an alarm for each timer. Each has a goroutine of its own then, which
// mostly finds that another one has sent for its timer, and the clock's own memory for a timer
// is 150 bytes.
type dues struct {
	heap  []dueTimer
	alarm alarm         // Made on first use.
	rings time.Duration // When the alarm rings, if it is armed.
	armed bool
	// sending says that a goroutine is at it.
	sending bool
}

// keptDues is how many timers the heap has room for even if there are none: 1 KB. A larger one
// gets smaller when timers leave.
const keptDues = 64

type dueTimer struct {
	at time.Duration // When it is due, by the system's uptime.
	t  *timer
}

func (a dueTimer) before(b dueTimer) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.t.number < b.t.number
}

// add enters a timer that is due at the given time.
func (d *dues) add(t *timer, at time.Duration) {
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
	if last == 0 {
		d.silence()
	}
	if cap(d.heap) > keptDues && last < cap(d.heap)/4 {
		d.heap = append(make([]dueTimer, 0, cap(d.heap)/2), d.heap...)
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

// next takes out the first of the timers that are due by now, or returns nil.
func (d *dues) next(now time.Duration) *timer {
	if len(d.heap) == 0 || d.heap[0].at > now {
		return nil
	}
	t := d.heap[0].t
	d.remove(t)
	return t
}

// await has t wait for its time. The caller holds the mu of p, the owner.
func (d *dues) await(p *proc, t *timer) {
	d.add(t, t.due.Sub(p.sys.born))
	d.setAlarm(p)
}

// setAlarm sets the alarm of p for the timer on top, unless it rings by then anyway. The
// caller holds the mu of p.
func (d *dues) setAlarm(p *proc) {
	if d.sending || len(d.heap) == 0 || d.armed && d.rings <= d.heap[0].at {
		return
	}
	d.rings, d.armed = d.heap[0].at, true
	wait := d.rings - p.sys.uptime()
	if d.alarm == nil {
		d.alarm = p.sys.clock.AfterFunc(wait, p.ring)
	} else {
		d.alarm.Reset(wait)
	}
}

// clear takes out all timers.
func (d *dues) clear() {
	for i := range d.heap {
		d.heap[i].t.dueAt = 0
	}
	d.heap = nil
	d.silence()
}

// silence stops the alarm, as there are no timers.
func (d *dues) silence() {
	if d.armed {
		d.armed = false
		d.alarm.Stop()
	}
}

// ring is called by the alarm of p.
func (p *proc) ring() {
	p.mu.Lock()
	sends := p.rare != nil && !p.rare.dues.sending
	if sends {
		p.rare.dues.armed, p.rare.dues.sending = false, true
	}
	p.mu.Unlock()
	if sends {
		p.sendDue()
	}
}

// sendDue sends for the timers that are due. It is called by the goroutine that is at it.
func (p *proc) sendDue() {
	over := false
	defer func() { // If OnDeadLetter calls Goexit.
		if !over {
			p.sys.clock.AfterFunc(0, p.sendDue)
		}
	}()
	for {
		p.mu.Lock()
		t := p.rare.nextDue(p)
		p.mu.Unlock()
		if t == nil {
			break
		}
		t.fire()
	}
	over = true
}

// nextDue takes out the timer of p whose message is to be sent next. It returns nil if there is
// none, and nobody sends for p any more then. The caller holds the mu of p.
func (r *rare) nextDue(p *proc) *timer {
	if r == nil {
		return nil
	}
	t := r.dues.next(p.sys.uptime())
	if t == nil {
		r.dues.sending = false
		r.dues.setAlarm(p)
	}
	return t
}
