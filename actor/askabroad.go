package actor

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/troupe-go/troupe/internal/kernel/standin"
)

// earlyEnd is the end of an ask that came before the ask, as on a more urgent lane.
type earlyEnd struct {
	ask   standin.Address
	cause error
}

// maxEarly bounds what is kept for that. An ask whose end was forgotten is handled to its end. Picked out of thin air.
const maxEarly = 128

// sentAsk is an ask of this system of which other nodes have the number.
type sentAsk struct {
	asked  address
	answer answerer // Nil where only its number has left the system, in a chain.
	to     *home    // The stand-in that has the message, if it was sent to one.
}

// answerer is a reply slot, as code sees it that is the same for all types of answers.
type answerer interface {
	answerWith(round uint64, v any, err error) error
	// given returns the answer that was given.
	given() any
	// bindSlot makes the system the one whose actor is to answer.
	bindSlot(s *System)
}

// minSweep is the least number of entries that is swept. Picked out of thin air.
const minSweep = 256

// describe returns what crosses with the message of an ask that is about to be sent to a stand-in.
func (h *host) describe(asked address, to *home) *standin.Ask {
	a := &standin.Ask{To: h.addressOfAsk(asked, nil, to)}
	e := asked.slot.errand
	if e != nil {
		a.Context = errandContext{e}
	}
	if e != nil && e.far != nil { // The message is sent on.
		a.Chain = e.far.chain
		e.tell(func() {
			_, cause := e.end()
			h.carrier.Cancel(to, a.To, cause)
		})
		return a
	}
	_, up := asked.origin()
	for up.slot != nil && len(a.Chain) < standin.MaxChain {
		a.Chain = append(a.Chain, h.addressOfAsk(up, nil, nil))
		e := up.slot.errand
		if e != nil && e.far != nil {
			above := e.far.chain
			for i := len(above) - 1; i >= 0 && len(a.Chain) < standin.MaxChain; i-- {
				a.Chain = append(a.Chain, above[i])
			}
			break
		}
		_, up = up.origin()
	}
	slices.Reverse(a.Chain)
	return a
}

// addressOfAsk returns where the answer to an ask goes, for other nodes. By is nil where it is
// only to be named.
func (h *host) addressOfAsk(asked address, by answerer, to *home) standin.Address {
	e := asked.slot.errand
	if e != nil && e.far != nil {
		return e.far.to
	}
	h.mu.Lock()
	n, known := h.numbers[asked]
	if !known {
		h.sweepLocked()
		h.number++
		n = h.number
		h.numbers[asked], h.sent[n] = n, &sentAsk{asked: asked}
	}
	s := h.sent[n]
	if by != nil {
		s.answer = by
	}
	tells := to != nil && s.to == nil && e != nil
	if to != nil {
		s.to = to
	}
	h.mu.Unlock()
	if tells {
		e.tell(func() { h.leave(asked, nil) })
	}
	return standin.Address{Node: h.self, Number: n}
}

// sweepLocked removes the entries of asks that are over, from time to time. The caller holds mu.
func (h *host) sweepLocked() {
	if len(h.sent) < h.sweepAt {
		return
	}
	for n, s := range h.sent {
		if !s.asked.slot.isOpen(s.asked.round) {
			delete(h.sent, n)
			delete(h.numbers, s.asked)
		}
	}
	h.sweepAt = max(minSweep, 2*len(h.sent))
}

// take takes the entry of an ask out.
func (h *host) take(n uint64) *sentAsk {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sent[n]
	if s != nil {
		delete(h.sent, n)
		delete(h.numbers, s.asked)
	}
	return s
}

// leave tells the node that has the message of an ask that the asker has left. The ask is over.
func (h *host) leave(asked address, cause error) {
	h.mu.Lock()
	n, known := h.numbers[asked]
	h.mu.Unlock()
	if !known {
		return
	}
	s := h.take(n)
	if s == nil || s.to == nil {
		return
	}
	if e := asked.slot.errand; e != nil && cause == nil {
		_, cause = e.end()
	}
	if cause == nil {
		cause = context.Canceled
	}
	h.carrier.Cancel(s.to, standin.Address{Node: h.self, Number: n}, cause)
}

// leaves has the node know that the asker of an ask of p has left, if p is a stand-in, and the ask has no errand.
//
//go:noinline
func (p *proc) leaves(asked address, cause error) {
	if p == nil || !p.isStandIn() {
		return
	}
	if h := p.sys.abroad.Load(); h != nil {
		h.leave(asked, cause)
	}
}

// Answered implements [standin.Host].
func (h *host) Answered(number uint64, value any, err error) error {
	s := h.take(number)
	if s == nil {
		h.sys.lateReplies.Add(1)
		return ErrLateReply
	}
	if s.answer == nil {
		return fmt.Errorf("actor: an answer to ask %d, of which no Reply has left this node", number)
	}
	late := s.answer.answerWith(s.asked.round, value, err)
	if errors.Is(late, ErrLateReply) {
		h.sys.lateReplies.Add(1)
	}
	return late
}

