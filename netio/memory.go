package netio

import (
	"container/heap"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// The memory that peers take by what they send, and do not read, is bounded, for each
// connection and for all of a listener's.
//
// # What counts
//
// A connection holds three things: the buffer of bytes that make no message yet; messages
// that its actor has not handled, with the bytes in which they came and the size of their
// type; and what is written while the peer does not take it. Buffers count with
// their capacity.
//
// A connection's messages are taken off by [actor.System.AfterBacklog]. Only one such call is
// under way for a connection, and none while its messages take less than half of free: so a
// connection with small messages seldom calls it. A connection's charge is the memory
// that it holds beyond free. The memory of the listener bounds the sum of the charges.
//
// # Who waits
//
// The strand that reads waits for room before it reads, and before it hands a message
// over, first for its own connection's limit, then for the listener's. There the strands
// stand in line, in the order in which their messages were begun, and get memory that is given back. A strand that waits reads
// nothing, so its peer waits by the flow control of TCP. Writers never wait for memory: their
// messages are counted already, and a handler that could not end would give nothing back.
//
// # Who is cut off
//
// If the line does not move for patience, peers may keep what they hold. Those are cut off with
// ErrBufferLimit: first the peers that have not read for patience; if there is none, and actors have less than half of the
// memory, the connection that waits for its peer with a message that was begun first, and more than patience ago.
//
// If there is none, either, the actors are slow, which is no fault of a peer: all wait on.
//
// # Who may exceed the limit
//
// If all memory were for messages that have not all come, each would wait for the others. So the first in line
// may exceed the limit until its message has come, one connection at a time. The messages that actors have, and
// what is written, are given back without more memory: there must be none of that, or less than half of the limit
// while all together hold no more than the limit. The excess is at most twice what one connection may buffer: the
// bytes and the message.
type memory struct {
	limit    int64 // In bytes.
	patience time.Duration

	paused atomic.Int32 // How many strands wait, for their own connection's limit or in line.
	cutOff atomic.Uint64

	streams func() []*stream // The open ones.

	mu      sync.Mutex
	used    int64   // The sum of all charges.
	returns int64   // How much of it is given back without more memory.
	line    line    // The connections that wait for the memory.
	ahead   *ledger // The connection that may exceed the limit to end its message, or nil.
	moved   uint64  // How often a connection has left the line.
	watched bool    // A call of look is to come.
}

// Defaults of ListenerConfig.
const (
	defaultBuffered = 4 << 20
	defaultTotal    = 96 << 20
)

// free is how much a connection holds without charge: no more than it takes anyway, with its
// strand, its actor and its sockets.
const free = 8 << 10

// patience is how long the line may stand still before peers are cut off.
const patience = time.Second

// line is a heap of connections, those first whose messages were begun first: memory that is given
// back goes to the message that is likely to end first, not to all a little.
type line []*ledger

func (l line) Len() int           { return len(l) }
func (l line) Less(i, j int) bool { return l[i].since.Before(l[j].since) }

func (l line) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].place, l[j].place = i, j
}

func (l *line) Push(g any) {
	g.(*ledger).place = len(*l)
	*l = append(*l, g.(*ledger))
}

func (l *line) Pop() any {
	last := len(*l) - 1
	g := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	return g
}

// grant charges n if there is room and nobody waits for it, or g is ahead of all; else g stands in line.
// The caller holds g's mu.
func (m *memory) grant(g *ledger, n int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.line) == 0 && m.used+n <= m.limit || m.ahead == g {
		m.used += n
		return true
	}
	g.needs, g.granted, g.since = n, false, g.first
	if g.since.IsZero() {
		g.since = time.Now()
	}
	heap.Push(&m.line, g)
	m.serve()
	m.watch()
	return g.granted
}

// review returns how much g was granted, which stands in line and needs so much now. It leaves
// the line if it needs nothing, or gives up.
func (m *memory) review(g *ledger, needs int64, givesUp bool) (granted int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !g.granted {
		if needs == 0 || givesUp {
			heap.Remove(&m.line, g.place)
			m.moved++
		}
		g.needs = needs
		m.serve()
	}
	if g.granted {
		return g.needs
	}
	return 0
}

