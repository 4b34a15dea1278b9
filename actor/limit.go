package actor

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/internal/workers"
)

// MailboxLimit bounds what an actor's lanes hold together, see
// [WithMailboxLimit].
type MailboxLimit struct {
	// Items is how many messages may wait. Defaults to no limit; -1 means the same.
	Items int
	// Bytes is how many bytes they may take. A message counts with the size of its
	// type and of the strings and slices in it, but not what is behind its pointers,
	// in maps, or in slices of slices; WithSizeOf says it better. Defaults to no
	// limit; -1 means the same.
	Bytes int
	// Then is what is done about a message that would exceed the limit. Defaults to
	// ShedNewest.
	Then LimitAction
}

func (m MailboxLimit) isSet() bool { return m != MailboxLimit{} }

// LimitAction is what is done when the messages of an actor exceed a limit.
type LimitAction uint8

// The actions. Dropped messages go to the dead letters with the reason
// [ErrMailboxLimit] and are counted; senders are not told, as with [Dropping].
// Messages of the less urgent lanes are shed first, and none for the sake of a
// message that is less urgent.
const (
	// ShedNewest drops the message that has come, or the newest of a less urgent
	// lane.
	ShedNewest LimitAction = iota
	// ShedOldest drops the oldest messages, until there is room.
	ShedOldest
	// LimitRestart ends the incarnation, with the reason ErrMailboxLimit, even if a
	// handler runs, which is fenced off as by [Ref.Kill]; all that waits is dropped.
	// A parent may restart the actor; else it stops. While the actor has ended
	// already, what exceeds the limit is shed.
	LimitRestart

	numLimitActions = 3
)

// String returns the action's name in lower case.
func (a LimitAction) String() string {
	if a < numLimitActions {
		return [numLimitActions]string{"shed newest", "shed oldest", "restart"}[a]
	}
	return fmt.Sprintf("LimitAction(%d)", uint8(a))
}

// WithMailboxLimit bounds the messages that wait in all lanes of the actor
// together, besides the bounds of each lane: the one that is being handled, those
// that are stashed or come back from the stash, and senders that wait for room
// in a lane don't count. A message that is larger than the limit by itself is
// dropped, whatever else is to be done.
//
// A message to an actor with a limit costs it about three times as much, some
// 200 ns more.
func WithMailboxLimit(limit MailboxLimit) Option {
	return func(o *options) error {
		switch {
		case limit.Items < -1:
			return fmt.Errorf("actor: MailboxLimit.Items is %d; it must be positive, or 0 or -1 for no limit", limit.Items)
		case limit.Bytes < -1:
			return fmt.Errorf("actor: MailboxLimit.Bytes is %d; it must be positive, or 0 or -1 for no limit", limit.Bytes)
		case limit.Items <= 0 && limit.Bytes <= 0:
			return errors.New("actor: a mailbox limit of neither messages nor bytes; set Items or Bytes")
		case limit.Then >= numLimitActions:
			return fmt.Errorf("actor: unknown limit action %d; use ShedNewest, ShedOldest or LimitRestart", limit.Then)
		}
		limit.Items, limit.Bytes = max(0, limit.Items), max(0, limit.Bytes)
		o.ownOverflow().limit = limit
		return nil
	}
}

// WithSizeOf says how many bytes a message takes, for the limit of
// [WithMailboxLimit]: M must be the type of the actor's messages. The function is
// called once for each message, by its sender, before the message is accepted,
// also by several at the same time. If it panics, or returns less than 0, the
// send returns an error.
func WithSizeOf[M any](size func(m M) int) Option {
	return func(o *options) error {
		if size == nil {
			return errors.New("actor: WithSizeOf was given a nil function")
		}
		o.ownOverflow().size = size
		return nil
	}
}

func (o *overflow) settleLimit(c cellular) error {
	switch {
	case o.size == nil:
		return nil
	case o.limit.Bytes == 0:
		return errors.New("actor: WithSizeOf without a limit in bytes; set that by WithMailboxLimit")
	case !c.canWeigh(o.size):
		return fmt.Errorf("actor: WithSizeOf was given a %T, and the actor's messages are of type %v", o.size, c.messageType())
	}
	return nil
}

// weigh returns the size of m, as the user's function has it.
func weigh[M any](o *overflow, m M) (size int, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("actor: the function of WithSizeOf failed: %w", workers.NewPanicError(v))
		}
	}()
	if size = o.size.(func(M) int)(m); size < 0 {
		return 0, fmt.Errorf("actor: the function of WithSizeOf returned %d for a message; it must not be negative", size)
	}
	return size, nil
}

// fits reports whether a message may be added to those that wait.
func (o *overflow) fits(size int) bool {
	return (o.limit.Items == 0 || o.items < o.limit.Items) && (o.limit.Bytes == 0 || size <= o.limit.Bytes-o.bytes)
}

