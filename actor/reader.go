package actor

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/troupe-go/troupe/internal/workers"
)

// Messages that only read may be handled at the same time: by several readers,
// each on its own fiber, while no other message is.
//
// # Protocol
//
// The activation that comes to a reading message enters itself as a reader (in
// turns.away, with the handlers that have left the turn to others), gives up the actor, and
// then calls the handler. So the next activation may come at once, on another
// worker, and goes on with the messages behind. One that comes to a writing message
// while there are readers leaves it in its lane, and sets the bit crowded: no
// message may begin any more. The last reader to leave clears that and announces
// pendingTurn, by which the actor is queued again. So a write waits for the reads
// before it, and reads wait for the write before them, also if it is on a less
// urgent lane.
//
// A reader is never the running activation, so what a handler does at its end that
// is for that one alone, it asks for by a system message.

// handleShared handles one message of an actor with readers, unless it has to
// wait. If the message reads, the actor belongs to others afterwards.
func (a *activation) handleShared(x *scope, l *lane, which Lane) error {
	reads, asked, err := a.tellApart(l, which)
	switch {
	case a.mu.Load()&termBits != a.term:
		return nil // The actor was killed, so the message becomes a dead letter.
	case err != nil:
		return a.reject(l, which, err)
	case reads:
		return a.handleRead(x, l, which, asked)
	case a.awaitReaders(asked):
		return nil
	}
	budget := a.budget
	a.budget = 0 // So that one message is handled.
	t := a.beginTurn(x, which, nil)
	x.lane, x.asked = which, address{}
	err = x.typed.handleBatch(a, l, which)
	t.end()
	a.budget = budget - 1
	return err
}

// awaitReaders reports whether a write, which may be an ask, has to wait for
// readers. Then no message begins before the last of them has left. That may make
// rings, of waits for the write, or of waits of the readers. A ghost waits for ever.
func (a *activation) awaitReaders(asked address) bool {
	a.mu.Lock()
	if a.mu.Load()&termBits != a.term {
		a.mu.Unlock()
		return true
	}
	t := a.turnsLocked()
	waits := len(t.away) > 0
	if waits {
		t.writer = true
		a.crowdLocked(len(t.away))
	}
	a.mu.Unlock()
	if !waits {
		return false
	}
	if asked.slot != nil {
		a.breakRing(asked)
	}
	for _, e := range a.EdgesFor(nil) {
		a.breakRing(address{e.wait, e.round})
	}
	return true
}

// readmitLocked lets messages begin again, where one that waits for readers may have
// been taken back. If another one waits, that is found again. It reports whether the
// actor is to be told. The caller holds mu.
func (p *proc) readmitLocked() bool {
	t := p.turnsLocked()
	if t == nil || !t.writer {
		return false
	}
	t.writer = false
	p.crowdLocked(len(t.away))
	return true
}

// noteWait makes the wait of a reader, or a writer, known.
func (p *proc) noteWait(s *asking) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.turnsLocked(); t != nil {
		t.waits = slices.DeleteFunc(t.waits, func(other *asking) bool {
			return other == s || !other.isUnderWay()
		})
		t.waits = append(t.waits, s)
	}
}

// beginRead makes the activation a reader, just before it calls the handler. It is
// not the running one any more.
func (a *activation) beginRead() {
	t := a.turn
	a.mu.Lock()
	if a.mu.Load()&termBits != a.term { // A ghost: the actor's turns belong to the next incarnation.
		t.of, t.lost, a.lost = &turns{buried: true}, true, true
		a.mu.Unlock()
		eachLetter(t.inHand, func(m letter) { a.abandon(m, ErrKilled) }) // The kill has not seen it.
		return
	}
	t.of = a.turnsLocked()
	t.clearTodoLocked()
	t.of.away = append(t.of.away, t)
	a.crowdLocked(len(t.of.away))
	a.mu.Unlock()
	a.lost = true
	if a.transitionFromRunning(nil, a.todo, a.term, false) {
		return
	}
	a.mu.Lock()
	t.lost = true
	if t.stray {
		t.stray = false
		a.sys.ghostGone()
	}
	a.mu.Unlock()
}

// endRead is called when the reader has returned, or failed with err.
func (a *activation) endRead(err error) {
	t, p := a.turn, a.proc
	if err != nil {
		p.post(a.f, sysMessage{kind: sysFailed, incarnation: t.scope.incarnation, reason: err})
	}
	p.mu.Lock()
	ghost := t.lost || t.stray
	announce := false
	if !ghost {
		before := p.mu.Load() & crowded
		if len(t.of.away) == 1 {
			t.of.writer = false
		}
		t.of.comeBack(p, t)
		announce = before != 0 && p.mu.Load()&crowded == 0 || len(t.of.away) == 0 && p.phase.Load() >= draining
	}
	p.mu.Unlock()
	if ghost {
		a.vanish()
	}
	if announce {
		p.announce(a.f, pendingTurn)
	}
}

// crashRead deals with a reader that has not returned, but panicked with v, or
// called Goexit.
func (a *activation) crashRead(m letter, v any) {
	err := ErrGoexit
	if v != nil {
		err = workers.NewPanicError(v)
	}
	a.endServing(errNotReturned)
	a.breakWatch()
	a.abandon(m, err)
	if v == nil {
		a.closeWatch()
		a.f.SetOwner(nil)
	}
	a.endRead(err)
}

// noErrand is the errand of messages that were not asked with a context.
var noErrand = func() *errand {
	e := &errand{ctx: background}
	e.settle(finality{})
	return e
}()

