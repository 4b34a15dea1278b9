package actor

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/troupe-go/troupe/internal/kernel/standin"
)

// host is a system that has joined a carrier: its stand-ins, the asks of its actors that wait
// for answers from elsewhere, and the asks from elsewhere that its actors have to answer.
//
// An ask leaves the system when its Reply is encoded, wherever the message goes. It then has
// a number, and an entry in sent. The entry goes when the answer comes, or when the asker has
// left and that is known; entries of other rounds that are over are swept when there are
// twice as many entries as after the last sweep.
type host struct {
	sys     *System
	self    standin.Node
	carrier standin.Carrier

	mu    sync.Mutex // Guards all below. Nobody is called with it held.
	peers map[standin.Node]*peer
	byPID map[PID]weak.Pointer[home]
	held  map[*home]struct{} // Those that are watched.
	born  uint64             // How many stand-ins there have been.

	sent    map[uint64]*sentAsk
	numbers map[address]uint64
	number  uint64 // Of the latest.
	sweepAt int    // How many entries begin a sweep.

	arrived map[standin.Address]address // Asks from elsewhere that are open.
	// early has the last asks that were cancelled and are not known here: their messages may be yet to come.
	early [maxEarly]earlyEnd
	next  int // Where in early the next one goes.
}

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

func init() {
	standin.Join = join
	standin.Of = addressOf
}

func join(system any, self standin.Node, c standin.Carrier) (standin.Host, error) {
	s, ok := system.(*System)
	switch {
	case !ok || s.missing():
		return nil, ErrNoSystem
	case c == nil:
		return nil, errors.New("actor: the carrier is nil")
	case self.Name == "" || self.Birth == 0:
		return nil, fmt.Errorf("actor: the node is %v; it needs a name, and a birth that is not 0", self)
	}
	h := &host{
		sys: s, self: self, carrier: c, peers: map[standin.Node]*peer{}, byPID: map[PID]weak.Pointer[home]{}, held: map[*home]struct{}{},
		sent: map[uint64]*sentAsk{}, numbers: map[address]uint64{}, sweepAt: minSweep, arrived: map[standin.Address]address{},
	}
	if !s.abroad.CompareAndSwap(nil, h) {
		return nil, fmt.Errorf("actor: the system is node %v already", s.abroad.Load().self)
	}
	return h, nil
}

// addressOf returns the address of the actor that a ref leads to.
func addressOf(ref any) (standin.Address, error) {
	if v := reflect.ValueOf(ref); v.Kind() == reflect.Pointer && !v.IsNil() {
		ref = v.Elem().Interface()
	}
	r, ok := ref.(interface{ leadsTo() *proc })
	if !ok {
		return standin.Address{}, fmt.Errorf("actor: a %T is no ref", ref)
	}
	p := r.leadsTo()
	if p == nil {
		return standin.Address{}, ErrNoRef
	}
	return p.address()
}

// address returns the address of p on its node, or on any.
func (p *proc) address() (standin.Address, error) {
	if p.isStandIn() {
		return p.home().Address(), nil
	}
	h := p.sys.abroad.Load()
	if h == nil {
		return standin.Address{}, fmt.Errorf("the ref of %s leaves its system: %w", p, errNoNode)
	}
	return standin.Address{Node: h.self, Number: p.pid.Number()}, nil
}

var errNoNode = errors.New("actor: the system is no node; join it to a carrier first")

// Node implements [standin.Host].
func (h *host) Node() standin.Node { return h.self }

// peerOf returns the peer for a node.
func (h *host) peerOf(n standin.Node) *peer {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.peers[n]
	if r == nil {
		o := defaults
		o.name, o.carrier = n.String(), h.carrier
		r = &peer{node: n, host: h, opts: &o, byNumber: map[uint64]weak.Pointer[home]{}}
		h.peers[n] = r
	}
	return r
}

// at returns the stand-in with a PID, or nil.
func (h *host) at(id PID) *proc {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := h.byPID[id].Value(); at != nil {
		return at.p
	}
	return nil
}

// hold keeps a stand-in from being collected, or ends that.
func (h *host) hold(at *home, on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if on {
		h.held[at] = struct{}{}
	} else {
		delete(h.held, at)
	}
}

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

