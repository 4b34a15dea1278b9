package actor

import (
	"math"
	"time"
)

// # Measuring messages
//
// One message in so many of a lane is measured, by its number in the lane and
// the actor's slot in the process table: that takes no counter, and actors that
// live for a few messages only are measured in turn. The sender stamps it with
// the time, the handler is timed.
//
// Both sides know a message's number without its carrying one: the sender by
// what came into the lane, the consumer by what has left it. So an unmeasured
// message costs a count on either side. There is one stamp for each lane, and a
// message that would need another while the first waits goes without: under a
// load that fills mailboxes, the measured latencies are those of fewer messages.

// stamp notes when a message was sent. Guarded by the mailbox's mutex.
type stamp struct {
	mask int64
	slot int64
	at   int64         // The number of the message; -1 if there is none.
	when time.Duration // Since the birth of the system.
}

// newStamp returns the stamp for a lane of an actor that is observed, or nil if
// no messages are measured.
func newStamp(o *probes, id PID) *stamp {
	if o.mask < 0 {
		return nil
	}
	return &stamp{mask: o.mask, slot: int64(id.slot), at: -1}
}

// due reports whether the message with the number n is measured.
func (st *stamp) due(n int64) bool { return (n+st.slot)&st.mask == 0 }

// set stamps the message with the number n, which was sent at when.
func (st *stamp) set(n int64, when time.Duration) {
	if st.at < 0 {
		st.at, st.when = n, when
	}
}

// take returns when the message n was sent, if that is known. What is left of
// messages that were lost is removed.
func (st *stamp) take(n int64) (when time.Duration, ok bool) {
	when, ok = st.when, st.at == n
	if st.at <= n {
		st.at = -1
	}
	return when, ok
}

// forget takes note that the message n, the last one, was dropped.
func (st *stamp) forget(n int64) {
	if st.at == n {
		st.at = -1
	}
}

// measure is the measuring of one message.
type measure struct {
	on             bool
	began, latency time.Duration
}

// unobserved returns how many messages of the lane are handled before one that
// somebody wants to know of. So the others cost a comparison each.
func (a *activation) unobserved(l *lane) int {
	switch o := a.probes; {
	case a.span != a.plain:
		return 0
	case o == nil:
		return math.MaxInt
	case o.marks:
		return 0
	case o.mask < 0:
		return math.MaxInt
	default:
		return int(-(l.handled() + int64(a.pid.slot)) & o.mask)
	}
}

// beginMeasure is called before a message is handled by an actor that is
// observed.
func (a *activation) beginMeasure(l *lane) (m measure) {
	n := l.handled() - 1
	if mask := a.probes.mask; mask < 0 || (n+int64(a.pid.slot))&mask != 0 {
		return m
	}
	m.on, m.began = true, a.sys.uptime()
	m.latency = a.latency(l, n, m.began)
	return m
}

// endMeasure is called when the handler of a message that is measured has
// returned err.
func (a *activation) endMeasure(m measure, which Lane, err error) {
	a.probes.tellHandled(Sample{a.subject(), which, m.latency, a.sys.uptime() - m.began, err})
}

// latency returns how long the message has waited, or -1, and has the next ones
// stamped.
func (a *activation) latency(l *lane, n int64, now time.Duration) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	st := l.stamp
	if st == nil || st.mask != a.probes.mask {
		l.stamp, l.unstamped = newStamp(a.probes, a.pid), 0 // The actor was there before the probe.
		return -1
	}
	if sent, ok := st.take(n); ok {
		return now - sent
	}
	return -1
}

// stampLast stamps the message that was sent last, if it is its turn, and counts
// how many come before the next one: send need not ask in between. The caller
// holds mu.
func (p *proc) stampLast(l *lane) {
	if p.sys.probes.Load() == nil {
		l.stamp = nil
		return
	}
	n := l.arrived() - 1
	if l.stamp.due(n) {
		l.stamp.set(n, p.sys.uptime())
	}
	l.unstamped = -(n + 1 + int64(p.pid.slot)) & l.stamp.mask
}

func (p *proc) subject() Subject {
	return Subject{PID: p.pid, Name: p.opts.name, Kind: p.ctx.Load().kind.Load().name}
}
