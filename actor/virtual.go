package actor

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/troupe-go/troupe/internal/kernel/standin"
)

// A virtual actor is there by its id: a message makes it, and it may go when it is idle. Its stand-in
// leads to the activation, an ordinary actor of this system, for as long as there is one. A send finds the stand-in
// closed, as every stand-in is, and goes on to the activation with its message typed. It holds no lock but the two latches.
//
// # Protocol
//
// An activation that passivates is closed first: from then on each send to it comes back to its sender, with
// the message. Senders wait for its end, and then find the next one. So what was accepted is
// handled before the end, what was not is handled by the next activation, and messages of one sender keep their order.

// virtualStandIn is a stand-in for a virtual actor with messages of type M.
type virtualStandIn[M any] struct {
	cell cell[M]
	home virtualHome //nolint:unused // It lies behind the cell; see proc.home.
}

// virtualHome is the home of a stand-in for a virtual actor.
type virtualHome struct {
	home
	seat standin.Seat
	// now is the activation that was found last. It may have ended. Written and read by senders.
	now atomic.Pointer[proc]
}

// newVirtual returns a stand-in for a virtual actor with messages of type M, which nobody knows.
//
//go:noinline
func newVirtual[M any]() *proc {
	c := &new(virtualStandIn[M]).cell
	c.first.typed, c.first.p = &c.first, &c.proc
	c.proc.impl = c
	c.proc.ctx.Store(&c.first.scope)
	return &c.proc
}

// virtual returns the home of p, a stand-in for a virtual actor.
func (p *proc) virtual() *virtualHome { return (*virtualHome)(unsafe.Pointer(p.home())) }

// unboundVirtual serves stand-ins of virtual actors that are not bound.
var unboundVirtual = func() *options {
	o := *unboundOptions
	o.name, o.virtual = "an unbound virtual ref", true
	return &o
}()

// unboundSeat is the seat of a virtual ref that was read, and is not bound.
type unboundSeat struct{ kind, id string }

func (s unboundSeat) ID() string { return s.id }

func (unboundSeat) Find(context.Context) (standin.Activation, error) { return nil, ErrUnbound }

func (unboundSeat) Order(context.Context, standin.Order) error { return ErrUnbound }

// virtualCarrier marks stand-ins of virtual actors. Only its Watch is called: a virtual actor ends with its host, which says so.
type virtualCarrier struct{ standin.Carrier }

func (virtualCarrier) Watch(standin.StandIn, bool) {}

func init() {
	standin.Virtual = enterKind
	standin.SeatOf = seatOf
	standin.ActivationOf = activationOf
}

