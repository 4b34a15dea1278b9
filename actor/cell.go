package actor

import (
	"context"
	"errors"
	"reflect"
	"time"
	"unsafe"
)

// cell is an actor of one type of messages: its control block, which is all
// that others see of it, and what has to know the type.
//
// This file is compiled for each type of messages of a program, together
// with Ref, Context and buffers. So it is kept small: it copies messages and
// calls the user's value, and leaves the rest to proc and activation.
type cell[M any] struct {
	proc    proc
	produce func() Actor[M] // Makes the actor of the next incarnation; nil if it can't be restarted.
	// first is the context of the first incarnation. It is here so that a spawn
	// is one allocation; an actor that is restarted has it for nothing.
	first Context[M]
}

// pocketedCell is a cell with a pocket. Each cell is a part of one, unless its messages are large.
type pocketedCell[M any] struct {
	cell   cell[M]
	pocket M // Under proc.pocket; see pocket.go.
}

// pocket returns where the pocket is. The cell must have one; see suitsPocket.
func (c *cell[M]) pocket() *M { return &(*pocketedCell[M])(unsafe.Pointer(c)).pocket }

func (c *cell[M]) messageType() reflect.Type { return reflect.TypeFor[M]() }

func (c *cell[M]) canChoose(f any) bool {
	_, can := f.(func(M) time.Duration)
	return can
}

func (c *cell[M]) canWeigh(f any) bool {
	_, can := f.(func(M) int)
	return can
}

func (c *cell[M]) newLane(capacity int, tight bool) *lane {
	return &newBuffers[M](capacity, tight).lane
}

// unpocket takes the message out of the pocket, which would keep alive what that
// points to.
//
//go:noinline
func (x *Context[M]) unpocket() (m M) {
	c := x.p.impl.(*cell[M])
	at := c.pocket()
	m, *at = *at, m
	c.proc.openPocket()
	return m
}

func (c *cell[M]) pocketAt() any { return c.pocket() }

func (c *cell[M]) newScope(incarnation uint32, kind *kind) *scope {
	x := &Context[M]{}
	x.typed, x.p, x.incarnation = x, &c.proc, incarnation
	x.kind.Store(kind)
	return &x.scope
}

func (c *cell[M]) produceActor() (any, error) {
	a := c.produce()
	if a == nil {
		return nil, errors.New("actor: the function that makes the actor returned nil")
	}
	return a, nil
}

// begin makes actor the value that handles the messages, or nothing, if it is
// nil. Snapshots read extra; at the begin of an incarnation there is none to
// forget.
//
//go:noinline
func (x *Context[M]) begin(actor any) {
	x.actor, _ = actor.(Actor[M])
	if actor == nil {
		x.hooks = noHooks
	}
	if x.extra != nil {
		x.extra = nil
	}
}

// handleBatch implements typed.
func (x *Context[M]) handleBatch(a *activation, l *lane, which Lane) (err error) {
	var b *buffers[M] // Nil for the message of the pocket, and if messages are large.
	var large *boxes
	if unsafe.Sizeof(*new(M)) > maxByValue {
		large = l.contents.(*boxes)
	} else {
		b, _ = l.contents.(*buffers[M])
	}
	var m M
	var asked address
	var ok, returned bool
	defer func() {
		if !returned {
			failed := m // Copied here, so that m itself need not be on the heap.
			err = a.crash(l, which, letter{failed, asked}, recover())
		}
	}()
	plain := a.plain()
	unobserved := again
	simulated := a.sys.simulated // Read once: it is three loads away.
	for over := false; !over; {
		if unobserved == again {
			unobserved = a.unobserved(l)
		}
		if unsafe.Sizeof(*new(M)) > maxByValue {
			var box unsafe.Pointer
			if box, ok = large.take(); !ok {
				break
			}
			m = *(*M)(box)
		} else if b == nil {
			m, ok = x.unpocket(), true
		} else if m, ok = b.take(); !ok {
			break // Its term is over.
		}
		if rest := l.left(); l.due(rest) {
			a.publish(l, rest)
		}
		if simulated {
			traced := m // It is on the heap, and m need not be.
			traceMessage(a.f, a.proc, which, reflect.ValueOf(&traced).Elem())
		}
		c := x
		if l.asks != nil {
			asked = l.asks.taken(l.head-1, unsafe.Pointer(&m))
			x.asked = asked
			if asked.slot != nil && asked.slot.errand != nil {
				c = x.sees(asked.slot.errand, asked, which)
			}
		}
		if unobserved > 0 {
			unobserved--
			if plain != nil {
				a.beginPlain(plain, &x.scope, l)
			}
			err = x.actor.Receive(c, m)
			if plain != nil && plain.end() {
				a.tidyWatch(&x.scope, plain.turn.Load()-1)
			}
		} else {
			err = x.receiveObserved(c, a, l, which, m)
			unobserved = again
		}
		if simulated {
			a.f.ComeBack()
		}
		if c != x {
			x.asked = address{} // Which would be kept alive.
		}
		if asked.slot != nil && asked.slot.isOpen(asked.round) && !x.keeps(asked) {
			asked.handled(a.proc) // Put aside, it would come again.
		}
		if err != nil {
			unhandled, bears := a.bears(err)
			if !bears && c != x {
				bears = x.excuses(a, asked.slot.errand, letter{m, asked}, err)
			}
			if unhandled {
				a.deadLetter(which, letter{m, asked}, err)
			}
			if !bears {
				a.giveBack(which, letter{m, asked}, err)
				break
			}
			err = nil
		}
		over = a.batchOver(l, which)
	}
	returned = true
	if ok && a.mu.Load()&termBits != a.term {
		a.abandon(letter{m, asked}, ErrKilled) // It can't have replied.
	}
	return err
}

