package actor

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/troupe-go/troupe/internal/kernel/standin"
)

// A stand-in is the actor of this system to which a Ref leads whose actor is elsewhere. It is
// a cell that is closed from birth, so that a send takes the way of an actor that has
// stopped, where the branch is cold: sendElsewhere looks at the carrier of the options, which
// all stand-ins for one node share. Neither Ref nor proc nor cell has a byte more for it, and
// a send between two actors of one system has no further step.
//
// Stand-ins are interned by node and number, so that equal actors have equal refs. The
// tables have weak pointers: a stand-in that nobody holds is collected, and its entries with it.
// One that is watched is held by its host. Its PID has a slot from 2^31 on, which
// no process table has, and is never used again.
//
// Considered and dropped: a second word in Ref, or an interface, which each send would pay
// for; a real actor whose handler encodes, by which a message takes two more queues and an
// error is found when Send has long returned; see decision 94.

// standIn is a stand-in for an actor with messages of type M. Its cell has no pocket.
type standIn[M any] struct {
	cell cell[M]
	home home
}

// firstStandIn is the first slot that PIDs of stand-ins have.
const firstStandIn = 1 << 31

// home says where the actor of a stand-in is.
type home struct {
	p      *proc
	peer   *peer // Nil if the ref is not bound.
	number uint64
	leads  standin.Node // Where an unbound ref leads, by the number.

	mu sync.Mutex
	on bool // The carrier watches the actor. Guarded by mu, which is held while it is told.
	// parting is why the carrier knew nothing of the actor any more, the last time. Written by Parted; waits for
	// the end compare it.
	parting atomic.Pointer[parting]
}

var _ standin.StandIn = (*home)(nil)

// parting is one time at which the actor of a stand-in was out of reach.
type parting struct{ reason error }

// peer is a node whose actors have stand-ins here.
type peer struct {
	node standin.Node
	host *host
	opts *options
	// byNumber has the stand-ins by the PID numbers of their actors. Guarded by the host's mu.
	byNumber map[uint64]weak.Pointer[home]

	// Of a kind of virtual actors, which has the place of a node, its name, its seats, and the stand-ins by the ids. The
	// latter are guarded by the host's mu.
	kind  string
	seats standin.Seats
	byID  map[string]weak.Pointer[home]

	lost error // Why the node is lost, or nil. Guarded by the host's mu.
}

// home returns where the actor of p, a stand-in, is. Cells have the same size for all types of messages.
func (p *proc) home() *home { return &(*standIn[struct{}])(unsafe.Pointer(p)).home }

// newStandIn returns a stand-in for an actor with messages of type M, which nobody knows.
//
//go:noinline
func newStandIn[M any]() *proc {
	c := &new(standIn[M]).cell
	c.first.typed, c.first.p = &c.first, &c.proc
	c.proc.impl = c
	c.proc.ctx.Store(&c.first.scope)
	return &c.proc
}

// beStandIn makes p, which newStandIn has returned, one of a system.
func (p *proc) beStandIn(sys *System, opts *options) {
	p.ctx.Load().kind.Store(standInKind)
	p.home().p = p
	p.sys, p.opts, p.parent = sys, opts, sys.root
	p.closed, p.barred = true, true
	p.nature = natureOf(p.impl.messageType(), false)
	p.node.Init(p)
}

var standInKind = &kind{name: "stand-in"}

// isStandIn reports whether p stands for an actor elsewhere.
func (p *proc) isStandIn() bool { return p.opts.carrier != nil }

// intern returns the stand-in for the peer's actor with that number: the one that there is, else fresh.
func (r *peer) intern(number uint64, fresh *proc) *proc {
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := r.byNumber[number].Value(); known != nil {
		return known.p
	}
	fresh.beStandIn(h.sys, r.opts)
	r.enter(fresh.home(), number)
	return fresh
}

// enter gives a new stand-in its place in the tables. The caller holds the host's mu.
func (r *peer) enter(at *home, number uint64) {
	h := r.host
	at.peer, at.number = r, number
	n := h.born.Add(1) - 1
	p := at.p
	p.pid = PID{firstStandIn | uint32(n)&(firstStandIn-1), h.sys.table.Origin() + 1 + uint32(n>>31)}
	entry := weak.Make(at)
	h.byPID[p.pid] = entry
	e := entryOf{peer: r, number: number, pid: p.pid}
	if r.byID != nil {
		e.id = p.virtual().seat.ID()
		r.byID[e.id] = entry
	} else {
		r.byNumber[number] = entry
	}
	runtime.AddCleanup(at, forgetStandIn, e)
	if r.lost != nil {
		p.reason = r.lost
		p.stopped.Store(true)
	}
}

// entryOf says where a stand-in is in the tables.
type entryOf struct {
	peer   *peer
	number uint64
	pid    PID
	id     string // Of a virtual actor.
}