func enterKind(system any, kind string, known bool, seats standin.Seats) (standin.Kind, error) {
	s, ok := system.(*System)
	if !ok || s.missing() {
		return nil, ErrNoSystem
	}
	h := s.abroad.Load()
	if h == nil {
		return nil, errNoNode
	}
	o := defaults
	o.name, o.carrier, o.virtual = kind, virtualCarrier{}, true
	r := &peer{host: h, opts: &o, kind: kind, seats: seats, byID: map[string]weak.Pointer[home]{}}
	if !known {
		return virtualKind{r}, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kinds[kind] != nil {
		return nil, fmt.Errorf("actor: the system has a kind %q of virtual actors already", kind)
	}
	if h.kinds == nil {
		h.kinds = map[string]*peer{}
	}
	h.kinds[kind] = r
	return virtualKind{r}, nil
}

// virtualKind implements [standin.Kind].
type virtualKind struct{ *peer }

// Lead implements [standin.Kind].
func (k virtualKind) Lead(ref any, id string) error {
	r, ok := ref.(interface {
		leadTo(r *peer, id string) error
	})
	if !ok {
		return fmt.Errorf("actor: a %T is no pointer to a ref", ref)
	}
	return r.leadTo(k.peer, id)
}

// leadTo makes the ref lead to a virtual actor.
func (r *Ref[M]) leadTo(to *peer, id string) error {
	p := to.internID(id, newVirtual[M])
	c, ok := p.impl.(*cell[M])
	if !ok {
		return fmt.Errorf("actor: a ref of the virtual actor %q: %w", id, p.takesNo(newVirtual[M]().impl.messageType()))
	}
	r.cell = c
	return nil
}

// internID returns the stand-in for the virtual actor with an id.
func (r *peer) internID(id string, fresh func() *proc) *proc {
	h := r.host
	h.mu.Lock()
	known := r.byID[id].Value()
	h.mu.Unlock()
	if known != nil {
		return known.p
	}
	p := fresh()
	p.beStandIn(h.sys, r.opts)
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := r.byID[id].Value(); known != nil {
		return known.p
	}
	at := p.virtual()
	at.seat = r.seats.Seat(id) // Under mu, so that stand-ins that follow each other find the same seat.
	r.enter(&at.home, 0)
	return p
}

// Ended implements [standin.Kind].
func (k virtualKind) Ended(reason error) {
	r := k.peer
	var all []*home
	r.host.mu.Lock()
	r.lost = reason
	if r.host.kinds[r.kind] == r {
		delete(r.host.kinds, r.kind)
	}
	for _, entry := range r.byID {
		if at := entry.Value(); at != nil {
			all = append(all, at)
		}
	}
	r.host.mu.Unlock()
	sortByPID(all)
	for _, at := range all {
		at.p.virtual().now.Store(nil)
		at.Exited("", reason)
	}
}

// kindOf returns the kind with a name.
func (h *host) kindOf(name string) *peer {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kinds[name]
}

// activated returns the activation that the sender may try first, or nil.
//
//go:noinline
func (p *proc) activated() *proc {
	if !p.opts.virtual {
		return nil
	}
	return p.virtual().now.Load()
}

// cameBack reports whether err says that to has not taken a message, since it ends.
func cameBack(err error, to *proc) bool {
	e, ok := err.(*ended) //nolint:errorlint // As refuse has made it.
	return ok && (*proc)(e) == to
}

// find returns the activation of a virtual actor. It may be closed.
func (at *virtualHome) find(ctx context.Context) (*proc, error) {
	a, err := at.seat.Find(ctx)
	if err != nil {
		return nil, err
	}
	to := (*proc)(a.(*seated))
	if at.now.Load() != to {
		at.now.Store(to)
	}
	return to, nil
}

// sendSeated sends the message in m, a *M, to the activation of a virtual actor, which it begins if need be.
func (p *proc) sendSeated(ctx context.Context, which Lane, m any, mode sendMode, asked address) error {
	at := p.virtual()
	if place, gathers := ctx.(*queuePlace); gathers {
		ctx = place.Context
	}
	if mode&isAsk != 0 {
		var cancel context.CancelFunc
		ctx, cancel = p.sys.LimitAsk(ctx)
		defer cancel()
	}
	for {
		if p.stopped.Load() {
			return p.refuse(which, letter{p.valueOf(m), asked}, mode, ErrStopped)
		}
		to, err := at.find(ctx)
		if err != nil {
			return p.notSent(err)
		}
		err = to.impl.deliver(ctx, which, m, mode|comesBack, asked)
		if !cameBack(err, to) {
			if err == nil && asked.slot != nil {
				asked.slot.delivered(asked.round, to, which)
			}
			return err
		}
		if mode&mayWait == 0 && !to.stopped.Load() {
			return p.notSent(fmt.Errorf("it is being passivated: %w", ErrFull))
		}
		if err := to.awaitEnd(ctx); err != nil {
			return p.notSent(err)
		}
	}
}

// awaitEnd waits for the end of p, which is under way, on behalf of a sender to the next activation.
func (p *proc) awaitEnd(ctx context.Context) error {
	if f, _ := p.sys.caller(ctx); current(f).hasAncestor(p) {
		return fmt.Errorf("%s is being passivated, and its own handler can't wait for that: %w", p, ErrWouldDeadlock)
	}
	return p.awaitThen(ctx, false)
}

// seated implements [standin.Activation].
type seated proc

func seatOf(ref any) (standin.Seat, error) {
	r, ok := ref.(interface{ leadsTo() *proc })
	if !ok {
		return nil, fmt.Errorf("actor: a %T is no ref", ref)
	}
	if p := r.leadsTo(); p != nil && p.opts.virtual {
		return p.virtual().seat, nil
	}
	return nil, errors.New("actor: the ref leads to no virtual actor")
}

func activationOf(ref any) (standin.Activation, error) {
	r, ok := ref.(interface{ leadsTo() *proc })
	if !ok {
		return nil, fmt.Errorf("actor: a %T is no ref", ref)
	}
	p := r.leadsTo()
	if p == nil {
		return nil, ErrNoRef
	}
	if p.isStandIn() {
		return nil, errors.New("actor: a stand-in is no activation")
	}
	return (*seated)(p), nil
}

// Number implements [standin.Activation].
func (s *seated) Number() uint64 { return s.pid.Number() }

// Ended implements [standin.Activation].
func (s *seated) Ended() bool { return s.stopped.Load() }

// Err implements [standin.Activation].
func (s *seated) Err() error {
	if !s.stopped.Load() {
		return nil
	}
	return s.reason
}

// Seen implements [standin.Activation].
func (s *seated) Seen() (count uint64, busy bool) {
	p := (*proc)(s)
	p.mu.Lock()
	count = uint64(p.handled) + uint64(p.pocketed())
	for i := range p.lanes {
		if l := p.lanes[i].Load(); l != nil {
			count += uint64(l.arrived())
		}
	}
	p.mu.Unlock()
	return count, p.backlog() > 0
}

// CloseIfEmpty implements [standin.Activation].
func (s *seated) CloseIfEmpty() bool {
	p := (*proc)(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return true
	}
	if p.pocketed() > 0 {
		return false
	}
	for i := range p.lanes {
		if l := p.lanes[i].Load(); l != nil && (l.pending() > 0 || l.size-int(l.taken.Load()) > 0 || l.waiting.Len() > 0) {
			return false
		}
	}
	p.closed = true
	return true
}

// Drain implements [standin.Activation].
func (s *seated) Drain() {
	p := (*proc)(s)
	p.close(nil)
	p.post(nil, sysMessage{kind: sysDrain})
}

// Await implements [standin.Activation].
func (s *seated) Await(ctx context.Context) error { return (*proc)(s).awaitEnd(orBackground(ctx)) }

// Obey implements [standin.Activation].
func (s *seated) Obey(ctx context.Context, o standin.Order) error {
	return (*proc)(s).obey(orBackground(ctx), o)
}
