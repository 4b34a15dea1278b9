package actor

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// Timer is the handle of a message that is to be sent later. It is a small
// value that may be copied. The zero Timer is one that is over.
type Timer struct{ t *timer }

// timer is what all timers have in common, whatever they send.
//
// The fate of its message is decided under the receiver's mu, by the alarm's
// goroutine, a stop of the timer, and the receiver's consumer: so a stop knows for
// certain whether it was in time. A message that was sent waits as a mark of its lane until
// its turn has come, and can be taken back from there. Where the timer's mu is held, the
// owner's mu may be taken, not the other way round.
type timer struct {
	owner       *proc
	incarnation uint32
	which       Lane
	target      *proc         // The receiver of the message.
	number      uint64        // Of the owner's timers. Guarded by the owner's mu.
	every       time.Duration // 0 for once.

	mu     xatomic.Mutex
	due    time.Time
	over   bool // It has fired for the last time, or was stopped.
	missed uint64

	// All timers of an owner are in its list. Timers that wait for their time are also in
	// its heap. Guarded by the owner's mu.
	prev, next *timer
	dueAt      int // Its place in the heap, from 1 on, or 0.

	// The message that was sent and waits: at most one. Guarded by the receiver's mu.
	mark   mark          // Its field of is the message. Written once, before the timer is shared.
	waiter *sendWaiter   // While it waits for room.
	size   int           // If the receiver's messages are weighed.
	since  time.Duration // When it was sent, or -1.
	may    bool          // It may send.
	untold bool          // Whether what waits only reads can't be told.
}

// delivery is a timer together with what it sends.
type delivery[M any] struct {
	timer
	m M
}

// SendAfter sends m to an actor when d has passed, on the lane of the ref. The
// timer belongs to the first argument: it is cancelled when that
// incarnation ends, or when the system stops. A d of 0 is allowed; a negative
// one is an error, as are a zero ref, and an owner that has ended.
//
// The timers of one owner send to one lane of an actor in the order in which they are due.
// Timers that are due at the same time send in the order in which they were set, once or again
// and again: of several that one handler sets with the same d, the first sends first. The order beside other timers, and beside other
// senders at that moment, is not defined.
//
// If the lane is full, the message waits for room like the message of any sender. If
// the receiver has stopped, it is a dead letter. It can be taken back until the
// receiver takes it to handle it, see [Timer.Stop]; the end of the timer's owner
// does that as well, and is all that an ask in it is told, by [ErrNoReply].
//
// A timer takes about 250 bytes, and about 150 more while its message waits for room: it
// holds no goroutine, due or not. Setting and stopping one costs about 0.2 us, also if there
// are 100,000.
func SendAfter[M any](at Spawner, d time.Duration, to Ref[M], m M) (Timer, error) {
	if d < 0 {
		return Timer{}, fmt.Errorf("actor: send to %s after %v; the time must not be negative", to, d)
	}
	return schedule(at, d, to, &delivery[M]{m: m})
}

// Every sends m to an actor again and again, first when the interval has passed.
// The interval must be positive. It is otherwise like SendAfter, except that
// ticks do not pile up: one that comes while the last one still waits in the
// lane, or finds the lane full, or is late by a whole interval, is left out and
// counted; see [Timer.Missed]. So one tick waits at most, and none when the timer
// has been stopped. When the receiver has stopped, the timer is over.
func Every[M any](at Spawner, interval time.Duration, to Ref[M], m M) (Timer, error) {
	if interval <= 0 {
		return Timer{}, fmt.Errorf("actor: send to %s every %v; the interval must be positive", to, interval)
	}
	t := &delivery[M]{m: m}
	t.every = interval
	return schedule(at, interval, to, t)
}

func schedule[M any](at Spawner, d time.Duration, to Ref[M], t *delivery[M]) (Timer, error) {
	if to.cell == nil {
		return Timer{}, ErrNoRef
	}
	if to.cell.proc.sys == nowhere {
		return Timer{}, fmt.Errorf("actor: set a timer for %s: %w", to, ErrUnbound)
	}
	t.target, t.which, t.mark.of = &to.cell.proc, to.lane, t
	return t.set(at, d)
}

// set has the timer fire when d has passed.
func (t *timer) set(at Spawner, d time.Duration) (Timer, error) {
	if at == nil {
		return Timer{}, errors.New("actor: a timer was given a nil owner; use a System or a Context")
	}
	if t.which >= numLanes {
		return Timer{}, fmt.Errorf("actor: unknown lane %d; use Data, Management or Control", t.which)
	}
	b, err := at.spawner()
	if err != nil {
		return Timer{}, err
	}
	t.owner, t.incarnation, t.may = b.parent, b.incarnation, true
	t.due = t.owner.sys.clock.Now().Add(d)
	if err := t.enlist(); err != nil {
		return Timer{}, err
	}
	return Timer{t}, nil
}

func (t *delivery[M]) timed() *timer                { return &t.timer }
func (t *delivery[M]) message() any                 { return t.m }
func (t *delivery[M]) pointer() any                 { return &t.m }
func (t *delivery[M]) askedBy(in *laneAsks) address { return in.shown(unsafe.Pointer(&t.m)) }

