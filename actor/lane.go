package actor

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/kernel/line"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Lane is one of the three queues in which an actor's messages wait. The
// actor takes everything from Control before anything from Management, and
// from there before anything from Data; a Control message also puts the actor
// before all other work of the scheduler.
type Lane uint8

// The lanes, from the least to the most urgent. Data is the default.
const (
	Data Lane = iota
	Management
	Control

	numLanes = 3
)

// defaultCapacity is how many messages each lane holds unless told otherwise.
var defaultCapacity = [numLanes]int{Data: 1024, Management: 128, Control: 128}

var laneNames = [numLanes]string{"data", "management", "control"}

// String returns the lane's name in lower case.
func (l Lane) String() string {
	if l < numLanes {
		return laneNames[l]
	}
	return fmt.Sprintf("Lane(%d)", uint8(l))
}

func (l Lane) bit() uint32 { return 1 << l }

// lane is what there is to one of an actor's queues, apart from the type of the
// messages. Those are in buffers, by value.
//
// # Protocol
//
// Producers append to in under the mailbox's mutex. The consumer, which is the
// one activation that runs, swaps in for its own empty buffer and then handles
// out message by message without the lock. So a message costs a short lock on
// one side and a copy on the other; a linked queue of nodes costs an
// allocation besides, and a ring that both sides index at once can't grow.
//
// A message that is swapped out still counts against the capacity until the
// consumer comes to it. The consumer publishes that number in rest, for each
// message in a small lane and every stride messages in a large one: an atomic
// store for each would cost as much as all else.
//
// Senders that find the lane full queue up in waiting, each with its message
// in hand, and the consumer moves the messages over in that order. Nobody can
// overtake them: a lane with a waiting sender is full for everyone.
//
// The consumer claims messages of out, chunk by chunk, before it takes them, by
// compare-and-swap on unclaimed. A kill that seizes the actor from a handler that does
// not return gets all that is not claimed. Where messages may hold a Reply, the
// chunk is one message, so that no asker waits for a handler that is stuck on
// another one.
//
// # Tight lanes
//
// Messages that the consumer has swapped out are beyond the reach of senders. A lane that
// drops its oldest messages, or belongs to an actor with a limit, is tight: its
// consumer gets one message at a time, all others stay in in, under the mutex,
// where they can be dropped and are counted exactly. That takes the lock once
// for each message. To senders it always looks full, so that it costs senders
// of other lanes nothing.
//
// The places of messages are counted from the first that came. A message that
// is dropped from the front leaves its number behind in slid, one that is dropped
// from the end does not.
type lane struct {
	// The consumer's, which writes there for each message. With out before them,
	// they fill two cache lines.

	size    int // The length of out, and
	room    int // its capacity.
	head    int // The next of out.
	claimed int // The consumer may take the messages before this index.
	end     int // It may take the messages before this index without a look at the marks.
	pace
	admitted bool // There was something in in after the swap, or has been moved there for senders since.
	// unclaimed counts the messages at the end of out that are not claimed. It is
	// -1 when they were taken away. Written by the consumer and by rescue.
	unclaimed xatomic.Int32
	rest      xatomic.Int32 // Of out, not yet handled. Written by the consumer.
	taken     xatomic.Count // It is head, for snapshots. Written by the consumer.
	// swapped counts all messages that have been moved into out. The consumer writes
	// it under the mutex.
	swapped int64
	waiting line.Line[*sendWaiter] // Guarded by the mailbox's mutex, like
	slid    int64                  // how many messages were dropped between out and in, of a tight lane.

	// Both sides read these fields, and writes are rare: another cache line.

	contents contents      // The buffers, which have this lane in them.
	asks     *laneAsks     // That messages belong to; nil if they belong to none.
	meter    *meter        // Of an actor with a limit, else nil.
	queue    xatomic.Int32 // The length of waiting. Written under the mutex, read by the consumer.
	capacity int32
	fullAt   int32 // From how many messages on a sender has to look more closely.
	keep     int32 // The longest buffer that is kept while the lane is empty.
	chunk    int32 // How many are claimed at a time.
	stride   int32 // A power of two.
	skipped  int32 // Of a tight lane: how many places at the beginning of in are empty. Guarded by the mutex.
	tight    bool  // Not written after init.

	// The senders', guarded by the mailbox's mutex. With in behind them, they are in
	// the last cache line.

	// behind is how many messages of out are not yet handled, at most.
	behind int32
	// shown is the length of in for readers without the lock, and -1
	// until somebody has looked: a store for each message is only for actors whose
	// backlog is asked for.
	shown atomic.Int32
	// stampAt is how long in is when the next message to be stamped has come, if that
	// comes by an ordinary send before the next swap; 0 if none is. So whether an
	// actor is observed or not, a send compares, and writes nothing.
	stampAt int32
	ticks   int32  // How many ticks wait; see mark.
	stamp   *stamp // Nil unless the actor is observed.
}

