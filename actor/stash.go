package actor

import (
	"fmt"
	"unsafe"

	"github.com/troupe-go/troupe/internal/workers"
)

// stashed is a message that was put aside, or in which the actor has failed, and the lane
// that it came from.
type stashed[M any] struct {
	_     [0]func()
	lane  Lane
	tries int32    // How often the actor has failed in it.
	asked *address // The ask that it belongs to, or nil.
	m     M
}

// kept returns the ask as it is kept with a message.
//
//go:noinline
func (a address) kept() *address {
	if a.slot == nil {
		return nil
	}
	return &a
}

// kept returns the letter's ask as it is kept with a message.
//
//go:noinline
func (l *letter) kept() *address { return l.asked.kept() }

// orNobody is the way back from kept.
func (a *address) orNobody() address {
	if a == nil {
		return address{}
	}
	return *a
}

// is reports whether a kept ask is the given one.
//
//go:noinline
func (a *address) is(asked address) bool {
	if a == nil {
		return asked == address{}
	}
	return *a == asked
}

// defaultStash is how many messages an actor may put aside: as many as come in
// on Data by default.
const defaultStash = 1024

// WithStash sets how many messages the actor may put aside by [Context.Stash].
// The default is 1024.
func WithStash(n int) Option {
	return func(o *options) error {
		if n < 1 || n > maxCapacity {
			return fmt.Errorf("actor: a stash for %d messages; it must be 1 to %d", n, maxCapacity)
		}
		o.stash = n
		return nil
	}
}

// Stash puts m, the message that is being handled, aside until
// [Context.Unstash] is called. It is then handled again, so Stash is called once
// for a message, and not for others.
//
// The stash is kept over a restart: when an incarnation ends and another may
// begin, all of it goes back to the lanes, as by Unstash. The message in which
// an incarnation has failed is among them if it was put aside before. If the
// actor stops for good, the messages go to the dead letters.
//
// Stash returns [ErrStashFull] if there is no more room, see [WithStash];
// [ErrNotInHandler] elsewhere than in Receive; and [ErrStopped] to a handler that has
// waited while the actor began to stop for good, see [WithReentrancy].
func (c *Context[M]) Stash(m M) error {
	tries, err := c.lockToStash()
	if err != nil {
		return err
	}
	asked := c.asked.kept()
	c = c.root()
	e := c.extraLocked()
	e.stash = append(e.stash, stashed[M]{lane: c.lane, tries: tries, m: m, asked: asked})
	c.p.mu.Unlock()
	return nil
}

// lockToStash checks whether the message that is being handled may be put aside. If so,
// it takes the proc's mu, and returns how often the actor has failed in the message.
func (c *scope) lockToStash() (tries int32, err error) {
	const what = "stashes a message"
	if err := c.handling(what); err != nil {
		return 0, err
	}
	x, p := c.home(), c.p
	if c.lane >= numLanes {
		return 0, fmt.Errorf("%s %s in a hook: %w", p, what, ErrNotInHandler)
	}
	p.mu.Lock()
	defer func() {
		if err != nil {
			p.mu.Unlock()
		}
	}()
	if err := x.absent(); err != nil {
		return 0, fmt.Errorf("%s %s: %w", p, what, err)
	}
	if p.phase.Load() == stopping {
		return 0, fmt.Errorf("%s %s: %w", p, what, ErrStopped)
	}
	if n := x.typed.stashedLocked(); n >= p.opts.stash {
		return 0, fmt.Errorf("%s, with %d messages: %w", p, n, ErrStashFull)
	}
	return p.triedLocked(x.lane), nil
}

// Unstash puts all stashed messages back, each into the lane that it came from,
// before all messages that wait there, and in the order in which they were
// stashed. They are handled when the handler that has called Unstash returns. It
// returns how many there are.
func (c *Context[M]) Unstash() (int, error) {
	if err := c.handling("unstashes"); err != nil {
		return 0, err
	}
	c = c.root()
	p := c.p
	p.mu.Lock()
	if err := c.absent(); err != nil {
		p.mu.Unlock()
		return 0, fmt.Errorf("%s unstashes: %w", p, err)
	}
	e := c.extra
	if e == nil || len(e.stash) == 0 {
		p.mu.Unlock()
		return 0, nil
	}
	n := len(e.stash)
	e.returning, e.stash = append(e.returning, e.stash...), nil
	p.mu.Unlock()
	p.post(workers.Current(c), sysMessage{kind: sysUnstash})
	return n, nil
}

