package actor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Timer is the handle of a message that is to be sent later. It is a small
// value that may be copied. The zero Timer is one that is over.
type Timer struct{ t *timer }

// timer is what all timers have in common, whatever they send.
//
// The alarm's goroutine sends while it holds mu, so that Stop, which takes mu
// too, knows for certain whether it was in time. Where mu is held, the mu of the
// owner or of the receiver may be taken, not the other way round.
type timer struct {
	owner       *proc
	incarnation uint32
	which       Lane
	target      *proc         // Who gets the message.
	number      uint64        // Of the owner's timers. Guarded by the owner's mu.
	every       time.Duration // 0 for once.

	mu     sync.Mutex
	due    time.Time
	alarm  alarm
	over   bool
	missed uint64
	// While a single message waits for room in a full lane, mu is not held. Then
	// withdraw ends the wait, and waited is closed when it has ended.
	withdraw context.CancelFunc
	waited   chan struct{}
	sent     bool

	// The timers of an owner are a list. Guarded by its mu.
	prev, next *timer
}

// delivery is a timer together with what it sends.
type delivery[M any] struct {
	timer
	to   Ref[M]
	m    M
	last tick[M]
}

// SendAfter sends m to an actor when d has passed, on the lane of the ref. The
// timer belongs to whoever is given first: it is cancelled when that
// incarnation ends, or when the system stops. A d of 0 is allowed; a negative
// one is an error, as are a zero ref, and an owner that has ended.
//
// If the lane is full, the message waits for room like that of any sender. If
// the receiver has stopped, it is a dead letter.
//
// A timer takes about 330 bytes; setting and stopping one costs about 0.5 us,
// also if there are 100,000.
func SendAfter[M any](at Spawner, d time.Duration, to Ref[M], m M) (Timer, error) {
	if d < 0 {
		return Timer{}, fmt.Errorf("actor: send to %s after %v; the time must not be negative", to, d)
	}
	return schedule(at, d, &delivery[M]{to: to, m: m})
}

// Every sends m to an actor again and again, first when the interval has passed.
// The interval must be positive. It is otherwise like SendAfter, except that
// ticks do not pile up: one that comes while the last one still waits in the
// lane, or finds the lane full, or is late by a whole interval, is left out and
// counted; see [Timer.Missed]. When the receiver has stopped, the timer is over.
func Every[M any](at Spawner, interval time.Duration, to Ref[M], m M) (Timer, error) {
	if interval <= 0 {
		return Timer{}, fmt.Errorf("actor: send to %s every %v; the interval must be positive", to, interval)
	}
	t := &delivery[M]{to: to, m: m}
	t.every = interval
	return schedule(at, interval, t)
}

func schedule[M any](at Spawner, d time.Duration, t *delivery[M]) (Timer, error) {
	if at == nil {
		return Timer{}, errors.New("actor: a timer was given a nil owner; use a System or a Context")
	}
	if t.to.cell == nil {
		return Timer{}, ErrNoRef
	}
	if t.to.lane >= numLanes {
		return Timer{}, fmt.Errorf("actor: unknown lane %d; use Data, Management or Control", t.to.lane)
	}
	b, err := at.spawner()
	if err != nil {
		return Timer{}, err
	}
	t.owner, t.incarnation, t.target, t.which = b.parent, b.incarnation, &t.to.cell.proc, t.to.lane
	c := t.owner.sys.clock
	t.due = c.Now().Add(d)
	t.mu.Lock() // It shall not fire before the alarm is there.
	defer t.mu.Unlock()
	if err := t.enlist(); err != nil {
		return Timer{}, err
	}
	t.alarm = c.AfterFunc(d, t.fire)
	return Timer{&t.timer}, nil
}

// fire sends the message, or one of them.
func (t *delivery[M]) fire() {
	t.mu.Lock()
	if t.over || !t.owner.isPresent(t.incarnation) {
		t.over = true
		t.mu.Unlock()
		return
	}
	if t.every > 0 {
		t.tick()
	} else {
		t.once()
	}
	over := t.over
	t.mu.Unlock()
	if over {
		t.delist()
	}
}

