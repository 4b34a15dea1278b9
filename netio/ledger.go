package netio

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/troupe-go/troupe/strand"
)

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
	returns  int64     // How many of them are given back without more memory.

	// Guarded by the memory's mu.
	place   int       // In line.
	since   time.Time // When the message in line was begun.
	needs   int64     // How much the strand in line waits for.
	granted bool
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
	returns := min(charge, g.handing+g.messages+g.written)
	if n, r := charge-g.charge-reserved, returns-g.returns; n != 0 || r != 0 {
		g.of.add(n, r)
	}
	g.charge, g.returns = charge, returns
}