// Stashed returns how many messages are stashed.
func (c *Context[M]) Stashed() int {
	c = c.root()
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	if c.extra == nil {
		return 0
	}
	return len(c.extra.stash)
}

// unstash puts messages back into their lanes: those for which Unstash was
// called, or all.
func (a *activation) unstash(all bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for which := range Lane(numLanes) {
		if l := a.ctx.Load().typed.unstash(which, all); l != nil {
			a.limit(which, l)
			a.todo |= which.bit()
		}
	}
}

// unstash puts messages back into one lane, and returns it if there were any.
// The caller holds the proc's mu.
func (c *Context[M]) unstash(which Lane, all bool) *lane {
	e := c.extra
	if e == nil {
		return nil
	}
	if all {
		e.returning, e.stash = append(e.returning, e.stash...), nil
	}
	n := 0
	for i := range e.returning {
		if s := &e.returning[i]; s.lane == which {
			n++
			c.p.comesBackLocked(which, n, s.tries)
		}
	}
	if n == 0 {
		return nil
	}
	l := c.p.laneLocked(which)
	c.p.putBackLocked(which, l, n)
	var b *buffers[M]
	if unsafe.Sizeof(*new(M)) > maxByValue {
		large := l.contents.(*boxes)
		large.insert(n)
		b = (*buffers[M])(unsafe.Pointer(large)) // Only the length and capacity of out are right.
	} else {
		b = l.contents.(*buffers[M])
		old := b.out[l.head:]
		b.out = make([]M, n+len(old))
		copy(b.out[n:], old)
	}
	back, left := 0, 0
	var asks []address
	for i := range e.returning {
		if s := &e.returning[i]; s.lane == which {
			if unsafe.Sizeof(*new(M)) > maxByValue {
				parcel := s.m
				(*boxes)(unsafe.Pointer(b)).out[back] = unsafe.Pointer(&parcel)
			} else {
				b.out[back] = s.m
			}
			asks = addKept(asks, back, s.asked)
			back++
		} else {
			e.returning[left] = *s
			left++
		}
	}
	clear(e.returning[left:])
	if e.returning = e.returning[:left]; left == 0 {
		e.returning = nil
	}
	l.asks.insert(asks, n, l.head)
	l.putBack(len(b.out), cap(b.out))
	return l
}

// putFirst puts m before the messages that the consumer has in hand, who calls
// it. The caller holds the mutex.
func (b *buffers[M]) putFirst(m M, asked address) {
	l := &b.lane
	if l.head > 0 { // The place of a message that was handled is free, and claimed.
		l.head--
		b.out[l.head] = m
		l.asks.set(l.head, asked)
		l.taken.Store(uintptr(l.head))
		l.fill(l.left())
		return
	}
	if l.size == 0 {
		b.out = append(b.out[:0], m)
		l.asks.set(0, asked)
	} else {
		b.out = append([]M{m}, b.out...)
		l.asks.insertFirst(asked)
	}
	l.putBack(len(b.out), cap(b.out))
}

// putBack takes note that messages were put before the consumer's own. The consumer
// calls it, and holds the mutex.
func (l *lane) putBack(size, room int) {
	l.begin(size, room)
	l.claimed = 0
	l.unclaimed.Store(int32(size))
	l.fill(size)
}

// stow puts aside a message that the actor has failed in. The caller holds the
// proc's mu.
//
//go:noinline
func (c *Context[M]) stow(which Lane, m *letter, tries int32) {
	message, _ := m.message.(M) // A nil interface has no type.
	e := c.extraLocked()
	e.returning = append([]stashed[M]{{lane: which, tries: tries, asked: m.kept(), m: message}}, e.returning...)
}

// keeps reports whether the message of an ask is stashed. It is the handler's
// question; of one that was killed meanwhile, all is the next incarnation's.
func (c *Context[M]) keeps(asked address) (does bool) {
	c.p.mu.Lock()
	if does = c.absent() != nil; !does && c.extra != nil {
		for i := len(c.extra.stash) - 1; i >= 0 && !does; i-- { // Mostly it is the last.
			does = c.extra.stash[i].asked.is(asked)
		}
	}
	c.p.mu.Unlock()
	return does
}