// once sends the message of a timer that fires once. The caller holds mu.
func (t *delivery[M]) once() {
	cell, ctx := t.to.cell, context.Background()
	err := cell.send(ctx, t.to.lane, t.m, 0)
	if errors.Is(err, ErrFull) {
		ctx, t.withdraw = context.WithCancel(ctx)
		t.waited = make(chan struct{})
		t.mu.Unlock()
		err = cell.send(ctx, t.to.lane, t.m, mayWait)
		t.mu.Lock()
		t.withdraw()
		close(t.waited)
	}
	t.over, t.sent = true, err == nil
}

// tick sends one of many messages, and sets the alarm for the next. The caller
// holds mu.
func (t *delivery[M]) tick() {
	switch err := t.last.send(t.to, t.m); {
	case errors.Is(err, ErrFull):
		t.missed++
	case err != nil:
		t.over = true
		return
	}
	now := t.owner.sys.clock.Now()
	t.due = t.due.Add(t.every)
	if late := now.Sub(t.due); late >= 0 {
		n := late/t.every + 1
		t.missed += uint64(n)
		t.due = t.due.Add(n * t.every)
	}
	t.alarm.Reset(t.due.Sub(now))
}

// Stop cancels the timer. When it has returned, nothing is sent any more; what was
// sent before, one tick or at most two of Every, may wait in the lane, and is handled. It
// reports whether it was in time: for SendAfter, whether it has kept the message
// from being sent; for Every, whether the timer was not over yet. Stop may be
// called again, and by several.
func (t Timer) Stop() bool {
	if t.t == nil || !t.t.cancel() {
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

// cancel makes the timer send nothing any more. It reports whether it was in
// time.
func (t *timer) cancel() bool {
	t.mu.Lock()
	if t.over {
		t.mu.Unlock()
		return false
	}
	if t.withdraw == nil {
		t.over = true
		t.alarm.Stop()
		t.mu.Unlock()
		return true
	}
	waited := t.waited
	t.withdraw()
	t.mu.Unlock()
	<-waited
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.sent
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
	return nil
}

// delist removes the timer from its owner, where it may be no more.
func (t *timer) delist() {
	p := t.owner
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rare != nil && t.isListed(p.rare) {
		t.leaveList(p.rare)
		p.rare.timerCount--
	}
}

// cancelTimers cancels all timers of p, which takes no new ones.
func (p *proc) cancelTimers() {
	p.mu.Lock()
	var t *timer
	if p.rare != nil {
		t, p.rare.timers, p.rare.timerCount = p.rare.timers, nil, 0
	}
	var all []*timer
	for ; t != nil; t = t.next {
		all = append(all, t)
	}
	for _, t := range all {
		t.prev, t.next = nil, nil
	}
	p.mu.Unlock()
	for _, t := range all {
		t.cancel()
	}
}

// tick knows the place of the last tick of a timer in its receiver's lane.
type tick[M any] struct {
	lane *lane
	at   int64
}

// send is TrySend, except that it returns ErrFull also while the last tick
// waits. A claimed message counts as taken, so up to two ticks may be in the
// lane.
func (k *tick[M]) send(to Ref[M], m M) error {
	c := &to.cell.proc
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return to.cell.send(context.Background(), to.lane, m, 0) // As a dead letter.
	}
	l := c.laneLocked(to.lane)
	b := l.contents.(*buffers[M])
	waits := l == k.lane && k.at > l.swapped+l.slid-int64(max(0, l.unclaimed.Load()))
	switch {
	case waits || c.opts.buffer(to.lane) < Sliding && l.crowded():
		c.mu.Unlock()
		return ErrFull
	case l.tight:
		k.lane, k.at = l, l.arrived()+1 // Or later, which keeps out a tick more.
		c.mu.Unlock()
		return to.cell.send(context.Background(), to.lane, m, 0)
	}
	b.in = append(b.in, m)
	l.show()
	if l.stamp != nil {
		c.stampLast(l)
	}
	k.lane, k.at = l, l.swapped+int64(len(b.in))
	c.mu.Unlock()
	c.announce(nil, to.lane.bit())
	return nil
}