// answerWith implements answerer.
func (s *replySlot[T]) answerWith(round uint64, v any, err error) error {
	t, ok := v.(T)
	if !ok && err == nil {
		if v != nil || reflect.TypeFor[T]().Kind() != reflect.Interface {
			err = fmt.Errorf("%w: the answer is a %T, and was to be a %v", ErrNoReply, v, reflect.TypeFor[T]())
		}
	}
	return Reply[T]{slot: s, round: round}.answer(nil, t, err)
}

func (s *replySlot[T]) given() any           { return s.value }
func (s *replySlot[T]) bindSlot(sys *System) { s.sys = sys }

// farAsk is an ask from elsewhere, as the errand of its slot has it.
type farAsk struct {
	host   *host
	to     standin.Address
	chain  []standin.Address
	asked  address
	cancel context.CancelCauseFunc
	stop   func() bool // Ends the watch of the deadline.
	slot   answerer
	failed error // Why the answer could not be sent. The answering goroutine's own.
}

// answered sends the answer, or why there is none, to the node of the asker.
func (a *farAsk) answered(err error) {
	a.over(nil)
	var v any
	if err == nil {
		v = a.slot.given()
	}
	a.failed = a.host.carrier.Answer(a.to, v, err)
}

// over lets go of an ask that is over.
func (a *farAsk) over(cause error) {
	a.host.mu.Lock()
	delete(a.host.arrived, a.to)
	a.host.mu.Unlock()
	a.stop()
	a.cancel(cause)
}

// left ends the handling of an ask whose asker does not wait any more.
func (a *farAsk) left(cause error) {
	a.cancel(cause)
	if a.asked.slot.withdraw(a.asked.round) {
		a.over(cause)
	}
}

// failure returns why the answer could not be sent, or nil. It is called by the goroutine that has answered.
func (a *farAsk) failure() error { return a.failed }

// far returns what an ask from elsewhere has besides, or nil.
func (s *asking) far() *farAsk {
	if s.errand == nil {
		return nil
	}
	return s.errand.far
}

// arrive makes the fresh slot of an ask from elsewhere what its Reply leads to. Ask is nil if nothing came with it. If the
// ask is known, arrive returns the slot that it has, and the new one is not used.
func (h *host) arrive(s *asking, e *errand, to standin.Address, ask *standin.Ask, slot answerer) (known any) {
	base, chain := background, []standin.Address(nil)
	if ask != nil && ask.To == to {
		if chain = ask.Chain[max(0, len(ask.Chain)-standin.MaxChain):]; ask.Context != nil {
			base = ask.Context
		}
	}
	a := &farAsk{host: h, to: to, chain: chain, slot: slot}
	e.up = h.latestOwn(chain)
	var ended *earlyEnd
	defer func() {
		if ended != nil {
			a.left(ended.cause)
		}
	}()
	h.mu.Lock()
	defer h.mu.Unlock()
	if open := h.arrived[to]; open.slot != nil {
		return open.slot.errand.far.slot
	}
	if i := slices.IndexFunc(h.early[:], func(e earlyEnd) bool { return e.ask == to }); i >= 0 {
		ended = &earlyEnd{to, h.early[i].cause}
		h.early[i] = earlyEnd{}
	}
	slot.bindSlot(h.sys)
	ctx, cancel := context.WithCancelCause(base)
	a.cancel, e.ctx, e.far = cancel, ctx, a
	s.errand = e
	a.asked = address{s, s.open(nil, nil, e.up, AskWait, Data)}
	a.stop = func() bool { return true }
	if at, ok := base.Deadline(); ok {
		t := time.AfterFunc(time.Until(at), func() { a.left(context.DeadlineExceeded) })
		a.stop = t.Stop
	}
	h.arrived[to] = a.asked
	return nil
}

// ownSlot returns the slot and the round of an ask of this system, or nil if it is over.
func (h *host) ownSlot(number uint64) (slot any, round uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sent[number]
	if s == nil || s.answer == nil {
		return nil, 0
	}
	return s.answer, s.asked.round
}

// latestOwn returns the latest ask of a chain that this system has made, and that is open, or the zero address.
func (h *host) latestOwn(chain []standin.Address) address {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range slices.Backward(chain) {
		if s := h.sent[a.Number]; s != nil && a.Node == h.self && s.asked.slot.isOpen(s.asked.round) {
			return s.asked
		}
	}
	return address{}
}

// askAt returns the ask from elsewhere with an address, or the zero address.
func (h *host) askAt(a standin.Address) address {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.arrived[a]
}

// ownAsk returns the ask of this system with a number, whose message has come back.
func (h *host) ownAsk(number uint64) address {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sent[number]; s != nil {
		return s.asked
	}
	return address{}
}

// Cancel implements [standin.Host].
func (h *host) Cancel(ask standin.Address, cause error) {
	h.mu.Lock()
	asked := h.arrived[ask]
	if asked.slot == nil {
		h.early[h.next%maxEarly] = earlyEnd{ask, cause}
		h.next++
	}
	h.mu.Unlock()
	if asked.slot != nil {
		asked.slot.errand.far.left(cause)
	}
}

// errandContext is what crosses of an errand: its deadline and its values.
type errandContext struct{ e *errand }

func (c errandContext) Deadline() (time.Time, bool) { return c.e.deadline() }
func (c errandContext) Done() <-chan struct{}       { return nil }
func (c errandContext) Err() error                  { return nil }
func (c errandContext) Value(key any) any           { return c.e.value(key) }