// Deliver implements [standin.Host].
func (h *host) Deliver(ctx context.Context, number uint64, l standin.Letter) error {
	ctx = orBackground(ctx)
	var asked address
	if l.Ask != nil {
		if asked = h.askAt(l.Ask.To); asked.slot == nil && l.Ask.To.Node == h.self {
			asked = h.ownAsk(l.Ask.To.Number)
		}
	}
	id := PIDFromNumber(number)
	p := h.sys.lookup(id)
	if p == nil || p.isStandIn() {
		return h.sys.refuseLetter(id, Lane(l.Lane), letter{valueAt(l.Message), asked})
	}
	m, err := p.pointerTo(l.Message)
	if err != nil {
		letter{l.Message, asked}.abandon(fmt.Errorf("%w from %s: %w", ErrNoReply, p, err))
		return p.notSent(err)
	}
	if asked.slot != nil && p.reentrancy == NoReentrancy && p.inChain(asked) {
		err := fmt.Errorf("ask %s on node %v: %w", p, h.self, p.farRing(asked))
		asked.abandon(err)
		return err
	}
	mode := sendMode(0)
	if l.Wait {
		mode = mayWait
	}
	err = p.impl.deliver(ctx, Lane(l.Lane), m, mode, asked)
	if err != nil && !errors.Is(err, ErrFull) && !errors.Is(err, ErrStopped) {
		p.abandon(letter{p.valueOf(m), asked}, err)
	}
	return err
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

// farRing returns the ring that an ask from elsewhere closes, whose chain has an ask by a handler of p.
func (p *proc) farRing(asked address) error {
	for range maxChain {
		asker, up := asked.origin()
		if asker == p {
			break
		}
		if asked = up; asked.slot == nil {
			return ErrCycle
		}
	}
	first, ok := asked.slot.edge(p, asked.round)
	if !ok || first.to == p {
		return newCycleError([]edge{{from: p, to: p, kind: AskWait}})
	}
	return newCycleError([]edge{first, {from: first.to, to: p, kind: AskWait}})
}

// pointerTo returns m, an M or a *M, as a *M.
func (p *proc) pointerTo(m any) (any, error) {
	v, t := reflect.ValueOf(m), p.impl.messageType()
	switch {
	case m == nil && t.Kind() == reflect.Interface:
		return reflect.New(t).Interface(), nil
	case m == nil:
		return nil, fmt.Errorf("%s takes messages of type %v, and got nil", p, t)
	case v.Type() == reflect.PointerTo(t) && !v.IsNil():
		return m, nil
	case !v.Type().AssignableTo(t):
		return nil, p.takesNo(v.Type())
	}
	at := reflect.New(t)
	at.Elem().Set(v)
	return at.Interface(), nil
}

// valueAt returns what m, a message or a pointer to one, is for people.
func valueAt(m any) any {
	if v := reflect.ValueOf(m); v.Kind() == reflect.Pointer && !v.IsNil() {
		return v.Elem().Interface()
	}
	return m
}

// refuseLetter makes a dead letter of a message for an actor that is not there any more.
func (s *System) refuseLetter(to PID, which Lane, m letter) error {
	err := fmt.Errorf("send to %s: %w", to, ErrStopped)
	m.abandon(fmt.Errorf("%w from %s: %w", ErrNoReply, to, ErrStopped))
	s.deadLetters.Add(1)
	d := DeadLetter{To: to, Lane: which, Message: m.message, Reason: ErrStopped}
	if s.cfg.OnDeadLetter != nil {
		s.tellDeadLetter(d)
	}
	if o := s.probes.Load(); o != nil && o.letters {
		o.tellDeadLetter(d)
	}
	return err
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

// Order implements [standin.Host].
func (h *host) Order(ctx context.Context, number uint64, o standin.Order) error {
	p := h.sys.lookup(PIDFromNumber(number))
	if p == nil {
		return nil // It has stopped.
	}
	return p.obey(orBackground(ctx), o)
}

// Watch implements [standin.Host].
func (h *host) Watch(number uint64, told func(name string, reason error)) (cancel func()) {
	id := PIDFromNumber(number)
	w := &watch{monitor: Monitor{pid: id}, target: h.sys.lookup(id), told: func(e Exit) { told(e.Name, e.Reason) }}
	there := false
	if w.target != nil {
		w.target.mu.Lock()
		there = w.enter()
		w.target.mu.Unlock()
	}
	if !there {
		w.tell(nil, Exit{PID: id, Reason: ErrStalePID})
	}
	return w.withdraw
}

// Ended implements [standin.Host].
func (h *host) Ended(n standin.Node, reason error) {
	if reason == nil {
		reason = ErrStopped
	}
	r := h.peerOf(n)
	var all []*home
	var lost []*sentAsk
	h.mu.Lock()
	r.lost = reason
	for _, entry := range r.byNumber {
		if at := entry.Value(); at != nil {
			all = append(all, at)
		}
	}
	for number, s := range h.sent {
		if s.to != nil && s.to.peer == r {
			lost = append(lost, s)
			delete(h.sent, number)
			delete(h.numbers, s.asked)
		}
	}
	var left []address
	for to, asked := range h.arrived {
		if to.Node == n {
			left = append(left, asked)
		}
	}
	h.mu.Unlock()
	slices.SortFunc(all, func(a, b *home) int { return a.p.pid.Compare(b.p.pid) })
	for _, at := range all {
		at.Exited("", reason)
	}
	for _, s := range lost {
		s.asked.abandon(fmt.Errorf("%w from node %v: %w", ErrNoReply, n, reason))
	}
	for _, asked := range left {
		asked.slot.errand.far.left(reason)
	}
}

// errandContext is what crosses of an errand: its deadline and its values.
type errandContext struct{ e *errand }

func (c errandContext) Deadline() (time.Time, bool) { return c.e.deadline() }
func (c errandContext) Done() <-chan struct{}       { return nil }
func (c errandContext) Err() error                  { return nil }
func (c errandContext) Value(key any) any           { return c.e.value(key) }

// standInAt returns the stand-in with a PID, or nil.
//
//go:noinline
func (s *System) standInAt(id PID) *proc {
	if h := s.abroad.Load(); h != nil {
		return h.at(id)
	}
	return nil
}