// send puts m into a lane. If the lane is full it waits, or returns ErrFull. Asked is the ask that sends
// m, if an ask does.
func (c *cell[M]) send(ctx context.Context, which Lane, m M, mode sendMode, asked address) error {
	p := &c.proc
	if p.sys.simulated || which >= numLanes || fencing.Load() {
		if err := p.maySend(ctx, which, mode); err != nil {
			return err
		}
	}
	var box unsafe.Pointer
	if unsafe.Sizeof(*new(M)) > maxByValue {
		parcel := m // Copied here, since to allocate takes too long under the mutex.
		box = unsafe.Pointer(&parcel)
	}
	state := p.mu.Acquire()
	if p.closed && (p.reentrancy == NoReentrancy || !p.goesOnLocked(askOf(ctx, messageTypeOf(reflect.TypeFor[M]()).asks, &m, asked))) {
		p.mu.Release(state)
		if to := p.activated(); to != nil {
			if err := to.impl.(*cell[M]).send(ctx, which, m, mode|comesBack, asked); !cameBack(err, to) {
				return err
			}
		}
		gone := m // It is on the heap, and m need not be.
		return p.sendClosed(ctx, which, &gone, mode, asked)
	}
	l := p.lanes[which].Load()
	if l == nil {
		if l = p.firstLane(which); l == nil {
			*c.pocket() = m
			p.unlockAndAnnounce(ctx, state, Data.bit())
			return nil
		}
	}
	var b *buffers[M]
	if unsafe.Sizeof(*new(M)) > maxByValue {
		b = (*buffers[M])(unsafe.Pointer(l.contents.(*boxes))) // Only the length of in is right.
	} else {
		b = l.contents.(*buffers[M])
	}
	var moved address
	if l.asks != nil {
		if l.asks.keeps {
			moved = askOf(ctx, l.asks, &m, asked)
		} else {
			moved = l.asks.only(unsafe.Pointer(&m))
		}
		if p.reentrancy == CallChainReentrancy && p.invitesLocked(moved) {
			guest := m
			p.letIn(ctx, which, moved, &guest)
			return nil
		}
	}
	if l.full(len(b.in)) {
		return c.sendFull(ctx, l, which, m, moved, mode)
	}
	if moved.slot != nil {
		moved = p.entrustIn(l, len(b.in), moved)
	}
	if unsafe.Sizeof(*new(M)) > maxByValue {
		large := (*boxes)(unsafe.Pointer(b))
		large.in = append(large.in, box)
	} else {
		b.in = append(b.in, m)
	}
	if l.shown.Load() >= 0 {
		l.show()
	}
	if len(b.in) == int(l.stampAt) {
		p.stampLast(l)
	}
	if state&which.bit() != 0 {
		p.mu.Release(state)
	} else {
		p.unlockAndAnnounce(ctx, state, which.bit())
	}
	if moved.slot != nil {
		p.breakRing(moved)
	}
	return nil
}

// sendFull deals with a lane that is full, or tight. The caller holds mu, which
// sendFull unlocks.
func (c *cell[M]) sendFull(ctx context.Context, l *lane, which Lane, m M, asked address, mode sendMode) error {
	p := &c.proc
	o := p.opts.overflow
	if o == nil {
		return c.sendWaiting(ctx, l, which, m, asked, mode, 0)
	}
	size := 0
	switch {
	case o.limit.Bytes == 0:
	case o.size == nil:
		size = sizeOf(&m)
	default:
		p.mu.Unlock() // The function is the user's.
		var err error
		if size, err = weigh(o, m); err != nil {
			return p.notSent(err)
		}
		p.mu.Lock()
		if p.closed && !p.goesOnLocked(asked) {
			p.mu.Unlock()
			return p.refuse(which, letter{message: m}, mode, ErrStopped)
		}
		l = p.laneLocked(which)
	}
	v := p.judge(l, which, size)
	if v.waits {
		return c.sendWaiting(ctx, l, which, m, asked, mode, size)
	}
	if v.drop != nil {
		p.carryOut(ctx, &v, 0, address{})
		return p.overflowed(which, letter{m, asked}, mode, v.drop)
	}
	moved := p.entrust(asked)
	if unsafe.Sizeof(m) > maxByValue {
		parcel := m
		l.contents.(*boxes).push(unsafe.Pointer(&parcel), asked)
	} else {
		l.contents.(*buffers[M]).push(m, asked)
	}
	p.entered(l, size)
	p.carryOut(ctx, &v, which.bit(), moved)
	return nil
}

// sendWaiting sends to a lane that is full, when there is room. The caller holds
// mu, which sendWaiting unlocks.
func (c *cell[M]) sendWaiting(ctx context.Context, l *lane, which Lane, m M, asked address, mode sendMode, size int) error {
	p := &c.proc
	if mode&(mayWait|hasLingered) == mayWait && p.linger(ctx, l) {
		return c.send(ctx, which, m, mode|hasLingered, asked)
	}
	if err := p.whyNotWait(ctx, l, which, mode); err != nil {
		p.mu.Unlock()
		return err
	}
	parcel := m // It is on the heap, and m need not be.
	w := &sendWaiter{message: &parcel, size: size, asked: asked}
	return p.awaitRoom(uncarried(ctx), l, which, w, mode)
}
