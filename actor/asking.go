package actor

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// asking is one wait for another actor, as that actor and the wait graph see
// it: an ask, the wait for room in a lane, or for a stop. The wait of an ask is
// part of its slot, and used again with it, so each use has a round.
//
// # Protocol
//
// State is the round with the phase in its low bits. The waiting side alone
// begins a round, by open, and writes the other fields before that. The
// goroutine that moves state from open to answering, by compare-and-swap, owns the
// answer until it stores answered; the asker reads it after that. An asker that waits no
// longer moves it from open to left. A goroutine that finds a wait in a ring answers it, with
// an error, whether it is an ask or not.
//
// Everybody else may pin an open round for a few steps, in which it is neither
// answered nor left. Everything read or written under a pin therefore belongs to
// that round, and a pin orders all that is done under it and under later ones.
type asking struct {
	state  xatomic.Uint64
	waiter workers.Waiter

	// placed is the last round in which the asker was sure to wait, since its
	// message was accepted. Written by the asker, and read by goroutines that send
	// the message on or look for rings. It does not shrink.
	placed xatomic.Uint64
	// moves counts the changes of holder in this round. Written under a pin, and
	// read by the asker too, after it has set placed.
	moves xatomic.Uint32
	// index is where the ask is among those that wait, if it is one of them. Guarded by
	// the mutex of its list; see limitedList.
	index int32

	// The rest is written before open, and then read and written under a pin.
	asker  *proc // The actor whose handler waits; nil if a goroutine waits.
	holder *proc // The actor that has to act for the wait to end, if known, or nil.
	kind   WaitKind
	lane   Lane
	// returned says that a handler of the holder has returned without an answer, and has
	// not sent the message on. Nobody knows then which actor has to act.
	returned bool
	// chained says that the message was let in, see chain.go.
	chained bool
	// lifts says that the wait may be in the list of those that lift an actor, see lift.go.
	// Written under the mutex of that, and read by the waiting side when the round is over.
	lifts xatomic.Bool
	up    address       // The ask that the asker was handling, if any.
	since time.Duration // When the asker began, since the scheduler's start, as far as its worker knows.

	// group is the gathering that the ask belongs to, or nil. It is set before the ask is
	// open for the first time, and never changed: such a slot has one round.
	group *gathering
	// errand is what the ask carries, or nil. Not written any more once the slot
	// was made.
	errand *errand

	err error // Why there is no answer. It belongs to the answering goroutine, then to the asker.
}

const (
	slotOpen      uint64 = 0
	slotAnswering uint64 = 1
	slotAnswered  uint64 = 2
	slotLeft      uint64 = 3
	slotPinned    uint64 = 4
	slotBroken    uint64 = 5 // Answered, by who has found a ring: too late for others.

	slotPhase = 7
	slotRound = 8 // One round in state.
)

// open begins the next round.
func (s *asking) open(asker, holder *proc, up address, kind WaitKind, lane Lane) (round uint64) {
	round = s.state.Load()&^slotPhase + slotRound
	s.asker, s.holder, s.up, s.kind, s.lane, s.chained, s.returned = asker, holder, up, kind, lane, false, false
	if asker != nil {
		s.since = asker.looksAtClock()
	}
	if s.moves.Load() != 0 {
		s.moves.Store(0)
	}
	s.state.Store(round | slotOpen)
	return round
}

// place says that the message of the ask was accepted. It returns false if it
// was before.
func (s *asking) place(round uint64) bool {
	before := s.placed.Load()
	return before < round && s.placed.CompareAndSwap(before, round)
}

// isOpen reports whether the round is neither answered nor left.
func (s *asking) isOpen(round uint64) bool {
	now := s.state.Load()
	return now == round|slotOpen || now == round|slotPinned
}

// newWait returns the wait of a handler of asker for holder, in its first round,
// which is not an ask. Waiter is woken if somebody finds that it is part of a ring; then
// it is answered, with an error.
func newWait(waiter workers.Waiter, asker, holder *proc, up address, kind WaitKind, lane Lane) *asking {
	s := &asking{waiter: waiter}
	s.placed.Store(s.open(asker, holder, up, kind, lane))
	return s
}

// onlyRound is the round of a wait that newWait has made.
const onlyRound = slotRound

// pin keeps the round as it is until unpin. It returns false if the round is
// over.
func (s *asking) pin(round uint64) bool {
	for {
		switch s.state.Load() {
		case round | slotOpen:
			if s.state.CompareAndSwap(round|slotOpen, round|slotPinned) {
				return true
			}
		case round | slotPinned:
			xatomic.Spin(&s.state, round|slotPinned)
		default:
			return false
		}
	}
}

func (s *asking) unpin(round uint64) { s.state.Store(round | slotOpen) }

