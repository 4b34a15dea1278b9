package actor

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/workers"
)

// Reply is the address to which the answer to one ask is sent. It travels in
// the message, and may be kept for later or handed on to another actor. It
// takes one answer. The zero Reply belongs to no ask; what is sent to it is
// dropped, so that a message that can be asked can also just be sent.
//
// # Which messages belong to the ask
//
// The message that the ask sends belongs to it. So does every message that has the
// Reply in itself: in a field or an array, or in a value in an interface. A handler
// hands an ask on by sending such a message to another actor. When a message that
// belongs to the ask is dropped, or its handler fails, the ask ends at once, with
// [ErrNoReply]; while one is handled, the handler's [Context] says what the asker's
// says. Of a Reply in an interface that is a field, or of several in one message,
// the latter holds for the first that is found in the fields and arrays only, unless
// it is the ask's own message.
//
// A message that only leads to the Reply, by a pointer, a slice, a map, a function or a
// channel, is no part of the ask, unless the ask has sent it itself. So an actor may
// keep Replies in a record of its own, guarded by a lock or not, and send that
// record's pointer about: whatever becomes of those messages, the asks go on to wait,
// and nothing behind the pointer is read. An ask whose own message has its Reply
// behind a pointer or in a slice is still told when that message is dropped or its
// handler fails. A handler that sends it on to another actor gives the ask away only if the
// Reply is in the message itself. Of a Reply that can only be
// found in a map, a function, a channel, or an interface behind a pointer, no message
// belongs to the ask; the asker waits until its context ends, or
// for Config.AskTimeout.
type Reply[T any] struct {
	mark  replyMark
	slot  *replySlot[T]
	round uint64
}

// replySlot is where an asker waits for its answer. Slots are used again. Value
// belongs to the answering goroutine, and then to the asker; see asking, which is first,
// so that a Reply is an address.
type replySlot[T any] struct {
	asking
	pool  *replyPool[T] // Where it comes from; nil if it is not used again.
	sys   *System       // The system of the asked actor. Not written any more once the slot was made.
	value T
}

// Send answers the ask with v. It never waits. It returns [ErrReplied] if the
// ask was answered before, and [ErrLateReply] if the asker no longer waits. In both
// cases the answer is dropped; the system of the asked actor counts late answers. When
// the asker has gone on with the first answer, a second one may also get ErrLateReply.
// Send returns [ErrFenced] if ctx belongs to an incarnation that was killed or
// replaced; the ask then fails with [ErrNoReply].
func (r Reply[T]) Send(ctx context.Context, v T) error {
	ctx = orBackground(ctx)
	if err := fenced(ctx); err != nil {
		return r.refuse(ctx, err)
	}
	return r.late(ctx, r.answer(workers.Current(ctx), v, nil))
}

// Fail answers the ask with an error, which Ask returns. It is otherwise like
// Send. A nil error is refused, by an error, and leaves the ask open.
func (r Reply[T]) Fail(ctx context.Context, err error) error {
	if err == nil {
		return fmt.Errorf("actor: Reply.Fail was given a nil error; answer with Send")
	}
	ctx = orBackground(ctx)
	if err := fenced(ctx); err != nil {
		return r.refuse(ctx, err)
	}
	var zero T
	return r.late(ctx, r.answer(workers.Current(ctx), zero, err))
}

// WaitFor is for an actor that keeps the Reply until another one has started, or has
// stopped, as a supervisor does: kind is [StartWait] or [StopWait], and id is the PID
// of that actor. The asker then counts as waiting for it, so that a ring of waits
// through the keeper is found; without, nobody knows who is to answer. A later call
// takes the place of an earlier one. A wait for a start ends when the Started hook has
// returned.
//
// If that closes a ring, the ask ends with a [*CycleError]. WaitFor reports whether
// the asker still waits. It does nothing if the actor has stopped, or for another
// kind, or if the asker is no handler. It never waits.
func (r Reply[T]) WaitFor(kind WaitKind, id PID) bool {
	s := r.slot
	if s == nil {
		return false
	}
	if s.sys == nowhere {
		return false
	}
	p := s.sys.lookup(id)
	if p == nil || kind != StartWait && kind != StopWait {
		return s.isOpen(r.round)
	}
	if !s.pin(r.round) {
		return false
	}
	asker := s.asker
	s.kind = kind
	s.move(p)
	s.unpin(r.round)
	if s.lifts.Load() {
		s.follow(r.round)
	}
	if asker != nil && (p == asker || p.mayWait(&s.asking)) {
		p.breakRing(address{&s.asking, r.round})
	}
	return s.isOpen(r.round)
}