// forgetStandIn takes a stand-in that was collected out of the tables. Another one may have its number by now.
func forgetStandIn(e entryOf) {
	h := e.peer.host
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.byPID, e.pid)
	if e.peer.byID != nil {
		if e.peer.byID[e.id].Value() == nil {
			delete(e.peer.byID, e.id)
		}
		return
	}
	if e.peer.byNumber[e.number].Value() == nil {
		delete(e.peer.byNumber, e.number)
	}
}

// Address implements [standin.StandIn].
func (at *home) Address() standin.Address {
	if at.peer == nil {
		return standin.Address{Node: at.leads, Number: at.number}
	}
	return standin.Address{Node: at.peer.node, Number: at.number}
}

// MessageType implements [standin.StandIn].
func (at *home) MessageType() reflect.Type { return at.p.impl.messageType() }

// Exited implements [standin.StandIn].
func (at *home) Exited(name string, reason error) {
	p := at.p
	p.mu.Lock()
	if p.stopped.Load() {
		p.mu.Unlock()
		return
	}
	p.reason = reason
	p.stopped.Store(true)
	last := p.rare
	p.rare = nil
	p.mu.Unlock()
	at.peer.host.hold(at, false)
	if last != nil {
		p.sys.registry.leave(p, last.names)
		last.tellEnd(nil, Exit{PID: p.pid, Name: name, Reason: reason})
		last.recycle()
	}
}

// Parted implements [standin.StandIn]. It is not called by the carrier's Watch, which is called with mu held.
func (at *home) Parted(reason error) {
	p := at.p
	at.mu.Lock()
	p.mu.Lock()
	if p.stopped.Load() {
		p.mu.Unlock()
		at.mu.Unlock()
		return
	}
	at.on = false
	at.parting.Store(&parting{reason})
	told := rare{}
	if r := p.rare; r != nil {
		told.watchers, told.done, r.watchers, r.done = r.watchers, r.done, nil, nil
		for w := r.waiters; w != nil; w = w.next { // They leave by themselves.
			told.waiters = &endWaiter{w.Waiter, told.waiters}
		}
	}
	p.mu.Unlock()
	at.peer.host.hold(at, false)
	at.mu.Unlock()
	told.tellEnd(nil, Exit{PID: p.pid, Reason: reason})
	p.rewatch() // Somebody may have come meanwhile.
}

// parted returns when the actor of p, if p is a stand-in, was out of reach the last time.
func (p *proc) parted() *parting {
	if p.opts.carrier == nil {
		return nil
	}
	return p.home().parting.Load()
}

// backlog returns how many messages of this system the actor has not accepted yet, as far as is known.
func (at *home) backlog() int {
	if at.peer == nil {
		return 0
	}
	if to := at.route(); to != nil {
		return to.backlog()
	}
	if c, ok := at.p.opts.carrier.(standin.Counter); ok {
		return c.Backlog(at)
	}
	return 0
}

// Lost implements [standin.StandIn].
func (at *home) Lost(lane standin.Lane, message any, reason error) {
	at.p.deadLetter(Lane(lane), letter{message: at.p.valueOf(message)}, reason)
}

// valueOf returns the message that m, a *M or an M, has.
func (p *proc) valueOf(m any) any {
	if v := reflect.ValueOf(m); v.Kind() == reflect.Pointer && v.Type().Elem() == p.impl.messageType() {
		return v.Elem().Interface()
	}
	return m
}

// sendClosed deals with the message in m, a *M, that p does not take: it goes elsewhere, or p has stopped.
//
//go:noinline
func (p *proc) sendClosed(ctx context.Context, which Lane, m any, mode sendMode, asked address) error {
	if p.opts.carrier == nil {
		return p.refuse(which, letter{message: p.valueOf(m)}, mode, ErrStopped)
	}
	return p.sendElsewhere(ctx, which, m, mode, asked)
}

// sendElsewhere sends the message in m, a *M, to where the actor of a stand-in is.
func (p *proc) sendElsewhere(ctx context.Context, which Lane, m any, mode sendMode, asked address) error {
	if p.opts.virtual {
		return p.sendSeated(ctx, which, m, mode, asked)
	}
	at := p.home()
	if to := at.route(); to != nil {
		return to.impl.deliver(ctx, which, m, mode, asked)
	}
	if asked.slot == nil {
		asked = p.askIn(ctx, m)
	}
	if p.stopped.Load() {
		return p.refuse(which, letter{p.valueOf(m), asked}, mode, ErrStopped)
	}
	if at.peer == nil {
		return p.notSent(ErrUnbound)
	}
	if place, gathers := ctx.(*queuePlace); gathers {
		ctx = place.Context
	}
	ctx = uncarried(ctx)
	if mode&isAsk != 0 {
		var cancel context.CancelFunc
		ctx, cancel = p.sys.LimitAsk(ctx)
		defer cancel()
	}
	l := standin.Letter{Lane: standin.Lane(which), Message: m, Wait: mode&mayWait != 0}
	if asked.slot != nil {
		_ = p.entrust(asked) // A stand-in does not wait, so it closes no ring.
		l.Ask = at.peer.host.describe(asked, at)
	}
	if err := p.opts.carrier.Carry(ctx, at, l); err != nil {
		if asked.slot != nil {
			asked.release(p)
		}
		return p.notSent(err)
	}
	return nil
}