// enforce sees to it that a message of the given size may be added, or says in v
// what becomes of it. The caller holds mu.
func (p *proc) enforce(v *verdict, which Lane, size int) {
	o := p.opts.overflow
	if o.fits(size) {
		return
	}
	v.drop = ErrMailboxLimit
	if o.limit.Bytes > 0 && size > o.limit.Bytes {
		return
	}
	if o.limit.Then == LimitRestart && p.phase.Load() < failing && !p.ctx.Load().fence.Load() {
		v.ending = o.exceededBy(size)
		p.flush(v)
		return
	}
	oldest := o.limit.Then == ShedOldest
	for !o.fits(size) {
		victim, ok := p.leastUrgent(which)
		if !ok || victim == which && !oldest {
			return
		}
		v.lose(p, victim, oldest, ErrMailboxLimit)
	}
	v.drop = nil
}

// exceededBy returns the reason of an incarnation that ends by the limit.
func (o *overflow) exceededBy(size int) error {
	if o.limit.Items > 0 && o.items >= o.limit.Items {
		return fmt.Errorf("%w: %d messages wait, as many as may", ErrMailboxLimit, o.items)
	}
	return fmt.Errorf("%w: %d messages of %d bytes wait, and %d bytes more would exceed %d", ErrMailboxLimit, o.items, o.bytes, size, o.limit.Bytes)
}

// leastUrgent returns the least urgent lane with messages that is not more urgent
// than the given one. The caller holds mu.
func (p *proc) leastUrgent(than Lane) (Lane, bool) {
	for which := Data; which <= than; which++ {
		if l := p.lanes[which].Load(); l != nil && l.pending() > 0 {
			return which, true
		}
	}
	return 0, false
}

// flush drops all that waits. The caller holds mu.
func (p *proc) flush(v *verdict) {
	for which := range Lane(numLanes) {
		for l := p.lanes[which].Load(); l != nil && l.pending() > 0; {
			v.lose(p, which, true, ErrMailboxLimit)
		}
	}
}

// endByLimit ends the incarnation of an actor whose messages were flushed, and
// gives their room to waiting senders. The caller holds mu, which is unlocked.
func (p *proc) endByLimit(v *verdict) (woken waiters) {
	var announced uint32
	for which := range Lane(numLanes) {
		if l := p.lanes[which].Load(); l != nil && l.waiting.Len() > 0 {
			woken = l.takeIn(woken)
			announced |= which.bit()
		}
	}
	p.killLocked(v.ending)
	for which := range Lane(numLanes) {
		if announced&which.bit() != 0 {
			p.announce(nil, which.bit())
		}
	}
	return woken
}

// meter weighs what is in a lane. It is guarded by the mailbox's mutex.
type meter struct {
	of      *overflow
	sizes   []int // Of the messages of in, in their order, if there is a limit in bytes.
	skipped int   // How many at its beginning are gone.
}

// takes reports whether a message of the given size may be added.
func (m *meter) takes(size int) bool { return m.of.fits(size) }

func (m *meter) add(size int) {
	m.of.items++
	if m.of.limit.Bytes == 0 {
		return
	}
	m.of.bytes += size
	if n := len(m.sizes) - m.skipped; len(m.sizes) == cap(m.sizes) && n <= m.skipped {
		copy(m.sizes, m.sizes[m.skipped:])
		m.sizes, m.skipped = m.sizes[:n], 0
	}
	m.sizes = append(m.sizes, size)
}

// drop takes note that the oldest, or else the newest, message has gone.
func (m *meter) drop(oldest bool) {
	m.of.items--
	if m.of.limit.Bytes == 0 {
		return
	}
	if last := len(m.sizes) - 1; oldest {
		m.of.bytes -= m.sizes[m.skipped]
		m.skipped++
	} else {
		m.of.bytes -= m.sizes[last]
		m.sizes = m.sizes[:last]
	}
	if m.skipped == len(m.sizes) {
		m.sizes, m.skipped = m.sizes[:0], 0
	}
}

// prepend takes note of n messages that are before all others again. They have
// been counted once, and weigh nothing.
func (m *meter) prepend(n int) {
	m.of.items += n
	if n > 0 && m.of.limit.Bytes > 0 {
		m.sizes = append(make([]int, n), m.sizes[m.skipped:]...)
		m.skipped = 0
	}
}

// weigh takes note that ticks of the given size in all have come, or left: less than
// 0 then.
func (m *meter) weigh(n, size int) {
	m.of.items += n
	if m.of.limit.Bytes > 0 {
		m.of.bytes += size
	}
}

// reset takes note that the lane is empty.
func (m *meter) reset(n int) {
	for range n {
		m.drop(true)
	}
}
