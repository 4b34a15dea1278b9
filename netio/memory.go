package netio

import (
	"container/heap"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/strand"
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
// If there is none, either, and no actor has messages, all memory is for messages that wait for more of it. Then the connection
// whose message was begun first may exceed the limit until its message has come. Else the actors are
// slow, which is no fault of a peer: all wait on.
type memory struct {
	limit    int64 // In bytes.
	patience time.Duration

	paused atomic.Int32 // How many strands wait, for their own connection's limit or in line.
	cutOff atomic.Uint64

	streams func() []*stream // The open ones.

	mu      sync.Mutex
	used    int64   // The sum of all charges.
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

// ledger is what one connection holds. The memory's mu is taken while its mu is held, never the other
// way round.
type ledger struct {
	of    *memory
	limit int64
	room  *strand.Chan[struct{}]      // Wakes the strand that waits. It has room for one.
	after func(f func()) (there bool) // AfterBacklog of the actor. Set before there are messages.

	mu       sync.Mutex
	buffer   int64     // The capacity of the buffer of a message that has not all come.
	handing  int64     // The message that is about to be sent to the actor.
	messages int64     // The actor has them, as far as is known.
	written  int64     // The capacity of what is written and has to wait.
	stalled  time.Time // Since when that waits, if it does.
	first    time.Time // When a large message that has not come to its end was begun.
	begun    time.Time // The same, or when the strand last left the line, if that is later.
	awaits   bool      // A call of AfterBacklog is under way.
	waits    bool      // The strand waits for room.
	over     error     // Why nothing waits for room any more, or nil.
	charge   int64     // The bytes that are charged to the memory.

	// Guarded by the memory's mu.
	place   int       // In line.
	since   time.Time // When the message in line was begun.
	needs   int64     // How much the strand in line waits for.
	granted bool
}

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

func newLedger(of *memory, limit int64) *ledger {
	return &ledger{of: of, limit: limit, room: strand.NewChan[struct{}](1)}
}

func (g *ledger) held() int64 { return g.buffer + g.handing + g.messages + g.written }

// takeBuffer waits for room for a buffer that is larger by n bytes.
func (g *ledger) takeBuffer(ctx context.Context, n int) error {
	return g.take(ctx, &g.buffer, int64(n))
}

// takeMessage waits for room for a message. Sent comes after it.
func (g *ledger) takeMessage(ctx context.Context, n int) error {
	return g.take(ctx, &g.handing, min(int64(n), g.limit))
}

// take adds n to what when there is room for it.
func (g *ledger) take(ctx context.Context, what *int64, n int64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.held()+n > g.limit && g.messages+g.written > 0 {
		if err := g.pause(ctx); err != nil {
			return err
		}
	}
	switch {
	case g.over != nil:
		return g.over
	case what == &g.buffer && g.held()+n > g.limit:
		return fmt.Errorf("%w: a message of more than %d bytes needs a buffer of %d, where %d are allowed; see MaxBuffered",
			ErrBufferLimit, g.buffer, g.buffer+n, g.limit)
	}
	reserved, err := g.reserve(ctx, n)
	if err != nil {
		return err
	}
	*what += n
	switch {
	case what == &g.handing:
		g.first, g.begun = time.Time{}, time.Time{}
		g.of.forget(g)
	case g.begun.IsZero():
		g.first = time.Now()
		g.begun = g.first
	}
	g.settle(reserved)
	return nil
}

// lacks returns how much more has to be charged if n bytes are added. The caller holds mu.
func (g *ledger) lacks(n int64) int64 { return max(0, g.held()+n-free-g.charge) }

// reserve waits until the memory has room for n bytes more, and returns how much it has
// charged for them. The caller holds mu, which is given back meanwhile.
func (g *ledger) reserve(ctx context.Context, n int64) (reserved int64, err error) {
	needs := g.lacks(n)
	if needs == 0 || g.of.grant(g, needs) {
		return needs, nil
	}
	defer func() {
		if !g.begun.IsZero() {
			g.begun = time.Now() // The peer could send nothing meanwhile.
		}
	}()
	for {
		err := g.pause(ctx)
		granted := g.of.review(g, g.lacks(n), err != nil)
		switch {
		case granted > 0:
			return granted, nil
		case err != nil:
			return 0, err
		case g.lacks(n) == 0:
			return 0, nil
		}
	}
}

// pause waits until something was given back. The caller holds mu, which is given back
// meanwhile.
func (g *ledger) pause(ctx context.Context) error {
	if g.over != nil {
		return g.over
	}
	g.waits = true
	g.awaitBacklog()
	g.of.paused.Add(1)
	g.mu.Unlock()
	_, err := g.room.Receive(ctx)
	g.mu.Lock()
	g.of.paused.Add(-1)
	g.waits = false
	return err
}

// sent takes note that the message of takeMessage has been sent to the actor, or, if there is no
// actor any more, never will be.
func (g *ledger) sent(accepted bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if accepted {
		g.messages += g.handing
	}
	if g.handing = 0; g.messages > free/2 {
		g.awaitBacklog()
	}
	g.settle(0)
}

// awaitBacklog has handled called when the messages are handled that the actor has now. The
// caller holds mu.
func (g *ledger) awaitBacklog() {
	if g.awaits || g.messages == 0 {
		return
	}
	n := g.messages
	if g.awaits = g.after(func() { g.handled(n) }); !g.awaits {
		g.giveBack(&g.messages, n) // There is no actor.
	}
}

func (g *ledger) handled(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.awaits = false
	g.giveBack(&g.messages, min(n, g.messages)) // Close has given them back already.
	if g.messages > free/2 || g.waits {
		g.awaitBacklog()
	}
}

// giveBack takes n off what. The caller holds mu.
func (g *ledger) giveBack(what *int64, n int64) {
	*what -= n
	g.settle(0)
	if g.waits {
		g.wake()
	}
}

// setBuffer notes the capacity of the buffer. It may be a little larger than it was: a
// small buffer does not wait for room.
func (g *ledger) setBuffer(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.buffer != int64(n) {
		g.buffer = int64(n)
		g.settle(0)
	}
}

// stall notes that something written has to wait for the peer.
func (g *ledger) stall(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.written, g.stalled = int64(n), time.Now()
	g.settle(0)
}

// resume ends what stall begins.
func (g *ledger) resume() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stalled = time.Time{}
	g.giveBack(&g.written, g.written)
}

// abandon has nothing wait for room any more.
func (g *ledger) abandon(why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over == nil {
		g.over = why
		g.wake()
	}
}

// close gives everything back. The connection has ended.
func (g *ledger) close() {
	g.abandon(errActorEnded)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.buffer, g.handing, g.messages, g.written = 0, 0, 0, 0
	g.after = func(func()) bool { return false }
	g.settle(0)
	g.of.forget(g)
}

func (g *ledger) wake() { _, _ = g.room.TrySend(context.Background(), struct{}{}) } // It may have been woken already.

// settle charges what the connection holds. So much as reserved was charged before. The
// caller holds mu.
func (g *ledger) settle(reserved int64) {
	charge := max(0, g.held()-free)
	if d := charge - g.charge - reserved; d != 0 {
		g.of.add(d)
	}
	g.charge = charge
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
	m.watch()
	return false
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

// add changes the sum of all charges.
func (m *memory) add(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used += n; n < 0 {
		m.serve()
	}
}

// serve grants what the first in line need. The caller holds mu.
func (m *memory) serve() {
	for len(m.line) > 0 && m.used+m.line[0].needs <= m.limit {
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

// letAhead lets the first in line exceed the limit until its message has come, unless another one does,
// or the line has moved. The excess is at most twice what one connection may buffer: the bytes and the message.
func (m *memory) letAhead(before uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ahead == nil && m.moved == before && len(m.line) > 0 {
		m.ahead = m.line[0]
		m.admit()
	}
}

// forget ends what letAhead begins.
func (m *memory) forget(g *ledger) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ahead == g {
		m.ahead = nil
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

// look cuts peers off, or lets a connection exceed the limit, if the line has not moved since it was watched.
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
	victims, stuck := m.victims(m.streams(), wanted)
	for _, v := range victims {
		m.cutOff.Add(1)
		v.s.fail(v.why)
	}
	if stuck {
		m.letAhead(before)
	}
}

// victim is a connection that is to be cut off.
type victim struct {
	s       *stream
	stalled time.Time
	charge  int64
	why     error
}

// victims chooses the connections that give back at least wanted bytes, if there are enough. Stuck says that there
// are none, and that no actor has messages.
func (m *memory) victims(all []*stream, wanted int64) (chosen []victim, stuck bool) {
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
			return stalled[:i+1], false
		}
	}
	switch {
	case len(stalled) > 0:
		return stalled, false
	case slowest.s != nil && messages < m.limit/2:
		return []victim{slowest}, false
	}
	return nil, messages == 0
}

// count adds the memory's figures to st.
func (m *memory) count(st *Stats) {
	m.mu.Lock()
	defer m.mu.Unlock()
	st.Buffered, st.Paused, st.CutOff = m.used, int(m.paused.Load()), st.CutOff+m.cutOff.Load()
}
