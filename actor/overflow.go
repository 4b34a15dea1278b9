package actor

import (
	"context"
	"fmt"
	"math"

	"github.com/troupe-go/troupe/internal/workers"
)

// Buffer says what becomes of a message for which a lane has no room.
type Buffer uint8

// The kinds of buffers. Dropped messages go to the dead letters with the reason
// [ErrOverflow] and are counted, see [Info] and [Stats]; an ask in it fails at
// once, with [ErrNoReply]. A sender to a lane that drops is never held up,
// and not told either: Send and TrySend return nil.
const (
	// Fixed makes senders wait for room. It is the default.
	Fixed Buffer = iota
	// Dropping drops the newest message: the one that finds the lane full.
	Dropping
	// Sliding drops the oldest message that waits, and takes the newest in its
	// place: for those to whom only the latest matters. A message of such a lane
	// costs its actor about three times as much, some 200 ns more.
	Sliding
	// Unbounded takes all messages. No sender waits and no message is dropped, so the
	// only limits are WithMailboxLimit and the memory of the process.
	Unbounded

	numBuffers = 4
)

// String returns the buffer's name in lower case.
func (b Buffer) String() string {
	if b < numBuffers {
		return [numBuffers]string{"fixed", "dropping", "sliding", "unbounded"}[b]
	}
	return fmt.Sprintf("Buffer(%d)", uint8(b))
}

// WithBuffer sets what becomes of messages to a lane that is full: all lanes are
// [Fixed] otherwise. How many messages it holds is set by [WithCapacity]; an
// Unbounded one must not have that.
func WithBuffer(l Lane, b Buffer) Option {
	return func(o *options) error {
		if l >= numLanes {
			return fmt.Errorf("actor: unknown lane %d; use Data, Management or Control", l)
		}
		if b >= numBuffers {
			return fmt.Errorf("actor: unknown buffer %d for the %v lane; use Fixed, Dropping, Sliding or Unbounded", b, l)
		}
		o.ownOverflow().buffers[l] = b
		return nil
	}
}

// overflow is what an actor has that drops messages instead of making their
// senders wait, or has a limit.
type overflow struct {
	// Not written after the spawn.
	buffers [numLanes]Buffer
	limit   MailboxLimit
	size    any // The user's func(M) int, or nil.

	// Guarded by the mailbox's mutex.
	dropped [numLanes]uint64
	items   int // Of the messages that wait, if there is a limit.
	bytes   int // The same, if they are weighed.
}

// ownOverflow returns the overflow of these options, which is made on first use.
func (o *options) ownOverflow() *overflow {
	if o.overflow == nil {
		o.overflow = &overflow{}
	}
	return o.overflow
}

// settleOverflow checks that the options about full lanes fit together.
func (o *options) settleOverflow(c cellular) error {
	v := o.overflow
	if v == nil {
		return nil
	}
	for l, b := range v.buffers {
		switch {
		case b != Unbounded:
		case o.sized[l]:
			return fmt.Errorf("actor: the %v lane is Unbounded and has a capacity of %d; leave out one of them", Lane(l), o.capacity[l])
		default:
			o.capacity[l] = math.MaxInt32
		}
	}
	return v.settleLimit(c)
}

func (o *options) buffer(l Lane) Buffer {
	if o.overflow == nil {
		return Fixed
	}
	return o.overflow.buffers[l]
}

// tight reports whether the lane has to be a tight one.
func (o *options) tight(l Lane) bool {
	return o.overflow != nil && (o.overflow.buffers[l] == Sliding || o.overflow.limit.isSet())
}

// verdict is what becomes of a message that may find no room.
type verdict struct {
	waits  bool
	drop   error // Why it is dropped.
	lost   []loss
	ending error // Why the incarnation ends by it.
}

// loss is a message that was dropped.
type loss struct {
	letter
	lane   Lane
	reason error
	tick   tick // If it is one.
}