// askIn returns the ask that the message in m, a *M, belongs to, where the send has not said it.
func (p *proc) askIn(ctx context.Context, m any) address {
	in := messageTypeOf(p.impl.messageType()).asks
	if c := carrierOf(ctx); in != nil && in.keeps && c != nil && c.carries(p.valueOf(m)) {
		return c.asked
	}
	return in.shown(reflect.ValueOf(m).UnsafePointer())
}

// route returns the actor of this system that the stand-in stands for just now, or nil.
func (at *home) route() *proc {
	if at.peer == nil {
		return nil
	}
	r, ok := at.p.opts.carrier.Route(at).(interface{ leadsTo() *proc })
	if !ok {
		return nil
	}
	return r.leadsTo()
}

// leadsTo returns the actor of a ref, or nil.
func (r Ref[M]) leadsTo() *proc { return targetOf(r) }

// deliver is send for a message in m, a *M.
func (c *cell[M]) deliver(ctx context.Context, which Lane, m any, mode sendMode, asked address) error {
	return c.send(ctx, which, *m.(*M), mode, asked)
}

// routed returns the actor that is to be asked: p, a stand-in, unless it stands for an actor of this system.
//
//go:noinline
func (p *proc) routed() (*proc, error) {
	at := p.home()
	if at.peer == nil {
		return nil, fmt.Errorf("ask %s: %w", p, ErrUnbound)
	}
	if p.opts.virtual {
		if p.stopped.Load() {
			return p, nil
		}
		if to := p.activated(); to != nil && !to.stopped.Load() {
			return to, nil
		}
		to, err := p.virtual().find(background)
		if err != nil {
			return nil, fmt.Errorf("ask %s: %w", p, err)
		}
		return to, nil
	}
	if to := at.route(); to != nil && to.impl.messageType() == p.impl.messageType() {
		return to, nil
	}
	return p, nil
}

// order tells the actor of a stand-in to stop.
func (p *proc) order(ctx context.Context, o standin.Order) error {
	at := p.home()
	if err := fenced(ctx); err != nil {
		return fmt.Errorf("%v of %s: %w", o, p, err)
	}
	if at.peer == nil {
		return fmt.Errorf("%v of %s: %w", o, p, ErrUnbound)
	}
	if p.stopped.Load() {
		return nil
	}
	if p.opts.virtual {
		if err := p.virtual().seat.Order(ctx, o); err != nil {
			return fmt.Errorf("%v of %s: %w", o, p, err)
		}
		return nil
	}
	if to := at.route(); to != nil {
		return to.obey(ctx, o)
	}
	if err := p.opts.carrier.Order(ctx, at, o); err != nil {
		return fmt.Errorf("%v of %s: %w", o, p, err)
	}
	return nil
}

// orderFor returns the order that a message of the system lane is for an actor elsewhere.
func orderFor(kind sysKind) standin.Order {
	if kind == sysDrain {
		return standin.Drain
	}
	return standin.Stop
}

// obey does what an order from elsewhere says.
func (p *proc) obey(ctx context.Context, o standin.Order) error {
	switch o {
	case standin.Stop:
		return p.shutdown(ctx, sysStop)
	case standin.Drain:
		return p.shutdown(ctx, sysDrain)
	case standin.Kill:
		return p.kill()
	}
	return fmt.Errorf("actor: %s gets an unknown order %d", p, uint8(o))
}

// elsewhere returns the error of what can't be done to a stand-in.
func (p *proc) elsewhere(what string) error {
	return fmt.Errorf("%s %s: %w", what, p, ErrElsewhere)
}

// rewatch tells the carrier whether somebody waits for the end of p, if p is a stand-in.
func (p *proc) rewatch() {
	if p == nil || !p.isStandIn() {
		return
	}
	at := p.home()
	if at.peer == nil {
		return
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	want := p.isWatched()
	if at.on == want {
		return
	}
	at.on = want
	at.peer.host.hold(at, want)
	p.opts.carrier.Watch(at, want)
}

// isWatched reports whether somebody waits for the end of p.
func (p *proc) isWatched() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.rare
	return r != nil && !p.stopped.Load() && (len(r.watchers) > 0 || r.waiters != nil || r.done != nil)
}