// add changes the sum of all charges, and of those that are given back without more memory.
func (m *memory) add(n, returns int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used += n
	m.returns += returns
	if n < 0 || returns < 0 {
		m.serve()
	}
}

// serve grants what the first in line need, and lets one exceed the limit. The caller holds mu.
func (m *memory) serve() {
	for len(m.line) > 0 && m.used+m.line[0].needs <= m.limit {
		m.admit()
	}
	if len(m.line) > 0 && m.ahead == nil && (m.returns == 0 || m.used <= m.limit && m.returns < m.limit/2) {
		m.ahead = m.line[0]
		m.admit()
	}
}

// admit grants what the first in line needs. The caller holds mu.
func (m *memory) admit() {
	g := heap.Pop(&m.line).(*ledger)
	m.used += g.needs
	m.moved++
	g.granted = true
	g.wake()
}

// forget takes note that the message of g has come, or that g has ended. If g could exceed the
// limit, the next may.
func (m *memory) forget(g *ledger) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ahead == g {
		m.ahead = nil
		m.serve()
	}
}

// watch has look called after patience, while there is a line. The caller holds mu.
func (m *memory) watch() {
	if !m.watched && len(m.line) > 0 {
		m.watched = true
		moved := m.moved
		time.AfterFunc(m.patience, func() { m.look(moved) })
	}
}

// look cuts peers off if the line has not moved since it was watched.
func (m *memory) look(before uint64) {
	m.mu.Lock()
	m.watched = false
	m.watch()
	wanted := int64(0)
	if m.moved == before {
		for _, g := range m.line {
			wanted += g.needs
		}
	}
	m.mu.Unlock()
	if wanted == 0 {
		return
	}
	for _, v := range m.victims(m.streams(), wanted) {
		m.cutOff.Add(1)
		v.s.fail(v.why)
	}
}

// victim is a connection that is to be cut off.
type victim struct {
	s       *stream
	stalled time.Time
	charge  int64
	why     error
}

// victims chooses the connections that give back at least wanted bytes, if there are enough.
func (m *memory) victims(all []*stream, wanted int64) (chosen []victim) {
	var stalled []victim
	var slowest victim
	messages, now := int64(0), time.Now()
	begun := now.Add(-m.patience)
	for _, s := range all {
		g := s.ledger
		g.mu.Lock()
		if g.waits || g.messages > free/2 { // Else AfterBacklog may not have been called since they were handled.
			messages += g.messages
		}
		if v := (victim{s: s, stalled: g.stalled, charge: g.charge}); g.charge > 0 && g.over == nil {
			switch {
			case !g.stalled.IsZero() && now.Sub(g.stalled) >= m.patience:
				v.why = fmt.Errorf("%w: the peer has not read what it was sent for %v and took %d bytes, and all connections together %d bytes, as many as MaxBufferedTotal allows",
					ErrBufferLimit, now.Sub(v.stalled).Round(time.Millisecond), g.held(), m.limit)
				stalled = append(stalled, v)
			case !g.waits && !g.begun.IsZero() && g.begun.Before(begun):
				v.why = fmt.Errorf("%w: a message has not ended for %v and has a buffer of %d bytes, and all connections together took %d bytes, as many as MaxBufferedTotal allows",
					ErrBufferLimit, now.Sub(g.begun).Round(time.Millisecond), g.buffer, m.limit)
				begun, slowest = g.begun, v
			}
		}
		g.mu.Unlock()
	}
	slices.SortFunc(stalled, func(a, b victim) int { return a.stalled.Compare(b.stalled) })
	for i, v := range stalled {
		if wanted -= v.charge; wanted <= 0 {
			return stalled[:i+1]
		}
	}
	switch {
	case len(stalled) > 0:
		return stalled
	case slowest.s != nil && messages < m.limit/2:
		return []victim{slowest}
	}
	return nil
}

// count adds the memory's figures to st.
func (m *memory) count(st *Stats) {
	m.mu.Lock()
	defer m.mu.Unlock()
	st.Buffered, st.Paused, st.CutOff = m.used, int(m.paused.Load()), st.CutOff+m.cutOff.Load()
}