// sendWaiter is a sender that waits for room, or the message of a timer, for which nobody
// waits. Its fields are guarded by the mailbox's mutex, except those that are set before it
// is shared.
type sendWaiter struct {
	message any            // A *M, to the message. Set before.
	size    int            // The size of the message, if the actor's messages are weighed. Set before.
	asked   address        // The ask that the message belongs to. Set before.
	timer   *timer         // The timer that sent the message, or nil. Set before.
	wake    workers.Waiter // Wakes the sender. Set before.
	wait    *asking        // The wait of the handler that sends; nil if a goroutine sends.
	done    bool
	err     error // Why the message was not accepted.
	// since is when the sender came, if the actor is observed.
	since time.Duration
	place line.Entry[*sendWaiter] // Among those that wait.
}

// end ends the wait, and adds w to those that are to be told. A timer whose message
// the lane has taken need not be told.
func (w *sendWaiter) end(told waiters) waiters {
	w.done = true
	w.endWait()
	if w.timer != nil && w.err == nil {
		return told
	}
	return append(told, w)
}

// waiters have stopped waiting for room, and are to be told, without a lock.
type waiters []*sendWaiter

// tell wakes the senders. The messages of timers were refused, and become dead letters on
// one goroutine for all of them: OnDeadLetter may take its time, or call Goexit.
func (all waiters) tell(from *workers.Fiber) {
	var refused waiters
	for _, w := range all {
		if w.timer == nil {
			w.wake.Wake(from, workers.Own)
		} else {
			refused = append(refused, w)
		}
	}
	if refused != nil {
		refused.turnAwayLater()
	}
}

// endWait makes known that the sender is not held up by the actor any more.
func (w *sendWaiter) endWait() {
	if w.wait != nil {
		w.wait.withdraw(onlyRound)
	}
}

// strides divides a lane's capacity: its consumer publishes its progress that
// often, so a lane is reported full at most 1/64 of its capacity too early.
const strides = 64

// A buffer is let go when the lane has run empty if it is longer than
// keepMessages and larger than keepBytes. Below, an actor keeps it and takes its
// next messages without allocating. Letting go of all above 64 messages cost
// 13 ns a message under a flood, where a lane runs empty all the time.
const (
	keepMessages = 64
	keepBytes    = 16 << 10
)

// claimChunk spreads the price of a claim over many messages. As many are out of
// reach while a killed handler does not return, at most.
const claimChunk = 16

// init prepares a lane for messages of a type.
func (l *lane) init(capacity int, tight bool, contents contents, of *messageType) {
	l.contents, l.capacity, l.stride, l.chunk = contents, int32(capacity), 1, of.chunk
	l.keep, l.asks = of.keep, of.asks.forLane()
	l.shown.Store(-1)
	if l.tight = tight; !tight {
		l.fullAt = l.capacity
	}
	for !tight && int(l.stride) <= capacity/strides/2 {
		l.stride *= 2
	}
}

