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
// load that fills mailboxes, fewer latencies are measured.
//
// A measurement costs some 200 ns, which is as much as ten messages of a busy lane.
// So where two of a lane come closer than [Probe.SampleGap], the consumer has half
// as many from there on, and twice as many again when they are far apart.

// stamp notes when a message was sent. Guarded by the mailbox's mutex.
type stamp struct {
	mask int64
	slot int64
	at   int64         // The number of the message; -1 if there is none.
	when time.Duration // Since the birth of the system.
	last time.Duration // When a message was measured last.
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

// take returns when the message n was sent, if that is known. Stamps of
// lost messages are removed.
func (st *stamp) take(n int64) (when time.Duration, ok bool) {
	when, ok = st.when, st.at == n && n >= 0 // Less than 0 are those that came by the pocket.
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

// pace is how many messages are measured: one in 2^rarity, where one in 2^asked was
// asked for.
type pace struct{ rarity, asked int8 }

// maxRarer is how often the messages that are measured may be halved: to one in
// 256 of what was asked for.
const maxRarer = 8

// adapt chooses the pace from a message on that is measured as long as since after
// the one before. It returns false if that is as it was.
func (c *pace) adapt(since, gap time.Duration) bool {
	switch {
	case since < gap && c.rarity < c.asked+maxRarer:
		c.rarity++
	case since > 4*gap && c.rarity > c.asked:
		c.rarity--
	default:
		return false
	}
	return true
}

// sampleMask returns the mask of the messages that are measured: the mask of the
// probes, unless there are too many.
func (c *pace) sampleMask(o *probes) int64 {
	if c.asked != o.rarity {
		c.asked, c.rarity = o.rarity, o.rarity
	}
	return 1<<c.rarity - 1
}

// adapt chooses how many messages are measured from the one on that is measured
// now. The caller is the consumer, and holds the mutex.
func (l *lane) adapt(now, gap time.Duration) {
	st := l.stamp
	since := now - st.last
	st.last = now
	if !l.pace.adapt(since, gap) {
		return
	}
	st.mask = 1<<l.rarity - 1
	if st.at >= 0 && !st.due(st.at) {
		st.at = -1
	}
	l.aim()
}

// gauge measures the messages that come by the pocket. Their number is how many
// messages the actor had handled before; all else is as in a lane.
// Guarded by the mailbox's mutex.
type gauge struct {
	stamp
	pace
	sent  time.Duration // When the message in hand was sent, if it is measured and
	known bool          // that is known.
}

// mayMeasure reports whether the number n of a message of p is one of those that are
// measured, if any are.
func (o *probes) mayMeasure(p *proc, n int64) bool { return (n+int64(p.pid.slot))&o.mask == 0 }

// gaugeOf returns the gauge if the message with the number n is measured, else nil.
// The caller holds mu.
func (p *proc) gaugeOf(o *probes, n int64) *gauge {
	if o.mask < 0 {
		return nil
	}
	r := p.rareLocked()
	if r.gauge == nil {
		r.gauge = &gauge{stamp: *newStamp(o, p.pid)}
	}
	g := r.gauge
	if g.mask = g.sampleMask(o); !g.due(n) {
		return nil
	}
	return g
}

// stampPocket stamps the message that is about to be in the pocket, if it is its turn.
// The caller holds mu.
func (p *proc) stampPocket(o *probes) {
	if g := p.gaugeOf(o, p.handled); g != nil {
		g.at, g.when = p.handled, p.sys.uptime()
	}
}

// reachStamp reports whether the message of the pocket that is in hand from now on is
// measured. The caller holds mu.
func (p *proc) reachStamp(o *probes) bool {
	n := p.handled - 1
	g := p.gaugeOf(o, n)
	if g == nil {
		return false
	}
	g.sent, g.known = g.take(n)
	return true
}

// moveStamp gives the lane, which was made just now, the stamp of the message that has
// come into it from the pocket. The caller holds mu.
func (p *proc) moveStamp(l *lane) {
	if r := p.rare; r != nil && r.gauge != nil && l.pending() != 0 && l.stamp.due(0) {
		if when, ok := r.gauge.take(p.handled); ok {
			l.stamp.set(0, when)
		}
	}
}

// measurePocket is called before the message of the pocket is handled by an actor that
// is observed.
func (a *activation) measurePocket() (m measure) {
	if !a.measured || a.probes.mask < 0 {
		return m
	}
	m = measure{true, a.sys.uptime(), -1}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.rare == nil || a.rare.gauge == nil {
		return m // The actor has ended: its handler was killed before it began.
	}
	g := a.rare.gauge
	if g.known {
		m.latency = max(0, m.began-g.sent) // It may belong to the next incarnation, for the same reason.
	}
	since := m.began - g.last
	g.last = m.began
	g.adapt(since, a.probes.gap)
	return m
}

// again says that unobserved is to be asked.
const again = -1

// unobserved returns how many messages of the lane are handled before one that
// somebody wants to know of. So the others cost a comparison each.
func (a *activation) unobserved(l *lane) int {
	switch o := a.probes; {
	case a.noted:
		return 0
	case o == nil:
		return math.MaxInt
	case o.each:
		return 0
	case l == &hollow:
		if a.measured {
			return 0
		}
		return 1
	case o.mask < 0:
		return math.MaxInt
	default:
		return int(-(l.handled() + int64(a.pid.slot)) & l.sampleMask(o))
	}
}

// beginMeasure is called before a message is handled by an actor that is
// observed.
func (a *activation) beginMeasure(l *lane) (m measure) {
	if l == &hollow {
		return a.measurePocket()
	}
	n := l.handled() - 1
	if a.probes.mask < 0 || (n+int64(a.pid.slot))&l.sampleMask(a.probes) != 0 {
		return m
	}
	m.on, m.began = true, a.sys.uptime()
	m.latency = a.latency(l, n, m.began)
	return m
}

// endMeasure is called when the handler of a message that is measured has
// returned err.
func (a *activation) endMeasure(m measure, which Lane, kind handlerKind, err error) {
	a.probes.tellHandled(Sample{a.subject(), kind.String(), which, m.latency, a.sys.uptime() - m.began, err})
}

// latency returns how long the message has waited, or -1, and has the next ones
// stamped.
func (a *activation) latency(l *lane, n int64, now time.Duration) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	st := l.stamp
	if mask := l.sampleMask(a.probes); st == nil || st.mask != mask {
		l.stamp = newStamp(a.probes, a.pid) // The actor was there before the probe.
		l.stamp.mask, l.stamp.last = mask, now
		l.aim()
		return -1
	}
	sent, ok := st.take(n)
	if gap := a.probes.gap; gap > 0 {
		l.adapt(now, gap)
	}
	if ok {
		return now - sent
	}
	return -1
}

// stampLast stamps the message that was sent last, if it is its turn. The caller
// holds mu.
func (p *proc) stampLast(l *lane) {
	if p.sys.probes.Load() == nil {
		l.stamp, l.stampAt = nil, 0
		return
	}
	n := l.arrived() - 1
	if l.stamp.due(n) {
		l.stamp.set(n, p.sys.uptime())
	}
	l.aim()
}

// aim finds out at which length of in the next message to be stamped has come: so
// send need not ask in between. The caller holds mu, and there is a stamp.
func (l *lane) aim() { l.aimAt(l.arrived(), l.contents.pending()) }

// aimAt is aim where it is known how many messages have come, and how many are in
// in.
func (l *lane) aimAt(arrived int64, pending int) {
	wait := -(arrived + l.stamp.slot) & l.stamp.mask
	l.stampAt = int32(min(int64(pending)+wait+1, math.MaxInt32))
}

func (p *proc) subject() Subject {
	return Subject{PID: p.pid, Name: p.opts.name, Kind: p.ctx.Load().kind.Load().name}
}