// reads is the part of readers that depends on the type of the messages. It is compiled
// only for the types that are used with WithReadOnly.
type reads struct {
	message reflect.Type
	// next reports whether the next message only reads, and which ask it belongs to.
	next func(l *lane) (reads bool, asked address)
	// apart reports whether a message only reads.
	apart func(m any) bool
	// handle has the actor handle the message as a reader, with a view of the Context
	// that leads to the reader's own fiber.
	handle func(a *activation, in letters, l *lane, which Lane, asked address, e *errand) error
}

func newReads[M any](tell func(m M) bool) *reads {
	return &reads{
		message: reflect.TypeFor[M](),
		next: func(l *lane) (reads bool, asked address) {
			m := nextOf[M](l)
			if l.asks != nil {
				asked = l.asks.taken(l.head, unsafe.Pointer(m))
			}
			return tell(*m), asked
		},
		apart: func(m any) bool {
			message, _ := m.(M) // A nil interface has no type.
			return tell(message)
		},
		handle: func(a *activation, in letters, l *lane, which Lane, asked address, e *errand) error {
			x := a.turn.scope.typed.(*Context[M])
			c := x.sees(e, asked, which)
			c.view().frame = newFrame(a.f)
			return x.receiveObserved(c, a, l, which, firstLetter[M](withoutAsks(in)))
		},
	}
}

// tellApart is reads.next, and returns a panic as an error. After a Goexit there
// is nobody to return to, so that is dealt with here.
func (a *activation) tellApart(l *lane, which Lane) (reads bool, asked address, err error) {
	returned := false
	defer func() {
		switch v := recover(); {
		case returned:
		case v != nil:
			err = workers.NewPanicError(v)
		default:
			reason := a.reject(l, which, ErrGoexit)
			a.leave()
			l.forget()
			a.fail(reason)
		}
	}()
	reads, asked = a.opts.reads.next(l)
	returned = true
	return reads, asked, nil
}

// mayBegin reports whether a tick may be handled while there are readers. If not, no
// message begins before the last of them has left.
func (a *activation) mayBegin(t tick, l *lane) bool {
	a.mu.Lock()
	if a.mu.Load()&termBits != a.term {
		a.mu.Unlock()
		return false
	}
	m, asked := t.message(), address{}
	if l.asks != nil {
		asked = t.askedBy(l.asks)
	}
	a.mu.Unlock()
	return a.tickReads(t, m) || !a.awaitReaders(asked)
}

// tickReads reports whether a tick, with the message m, only reads, or can't be told apart: that is
// found once more, and dealt with, when it is handled.
func (a *activation) tickReads(t tick, m any) (reads bool) {
	returned := false
	defer func() {
		switch {
		case returned:
		case recover() != nil:
			reads = true
		default: // A Goexit. The next activation finds it.
			a.mu.Lock()
			t.timed().untold = true
			a.mu.Unlock()
		}
	}()
	reads = a.opts.reads.apart(m)
	returned = true
	return reads
}

// takeOne takes the next message of a lane. It returns false if the term is over.
func (a *activation) takeOne(l *lane) (in letters, ok bool) {
	if l.head == l.claimed && !l.claim() {
		return nil, false
	}
	in = l.part(l.head, l.head+1)
	l.head++
	l.taken.Store(uintptr(l.head))
	l.forget()
	a.publish(l, l.left())
	return in, true
}

// reject fails because of the next message, which could not be told apart.
func (a *activation) reject(l *lane, which Lane, err error) error {
	if in, ok := a.takeOne(l); ok {
		eachLetter(in, func(m letter) { a.giveBack(which, m, err) })
	}
	return err
}

// handleRead handles the next message as a reader.
func (a *activation) handleRead(x *scope, l *lane, which Lane, asked address) (failed error) {
	in, ok := a.takeOne(l)
	if !ok {
		return nil
	}
	e := noErrand
	if asked.slot != nil && asked.slot.errand != nil {
		e = asked.slot.errand
	}
	a.turn = &turn{a: a, scope: x, lane: which, asked: asked, inHand: in, reads: true}
	returned := false
	defer func() {
		switch v := recover(); {
		case returned:
		case a.lost:
			eachLetter(in, func(m letter) { a.crashRead(m, v) })
		default: // It has not begun to read.
			eachLetter(in, func(m letter) { failed = a.crash(l, which, m, v) })
		}
	}()
	if a.sys.simulated {
		eachLetter(in, func(m letter) { traceMessage(a.f, a.proc, which, reflect.ValueOf(m.message)) })
	}
	err := a.opts.reads.handle(a, in, l, which, asked, e)
	returned = true
	eachLetter(in, func(m letter) { a.concludeRead(asked, e, which, m, err) })
	return nil
}

func newFrame(f *workers.Fiber) *workers.Frame {
	frame := &workers.Frame{}
	frame.Enter(f)
	return frame
}

// concludeRead does what is to be done when a reader has returned err.
func (a *activation) concludeRead(asked address, e *errand, which Lane, m letter, err error) {
	returned := false
	defer func() {
		if !returned { // A dead-letter callback has called Goexit.
			a.closeWatch()
			a.f.SetOwner(nil)
			a.endRead(nil)
		}
	}()
	if asked.slot != nil && asked.slot.isOpen(asked.round) {
		asked.handled(a.proc)
	}
	if err != nil {
		unhandled, bears := a.bears(err)
		if unhandled {
			a.deadLetter(which, m, err)
		}
		if bears || a.excuses(e, m, err) {
			err = nil
		} else {
			a.abandon(m, err)
		}
	}
	returned = true
	a.endRead(err)
}