// full reports whether a new message may have to wait. Pending is how many messages the buffer
// "in" has. The caller holds the mutex, and looks more closely if the lane is tight.
func (l *lane) full(pending int) bool {
	if l.queue.Load() > 0 {
		return true
	}
	if pending+int(l.behind) < int(l.fullAt) {
		return false
	}
	l.behind = l.rest.Load()
	return pending+int(l.behind) >= int(l.fullAt)
}

// crowded reports whether there is no room for a new message. The caller holds
// the mutex.
func (l *lane) crowded() bool { return l.waiting.Len() > 0 || l.occupied() >= int(l.capacity) }

func (l *lane) occupied() int { return l.pending() + int(l.rest.Load()) }

// show makes the length of in, and the number of ticks, known, if somebody looks at it. The caller holds
// the mutex.
func (l *lane) show() {
	if l.shown.Load() >= 0 {
		xatomic.ReleaseInt32(&l.shown, int32(l.pending()))
	}
}

// look is occupied for who does not hold the mutex. It returns false if the
// length of in is not shown. Since a swap publishes out before it shows that in is
// empty, and look reads in first, messages that are being swapped are rather seen
// twice than not at all.
func (l *lane) look() (n int, ok bool) {
	n = int(l.shown.Load())
	return n + int(l.rest.Load()), n >= 0
}

// arrived counts the messages that were ever accepted. The caller holds the
// mutex.
func (l *lane) arrived() int64 { return l.swapped + l.slid + int64(l.contents.pending()) }

// swap gets the consumer new messages, if its buffer is used up, and lets
// waiting senders in. The caller holds the mutex. The first message counts as
// handled, since it is about to be.
func (l *lane) swap(woken waiters) waiters {
	if invariants.Enabled {
		invariants.Check(l.left() == 0, "a lane is swapped with %d messages in hand", l.left())
	}
	if l.asks != nil && l.asks.keeps {
		l.asks.swapIn(l)
	}
	l.begin(l.contents.swap())
	l.admitted = false
	if l.tight {
		l.swapped, l.slid = l.swapped+l.slid, 0
		l.admitted = l.contents.pending() > 0
		if l.meter != nil && l.size > 0 {
			l.meter.drop(true)
		}
	}
	l.fill(max(0, l.size-1))
	l.show()
	l.swapped += int64(l.size)
	if l.stamp != nil && !l.tight {
		l.aimAt(l.swapped+l.slid, 0)
	}
	l.claimed = min(l.size, int(l.chunk))
	if n := int32(l.size - l.claimed); l.unclaimed.Load() != n {
		l.unclaimed.Store(n)
	}
	if l.waiting.Len() == 0 {
		return woken
	}
	return l.admit(woken)
}

// begin sets the consumer to the beginning of an out of the given length.
func (l *lane) begin(size, room int) {
	l.size, l.room, l.head, l.end = size, room, 0, size
	l.taken.Store(0)
}

// publish makes known how many messages of out are not yet handled.
func (l *lane) publish(rest int) {
	if l.rest.Load() != int32(rest) {
		l.rest.Store(int32(rest))
	}
}

// fill is publish where the number may have grown. The caller holds the mutex.
func (l *lane) fill(rest int) {
	l.publish(rest)
	l.behind = int32(rest)
}

// claim makes the next chunk the consumer's own.
func (l *lane) claim() bool {
	n := l.unclaimed.Load()
	if n <= 0 {
		return false
	}
	k := min(n, l.chunk)
	if !l.unclaimed.CompareAndSwap(n, n-k) {
		return false
	}
	l.claimed += int(k)
	l.forget()
	return true
}

// forget lets go of the message that was handled last, where take has left it
// in its place for rescue to see.
func (l *lane) forget() {
	if l.chunk == 1 && l.head > 0 {
		l.forgetLast()
	}
}