// begin makes the caller the one who answers. It returns why there is nothing
// to answer any more.
func (s *asking) begin(round uint64, answer error) error {
	var end finality
	if s.errand != nil && answer != nil {
		end = s.errand.endIn(answer)
	}
	for !s.state.CompareAndSwap(round|slotOpen, round|slotAnswering) {
		switch s.state.Load() {
		case round | slotOpen:
		case round | slotPinned:
			xatomic.Spin(&s.state, round|slotPinned)
		case round | slotAnswering, round | slotAnswered:
			return ErrReplied
		default:
			return ErrLateReply
		}
	}
	if s.errand != nil {
		s.errand.settle(end)
	}
	return nil
}

// answered makes the answer known that the caller has written, and wakes the
// asker.
func (s *asking) answered(f *workers.Fiber, round uint64) {
	s.conclude(f, round|slotAnswered)
}

func (s *asking) conclude(f *workers.Fiber, state uint64) {
	waiter := s.waiter // Afterwards the slot may be in use again.
	if g := s.group; g != nil && !g.count(s.err) {
		waiter = workers.Waiter{}
	}
	far := s.far()
	s.state.Store(state)
	waiter.Wake(f, workers.Own)
	if far != nil {
		far.answered(s.err)
	}
}

// isAnswered reports whether the asker need not wait any more.
func (s *asking) isAnswered(round uint64) bool {
	now := s.state.Load()
	return now == round|slotAnswered || now == round|slotBroken
}

// fail answers with an error, if nobody has answered.
func (s *asking) fail(round uint64, err error) {
	if s.begin(round, nil) == nil {
		s.err = err
		s.conclude(nil, round|slotBroken)
	}
}

// withdraw ends the round before it is answered. If somebody is about to
// answer, it waits for that, and returns false.
func (s *asking) withdraw(round uint64) bool {
	for {
		switch s.state.Load() {
		case round | slotOpen:
			if s.state.CompareAndSwap(round|slotOpen, round|slotLeft) {
				if s.errand != nil {
					s.errand.leave()
				}
				return true
			}
		case round | slotPinned:
			xatomic.Spin(&s.state, round|slotPinned)
		case round | slotAnswering:
			xatomic.Spin(&s.state, round|slotAnswering) // The answer is being copied.
		default:
			return false
		}
	}
}

// hold makes p the one who has to act, or nobody known. It returns false if
// the round is over.
func (s *asking) hold(round uint64, p *proc) bool {
	if !s.pin(round) {
		return false
	}
	s.move(p)
	s.unpin(round)
	return true
}

// move changes the holder. The caller has pinned the round.
func (s *asking) move(p *proc) {
	s.holder, s.returned = p, false
	s.moves.Add(1)
}

// delivered says to whom the message of an ask was given, if that was not known
// before it was sent.
func (s *asking) delivered(round uint64, p *proc, lane Lane) {
	if s.moves.Load() != 0 || !s.pin(round) {
		return
	}
	if s.moves.Load() == 0 {
		s.holder, s.lane = p, lane
	}
	s.unpin(round)
}

// address is a Reply without its type: which round of which wait it answers.
// The zero address is nobody's.
type address struct {
	slot  *asking
	round uint64
}

// release takes note that p does not have the message of the ask any more, which it has
// not handled. Nobody knows from now on which actor will answer, unless the message was sent on.
func (a address) release(p *proc) {
	if !a.slot.pin(a.round) {
		return
	}
	if a.slot.holder == p {
		a.slot.move(nil)
	}
	a.slot.unpin(a.round)
}

// handled is release where a handler of p has returned.
func (a address) handled(p *proc) {
	if !a.slot.pin(a.round) {
		return
	}
	s := a.slot
	if s.holder == p || s.holder == nil && s.moves.Load() == 0 { // The asker of the latter is about to say that it is p.
		s.move(p)
		s.returned = true
	}
	follows := s.holder != p && s.lifts.Load()
	s.unpin(a.round)
	if follows {
		s.follow(a.round)
	}
}

// await returns when an ask of an actor of sys is answered, or with an error when ctx has ended
// and no answer can come any more.
func (s *asking) await(ctx context.Context, sys *System, round uint64) error {
	if s.errand != nil && sys.asks.applies(ctx) {
		return s.awaitListed(ctx, sys, round)
	}
	return s.awaitAnswer(ctx, sys, round)
}

// awaitListed is await for an ask whose slot no sweep would know otherwise. It is apart, so
// that the frame of await stays small.
func (s *asking) awaitListed(ctx context.Context, sys *System, round uint64) error {
	sys.asks.enter(s)
	defer sys.asks.leave(s)
	return s.awaitAnswer(ctx, sys, round)
}

func (s *asking) awaitAnswer(ctx context.Context, sys *System, round uint64) error {
	for !s.isAnswered(round) {
		if !s.waiter.Wait(ctx) && s.withdraw(round) {
			return sys.explainLate(context.Cause(ctx))
		}
	}
	return nil
}