// refuse tells the asker, instead of an answer from behind a fence, that none
// will come.
func (r Reply[T]) refuse(ctx context.Context, fenced error) error {
	reason := fenced
	if cause := context.Cause(ctx); cause != nil {
		reason = fmt.Errorf("%w: %w", fenced, cause) // Why it was killed.
	}
	if r.slot != nil {
		address{&r.slot.asking, r.round}.abandon(fmt.Errorf("%w: %w", ErrNoReply, reason))
	}
	return repliesFenced(ctx, fenced)
}

func (r Reply[T]) answer(f *workers.Fiber, v T, err error) error {
	s := r.slot
	if s == nil {
		return nil
	}
	if err := s.begin(r.round, err); err != nil {
		return err
	}
	s.value, s.err = v, err
	if far := s.far(); far != nil {
		s.answered(f, r.round)
		return far.failure()
	}
	s.answered(f, r.round)
	return nil
}

// late handles the error err of an answer from the user's code. It counts the answer if
// it was late, and returns err with the name of the actor that has answered, if any.
//
//go:noinline
func (r Reply[T]) late(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if r.slot.sys == nowhere {
		return ErrUnbound
	}
	return r.slot.sys.tellLate(ctx, err)
}

// Ask sends the message that msg makes, with a reply address in it, and waits
// for the answer, or until ctx ends. In a handler the wait holds no worker, whatever
// the context; with the handler's own [Context] it also ends when that does.
//
// Ask returns what Send returns if the message could not be sent; the error
// that Reply.Fail was given; [ErrNoReply] if the message was dropped or its
// handler failed; a [*CycleError] if the ask closes a ring of
// handlers that wait for each other; and else the cause of ctx. If ctx has no
// deadline, it returns [ErrAskTimeout] when there is no answer within the
// Config.AskTimeout of the asked actor's system, 5 s by default: an actor may forget
// to reply. See [WithoutAskTimeout] for asks that rightly take longer.
//
// The handler's context has the deadline and the values of ctx, and ends with it;
// see [Context]. In steady state an Ask allocates nothing, unless its context has
// something to say: then the handler gets a Context of its own.
func Ask[M, T any](ctx context.Context, to Ref[M], msg func(Reply[T]) M) (T, error) {
	var zero T
	ctx = orBackground(ctx)
	if to.cell == nil {
		return zero, ErrNoRef
	}
	if msg == nil {
		return zero, fmt.Errorf("actor: ask %s: the function that makes the message is nil", to)
	}
	target := &to.cell.proc
	if target.isStandIn() {
		var err error
		if target, err = target.routed(); err != nil {
			return zero, err
		}
		if !to.cell.proc.opts.virtual { // Else the message goes to another activation if this one ends.
			to.cell = target.impl.(*cell[M])
		}
	}
	f, asker := target.sys.caller(ctx)
	var up address
	if asker != nil {
		up = askedIn(ctx, f, asker)
		if err := asker.wouldWaitForItself(target, up, AskWait, to.lane); err != nil {
			return zero, fmt.Errorf("ask %s: %w", to, err)
		}
	}
	s := takeSlot[T](ctx, f, target.sys, asker, up)
	s.waiter.ArmOn(f, target.sys.scheduler)
	round := s.open(asker, target, up, AskWait, to.lane)
	target.sys.asks.rouse()
	if err := to.cell.send(ctx, to.lane, msg(Reply[T]{slot: s, round: round}), mayWait|isAsk, address{&s.asking, round}); err != nil {
		s.withdraw(round)
		s.keep(f)
		return zero, target.sys.asks.expired(err, target, reflect.TypeFor[M]())
	}
	if target.sys.simulated {
		s.explainWait(ctx, target.sys, target, round)
	}
	var err error
	if asker != nil {
		err = asker.enterWait(f, target, &s.asking, round)
	}
	if err == nil {
		s.lift(f, asker, round)
		err = s.await(ctx, target.sys, round)
		s.endLift()
	}
	v := s.value
	if err != nil || s.err != nil {
		target.leaves(address{&s.asking, round}, err)
		err = target.sys.asks.failed(err, s.err, target, reflect.TypeFor[M]())
	}
	s.keep(f)
	return v, err
}