func (l *lane) forgetLast() {
	l.contents.forget(l.head - 1)
	if l.asks != nil && l.asks.keeps {
		l.asks.forgetOut(l.head - 1)
	}
}

// left returns how many messages the consumer has in hand.
func (l *lane) left() int { return l.size - l.head }

// ready returns how many of them may be handled before the next mark.
func (l *lane) ready() int { return l.end - l.head }

// handled returns how many messages the consumer has taken so far.
func (l *lane) handled() int64 { return l.swapped - int64(l.left()) }

// reached returns how many messages were taken, or dropped before they could be:
// those after them come next. The caller holds the mutex.
func (l *lane) reached() int64 {
	if l.left() == 0 {
		return l.swapped + l.slid
	}
	return l.handled()
}

// due reports whether the consumer, with rest messages behind the current one,
// publishes its progress now.
func (l *lane) due(rest int) bool { return int32(rest)&(l.stride-1) == 0 }

// admit is takeIn for the consumer.
func (l *lane) admit(woken waiters) waiters {
	before := l.pending()
	woken = l.takeIn(woken)
	if l.pending() > before {
		l.admitted = true
	}
	return woken
}

// takeIn moves messages of waiting senders into the lane while there is room,
// and appends to woken whom to wake. The caller holds the mutex.
func (l *lane) takeIn(woken waiters) waiters {
	before := l.waiting.Len()
	for l.waiting.Len() > 0 && l.occupied() < int(l.capacity) {
		w := l.waiting.First().Value
		l.waiting.Remove(&w.place)
		if l.meter != nil && !l.meter.takes(w.size) {
			w.err = ErrMailboxLimit
		} else {
			l.accept(w)
		}
		woken = w.end(woken)
	}
	if l.waiting.Len() < before {
		l.show()
		l.queue.Store(l.waiting.Len())
	}
	return woken
}

// discard takes the oldest, or else the newest, message out of in, which is not
// empty, and returns it. The lane is tight, and the caller holds the mutex.
func (l *lane) discard(oldest bool) (m letter) {
	if oldest {
		l.slid++
	} else if l.stamp != nil {
		l.stamp.forget(l.arrived() - 1)
	}
	if l.meter != nil {
		l.meter.drop(oldest)
	}
	m.asked = l.asks.discard(int(l.skipped), l.contents.pending(), oldest)
	m.message = l.contents.discard(oldest)
	l.show()
	return m
}

// refuse ends the wait of all senders with err, except senders whose asks stay, if stays is not nil. The caller holds the mutex.
func (l *lane) refuse(err error, stays func(asked address) bool, woken waiters) waiters {
	for e := l.waiting.First(); e != nil; {
		w := e.Value
		e = e.Behind()
		if stays == nil || !stays(w.asked) {
			l.waiting.Remove(&w.place)
			w.err = err
			woken = w.end(woken)
		}
	}
	l.queue.Store(l.waiting.Len())
	return woken
}

// await queues w behind the other waiting senders. It returns false if there
// is room after all: the consumer may have made some just now, and looks at
// queue after it has. The caller holds the mutex.
func (l *lane) await(w *sendWaiter) bool {
	l.queue.Store(l.waiting.Len() + 1)
	if !l.crowded() {
		l.queue.Store(l.waiting.Len())
		return false
	}
	w.place.Value = w
	l.waiting.Push(&w.place)
	return true
}

// withdraw takes w out of the waiting senders. The caller holds the mutex.
func (l *lane) withdraw(w *sendWaiter) {
	l.waiting.Remove(&w.place)
	l.queue.Store(l.waiting.Len())
}

// large reports whether there is a buffer to be let go of when the lane is
// empty. It is the consumer's question.
func (l *lane) large() bool { return l.room > int(l.keep) }

// trim lets go of large buffers. The caller holds the mutex and is the
// consumer, and out is used up.
func (l *lane) trim() {
	if l.contents.trim(int(l.keep)) {
		l.begin(0, 0)
		l.claimed = 0
	}
}