func (t *delivery[M]) weigh(o *overflow) (int, error) {
	if o.size == nil {
		return sizeOf(&t.m), nil
	}
	return weigh(o, t.m)
}

func (t *delivery[M]) putFirst(l *lane) {
	var asked address
	if l.asks != nil {
		asked = t.askedBy(l.asks)
	}
	putFirst(l, t.m, asked)
	if t.every == 0 {
		var zero M
		t.m = zero // The timer must not keep alive the memory that it points to.
	}
}

// fire sends the message, or one of them.
func (t *timer) fire() {
	t.mu.Lock()
	if t.over || !t.owner.isPresent(t.incarnation) {
		t.over = true
		t.mu.Unlock()
		return
	}
	if w, ok := t.mark.of.(untimely); ok && w.putOff() {
		t.over = !t.await()
		t.mu.Unlock()
		return
	}
	once := t.every == 0
	t.over = once
	t.mu.Unlock()
	var there bool
	var err error
	defer func() { // Also if OnDeadLetter calls Goexit.
		switch {
		case !once && t.goOn(err):
		case !once || !there:
			t.delist()
		}
	}()
	there, err = t.enter()
}

// goOn has the timer wait for the next of its many messages, where err is what became of
// the last one. It returns false if the timer is over.
func (t *timer) goOn(err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case errors.Is(err, ErrFull):
		t.missed++
	case errors.Is(err, errRevoked): // Then over says whether that was for good.
	case err != nil:
		t.over = true
	}
	if t.over {
		return false
	}
	t.due = t.due.Add(t.every)
	if late := t.owner.sys.clock.Since(t.due); late >= 0 {
		n := late/t.every + 1
		t.missed += uint64(n)
		t.due = t.due.Add(n * t.every)
	}
	return t.await()
}

// Stop cancels the timer. When it has returned, nothing is sent any more, and what
// was sent and waits in its lane is taken back: it is not handled, is no dead letter,
// and its room is free. It can't take back a message that the receiver has
// taken to handle it by then, or has put aside itself: by [Context.Stash], since it
// is a [Process] that waits for another one, or for another try by [WithRetry]. So a handler of the receiver that stops
// the timer sees no message of it any more.
//
// Stop reports whether it was in time: for SendAfter, whether it has kept the message
// from being handled; for Every, whether the timer was not over yet. Stop may be
// called again, and by several.
func (t Timer) Stop() bool {
	if t.t == nil || !t.t.cancel(nil) {
		return false
	}
	t.t.delist()
	return true
}

// Missed returns how many ticks were left out so far.
func (t Timer) Missed() uint64 {
	if t.t == nil {
		return 0
	}
	t.t.mu.Lock()
	defer t.t.mu.Unlock()
	return t.t.missed
}

// cancel makes the timer send nothing any more, and takes back what waits. It reports
// whether it was in time. Reason, if any, is what those get who have asked by that.
func (t *timer) cancel(reason error) bool {
	t.mu.Lock()
	over := t.over
	t.over = true
	t.mu.Unlock()
	kept := t.revoke(reason)
	if t.every == 0 {
		return kept
	}
	return !over
}

// enlist enters the timer with its owner.
func (t *timer) enlist() error {
	p := t.owner
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.accepts(t.incarnation); err != nil {
		return fmt.Errorf("set a timer of %s: %w", p, err)
	}
	r := p.rareLocked()
	r.timerNumber++
	t.number = r.timerNumber
	if t.next = r.timers; t.next != nil {
		t.next.prev = t
	}
	r.timers = t
	r.timerCount++
	r.dues.await(p, t)
	return nil
}

// await has the timer wait for its next time. It returns false if its owner has ended.
// The caller holds the timer's mu.
func (t *timer) await() bool {
	p := t.owner
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rare == nil || !t.isListed(p.rare) {
		return false
	}
	p.rare.dues.await(p, t)
	return true
}

// delist removes the timer from its owner's list. It may be gone from there already.
func (t *timer) delist() {
	p := t.owner
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rare != nil && t.isListed(p.rare) {
		t.leaveList(p.rare)
		p.rare.timerCount--
	}
	if p.rare != nil {
		p.rare.dues.remove(t)
	}
}

// leaveOwner is delist when what was sent has left its lane, of a timer that fires
// once: it is not under way any more.
func (t *timer) leaveOwner() {
	if t.every == 0 {
		t.delist()
	}
}

// cancelTimers cancels all timers of p, which takes no new ones.
func (p *proc) cancelTimers() {
	p.mu.Lock()
	var t *timer
	if p.rare != nil {
		t, p.rare.timers, p.rare.timerCount = p.rare.timers, nil, 0
		p.rare.dues.clear()
	}
	var all []*timer
	for t != nil {
		next := t.next
		t.prev, t.next = nil, nil
		if t.target != nil { // Else it is a place; see eachTimer.
			all = append(all, t)
		}
		t = next
	}
	p.mu.Unlock()
	for _, t := range all {
		t.cancel(ErrStopped)
	}
}