// judge makes room for a message of the given size in the lane l, if it can. The
// caller holds mu.
func (p *proc) judge(l *lane, which Lane, size int) (v verdict) {
	o := p.opts.overflow
	if l.crowded() {
		switch o.buffers[which] {
		case Fixed:
			v.waits = true
			return v
		case Dropping:
			v.drop = ErrOverflow
			return v
		case Sliding:
			for l.occupied() >= int(l.capacity) && l.pending() > 0 {
				v.lose(p, which, true, ErrOverflow)
			}
		}
	}
	if l.meter != nil {
		p.enforce(&v, which, size)
	}
	return v
}

// lose drops the oldest, or else the newest, message that waits in a tight lane.
// The caller holds mu.
func (v *verdict) lose(p *proc, which Lane, oldest bool, reason error) {
	l := p.lanes[which].Load()
	p.opts.overflow.dropped[which]++
	p.sys.dropped.Add(1)
	if t := p.tickAtEnd(which, l, oldest); t != nil {
		t.timed().leaveLane(l)
		v.lost = append(v.lost, loss{letter{message: t.message()}, which, reason, t})
		return
	}
	if oldest {
		p.handled-- // It will count as taken.
	} else if s := p.marksOf(which); s != nil {
		for m := s.last; m != nil && m.at == l.arrived()-s.taken; m = m.prev {
			m.at--
		}
	}
	v.lost = append(v.lost, loss{l.discard(oldest), which, reason, nil})
}

// carryOut does what a verdict says about others than the message itself, and then
// announces the given lanes, and ends the ring that the message has closed, if its ask
// was moved here. The caller holds mu, which carryOut unlocks.
func (p *proc) carryOut(ctx context.Context, v *verdict, entered uint32, moved address) {
	if moved.slot != nil {
		defer p.breakRing(moved) // Also if a dead-letter callback calls Goexit.
	}
	var woken waiters
	if v.ending != nil {
		woken = p.endByLimit(v)
	} else {
		p.mu.Unlock()
	}
	woken.tell(workers.Current(ctx))
	if entered != 0 {
		p.announce(workers.Current(ctx), entered)
	}
	if len(v.lost) > 0 {
		p.lost(v.lost)
	}
}

// lost makes dead letters of all. If a callback calls Goexit, there is no call
// for the others.
func (p *proc) lost(all []loss) {
	told := 0
	defer func() {
		for _, one := range all[told:] {
			p.account(one.lane, one.letter, one.reason, false)
			one.leaveOwner()
		}
	}()
	for told < len(all) {
		one := all[told]
		told++
		func() {
			defer one.leaveOwner()
			p.account(one.lane, one.letter, one.reason, true)
		}()
	}
}

func (o *loss) leaveOwner() {
	if o.tick != nil {
		o.tick.timed().leaveOwner()
	}
}

// overflowed deals with a message for which there is no room in a lane.
func (p *proc) overflowed(which Lane, m letter, mode sendMode, reason error) error {
	if mode&^comesBack == mayKeep {
		return (*overLimit)(p) // Somebody else may have room.
	}
	p.mu.Lock()
	p.opts.overflow.dropped[which]++
	p.mu.Unlock()
	p.sys.dropped.Add(1)
	p.deadLetter(which, m, reason)
	return nil
}

// entered takes note of a message that has come into a lane. The caller holds
// mu.
func (p *proc) entered(l *lane, size int) {
	if l.meter != nil {
		l.meter.add(size)
	}
	l.show()
	if l.stamp != nil {
		p.stampLast(l)
	}
}

// describe fills in what is known here. The caller holds mu.
func (o *overflow) describe(i *Info) {
	i.Buffer, i.Dropped, i.Bytes = o.buffers, o.dropped, o.bytes
	for which, b := range o.buffers {
		if b == Unbounded {
			i.Capacity[which] = 0
		}
	}
}