// takeSlot returns a slot for an ask on the fiber, or elsewhere if that is nil.
// A handler mostly finds the one that the last ask on its fiber has left, which
// costs 2 ns; from a pool, which has to be found by the type, it takes 25 ns. One
// for an ask that carries its context is new.
func takeSlot[T any](ctx context.Context, f *workers.Fiber, sys *System, asker *proc, up address) *replySlot[T] {
	if carries(ctx) {
		s := &struct {
			replySlot[T]
			carried errand
		}{}
		s.errand, s.sys = &s.carried, sys
		s.carried.begin(ctx, asker, up)
		return &s.replySlot
	}
	if d := deskAt(f); d != nil {
		if s, ok := d.slot.(*replySlot[T]); ok {
			d.slot = nil
			if s.sys == sys {
				return s
			}
		}
	}
	return slotPool[T](sys).Get().(*replySlot[T])
}

// keep is the end of takeSlot. A slot with an errand is not used again: the
// holder of the message still looks at it.
func (s *replySlot[T]) keep(f *workers.Fiber) {
	if s.errand != nil {
		s.clear()
		s.waiter.Disarm()
		return
	}
	if d := deskAt(f); d != nil && d.slot == nil {
		s.clear()
		d.slot = s
		return
	}
	s.pool.recycle(s)
}

// deskAt returns the desk of the fiber, if it has one.
func deskAt(f *workers.Fiber) *desk {
	if f == nil {
		return nil
	}
	d, _ := f.Note().(*desk)
	return d
}

// replyPool keeps the slots of one type.
type replyPool[T any] struct{ sync.Pool }

// clear lets go of what the round has left.
func (s *replySlot[T]) clear() {
	var zero T
	s.value, s.err = zero, nil
	s.asker, s.holder, s.up = nil, nil, address{}
	s.waiter.Lay()
}

// recycle keeps the slot for its next round.
func (p *replyPool[T]) recycle(s *replySlot[T]) {
	s.clear()
	p.Put(s)
}

func slotPool[T any](sys *System) *replyPool[T] {
	key := reflect.TypeFor[T]()
	if p, ok := sys.pools.find(key).(*replyPool[T]); ok {
		return p
	}
	p := &replyPool[T]{}
	p.New = func() any {
		s := &replySlot[T]{pool: p, sys: sys}
		sys.asks.enrol(&s.asking)
		return s
	}
	return sys.pools.enter(key, p).(*replyPool[T])
}

// replyPools has a *replyPool for each type of answer. The first types of a system are
// found by where they lie in memory, which takes a few ns, and others in a map, in 25.
type replyPools struct {
	near [16]atomic.Pointer[nearPool]
	all  sync.Map // By reflect.Type.
}

type nearPool struct {
	of   reflect.Type
	pool any
}

// nearOf returns where the pool for t may be found.
func (p *replyPools) nearOf(t reflect.Type) *atomic.Pointer[nearPool] {
	at := reflect.ValueOf(t).Pointer()
	return &p.near[(at>>5^at>>9)%uintptr(len(p.near))]
}

// find returns the pool for t, or nil.
func (p *replyPools) find(t reflect.Type) any {
	if n := p.nearOf(t).Load(); n != nil && n.of == t {
		return n.pool
	}
	pool, _ := p.all.Load(t)
	return pool
}

// enter makes pool the pool of t, unless t has one, and returns the pool that t has now.
func (p *replyPools) enter(t reflect.Type, pool any) any {
	pool, _ = p.all.LoadOrStore(t, pool)
	if at := p.nearOf(t); at.Load() == nil {
		at.CompareAndSwap(nil, &nearPool{t, pool})
	}
	return pool
}
