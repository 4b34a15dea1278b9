package actor

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
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

	// born counts the stand-ins that the system has ever had, as a node of any birth, since PIDs are not used again.
	born *atomic.Uint64

	mu    sync.Mutex // Guards all below. Nobody is called with it held.
	peers map[standin.Node]*peer
	kinds map[string]*peer // Of virtual actors.
	byPID map[PID]weak.Pointer[home]
	held  map[*home]struct{} // The watched ones.
	left  error              // Why the system is no node any more, or nil.

	sent    map[uint64]*sentAsk
	numbers map[address]uint64
	number  uint64 // Of the latest.
	sweepAt int    // How many entries begin a sweep.

	arrived map[standin.Address]address // Asks from elsewhere that are open.
	// early has the last asks that were cancelled and are not known here: their messages may be yet to come.
	early [maxEarly]earlyEnd
	next  int // Where in early the next one goes.
}

func init() {
	standin.Join = join
	standin.Of = addressOf
	standin.HostOf = hostOf
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
		sys: s, self: self, carrier: c, born: &atomic.Uint64{}, peers: map[standin.Node]*peer{}, byPID: map[PID]weak.Pointer[home]{}, held: map[*home]struct{}{},
		sent: map[uint64]*sentAsk{}, numbers: map[address]uint64{}, sweepAt: minSweep, arrived: map[standin.Address]address{},
	}
	for {
		old := s.abroad.Load()
		if old != nil && old.whyLeft() == nil {
			return nil, fmt.Errorf("actor: the system is node %v already", old.self)
		}
		if old != nil {
			h.born = old.born
		}
		if s.abroad.CompareAndSwap(old, h) {
			return h, nil
		}
	}
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
	if p.opts.virtual {
		return standin.Address{}, fmt.Errorf("actor: %s is a virtual actor, which has an id and no address", p)
	}
	if p.isStandIn() {
		return p.home().Address(), nil
	}
	h := p.sys.node()
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
		r = &peer{node: n, host: h, opts: &o, byNumber: map[uint64]weak.Pointer[home]{}, lost: h.left}
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
	switch {
	case err == nil, errors.Is(err, ErrFull), errors.Is(err, ErrStopped):
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)): // It waited for room, and nobody else has it.
		p.deadLetter(Lane(l.Lane), letter{p.valueOf(m), asked}, err)
	default:
		p.abandon(letter{p.valueOf(m), asked}, err)
	}
	return err
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
	sortByPID(all)
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

func sortByPID(all []*home) {
	slices.SortFunc(all, func(a, b *home) int { return a.p.pid.Compare(b.p.pid) })
}

// standInAt returns the stand-in with a PID, or nil.
//
//go:noinline
func (s *System) standInAt(id PID) *proc {
	if h := s.abroad.Load(); h != nil {
		return h.at(id)
	}
	return nil
}

func hostOf(system any) (standin.Host, error) {
	s, ok := system.(*System)
	if !ok || s.missing() {
		return nil, ErrNoSystem
	}
	if h := s.node(); h != nil {
		return h, nil
	}
	return nil, errNoNode
}

// Lost implements [standin.Host].
func (h *host) Lost(to standin.Address, l standin.Letter, reason error) {
	r := h.peerOf(to.Node)
	h.mu.Lock()
	at := r.byNumber[to.Number].Value()
	h.mu.Unlock()
	if at != nil {
		at.Lost(l.Lane, l.Message, reason)
		return
	}
	// Nobody holds the stand-in any more, so there is no PID.
	h.sys.deadLetters.Add(1)
	d := DeadLetter{Lane: Lane(l.Lane), Message: valueAt(l.Message), Reason: fmt.Errorf("send to %v: %w", to, reason)}
	if h.sys.cfg.OnDeadLetter != nil {
		h.sys.tellDeadLetter(d)
	}
	if o := h.sys.probes.Load(); o != nil && o.letters {
		o.tellDeadLetter(d)
	}
}

// node returns the system as a node, or nil.
func (s *System) node() *host {
	if h := s.abroad.Load(); h != nil && h.whyLeft() == nil {
		return h
	}
	return nil
}

// whyLeft returns why the system is no node any more, or nil.
func (h *host) whyLeft() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.left
}

// Stopped implements [standin.Host].
func (h *host) Stopped() <-chan struct{} { return h.sys.stopped }

// Leave implements [standin.Host]. Stand-ins that come later are lost from their begin on.
func (h *host) Leave(reason error) {
	if reason == nil {
		reason = ErrStopped
	}
	var peers []*peer
	h.mu.Lock()
	if h.left == nil {
		h.left = reason
	}
	for _, r := range h.peers { // In any order: the end of one says nothing of another.
		peers = append(peers, r)
	}
	h.mu.Unlock()
	for _, r := range peers {
		h.Ended(r.node, reason)
	}
	var sent []*sentAsk // Asks that were in messages to actors of this system, or that others have sent on.
	var arrived []address
	h.mu.Lock()
	for _, s := range h.sent {
		sent = append(sent, s)
	}
	for _, asked := range h.arrived {
		arrived = append(arrived, asked)
	}
	clear(h.sent)
	clear(h.numbers)
	h.mu.Unlock()
	for _, s := range sent {
		if s.answer != nil && s.to != nil {
			s.asked.abandon(fmt.Errorf("%w from other nodes: %w", ErrNoReply, reason))
		}
	}
	for _, asked := range arrived {
		asked.slot.errand.far.left(reason)
	}
}
