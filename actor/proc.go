package actor

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/kernel/stateword"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// proc is the process control block: what there is to an actor apart from the
// type of its messages.
//
// Its fields are in the order in which they keep out of each other's way: what a
// running actor reads for each message is a cache line and more from what
// senders write for each, wherever the allocator puts the whole.
type proc struct {
	// These fields are read for each message, or written by the running activation.

	node  workers.Node
	frame workers.Frame
	sys   *System
	opts  *options // Shared by all actors with default options.
	// lanes are made when they are first sent to. Written under mu; the consumer
	// looks at a lane after it was announced.
	lanes [numLanes]atomic.Pointer[lane]
	// ctx is the context of the present incarnation, or of the last, and leads
	// to the user's value. Like phase and credit it is atomic because an
	// activation that has lost the actor to a kill may still look at it.
	ctx   atomic.Pointer[scope]
	phase atomic.Uint32
	// credit is what an activation that was interrupted had left of its budget,
	// for the next one to go on with; 0 means all. Without it, an actor that is
	// interrupted again and again would never give others their turn.
	credit atomic.Int32
	// alert is the term of the running activation until something is announced that
	// may interrupt its batch, or the incarnation is killed. It looks at this behind
	// each message, where the state is what senders of Data write all the time.
	// Written under mu.
	alert  xatomic.Uint32
	marked xatomic.Bool // There are marks. Written under mu, read by the running activation.
	nature nature       // Not written after the spawn: other goroutines read it without a lock.

	reentrancy Reentrancy // From the options. Not written after the spawn.
	closing    bool       // The Stopped hook of the incarnation has begun. The running activation's own.
	paused     bool       // The bit of that name in mu. The running activation's own.
	leaving    farewell   // Has been asked to leave, see GracefulStopper. The running activation's own.
	resting    bool       // Is held, as its parent knows. Guarded by the parent's mu, like
	rousing    bool       // that the parent's code is about to restart it, and
	owed       sysKind    // what the parent's end has to tell it after that.

	// These fields are rarely used.

	impl   cellular // The cell around this proc; nil for the root of a system.
	pid    PID
	parent *proc
	born   time.Duration // Since the birth of the system. Not written after the spawn.
	family

	// A sender writes these fields, or reads them besides.

	// mu guards the links of the children and the rest of the fields, and the
	// lanes' producer sides. It is the activation state, too; see state.go.
	mu      stateword.Word
	closed  bool           // No message is accepted any more, except from its own call chains while it drains.
	barred  bool           // No child is accepted any more.
	traits  traits         // Written under mu, before the first incarnation begins: of a seat, after its spawn.
	first   sysKind        // The kind of the system message before the mail in the system lane.
	pocket  xatomic.Uint32 // The state of the place for a message in the cell; see pocket.go.
	stopped xatomic.Bool
	// incarnation counts the incarnations, and the kills. A Context can act for its
	// actor only while it has the same number. Guarded by mu.
	incarnation uint32
	restarts    uint32 // Guarded by mu.
	rare        *rare

	// These fields are rarely used.

	// reason is why the actor, or its last incarnation, ended. Written by the
	// running activation, and read by others once stopped is set.
	reason error
	// handled counts the messages of lanes that are closed, and those that were taken
	// out of the pocket. Guarded by mu.
	handled int64
	// waits is what a handler waits for, or has waited for; see cycle.go. Written
	// by that handler, read by searches for rings.
	waits xatomic.Pointer[asking]
}

// cellular is a cell, as code sees it that is the same for all types of
// messages.
type cellular interface {
	messageType() reflect.Type
	// canChoose reports whether f is a function of WithTimeoutFor for the cell's
	// messages.
	canChoose(f any) bool
	// canWeigh is the same for WithSizeOf.
	canWeigh(f any) bool
	newLane(capacity int, tight bool) *lane
	// pocketAt returns a *M, to the pocket.
	pocketAt() any
	newScope(incarnation uint32, kind *kind) *scope
	// deliver sends the message in m, a *M, as send does.
	deliver(ctx context.Context, which Lane, m any, mode sendMode, asked address) error
	// produceActor makes a new value of the user's actor.
	produceActor() (any, error)
}

// nature is what is known of an actor at its spawn, and does not change.
type nature uint8

const (
	renewable nature = 1 << iota // It can be restarted.
	manyTyped                    // Its messages are of an interface type, so each has a name of its own.
	seat                         // See held.go.
)

func (n nature) has(one nature) bool { return n&one != 0 }

// natureOf returns the nature of an actor for messages of type t.
//
//go:noinline
func natureOf(t reflect.Type, canRestart bool) (n nature) {
	if canRestart {
		n |= renewable
	}
	if t.Kind() == reflect.Interface {
		n |= manyTyped
	}
	return n
}

// family links a proc to its children and its siblings: the children of an
// actor are a list in the order in which they were spawned. All links are
// guarded by the parent's mu, except eldest and youngest, which are by the
// proc's own.
type family struct {
	eldest, youngest *proc
	older, younger   *proc
}

// rare holds what most actors never need. Guarded by the proc's mu.
type rare struct {
	mail    []sysMessage
	waiters *endWaiter    // The waiters for the end, the youngest first.
	waiter  endWaiter     // The record of the first waiter.
	done    chan struct{} // Closed at the end, if somebody has asked for it.

	links    map[PID]*link       // By the PID at the other end.
	watching map[uint64]*watch   // The monitors that it has made, by their numbers.
	watchers map[*watch]struct{} // The monitors of it.
	marks    *[numLanes]marks    // Made on first use.

	astir  int      // How many children are not resting; counted for a Parent.
	names  []string // The names under which it is, or was, registered.
	timers *timer   // The youngest.
	dues   dues     // Of these, those that wait for their time.
	killed error    // Why the incarnation was killed, if it was.
	// relics has, by their term, what killed handlers that have not returned have
	// left behind.
	relics map[uint32][]*lane

	timerCount  int
	timerNumber uint64 // Of the latest.

	kept      map[workers.Kept]uint64 // By the order in which it came; see keep.go.
	keptCount uint64

	reductions uint64 // See reductions.go.

	gauge *gauge // Made when a message of the pocket is measured.
	// retrials are the messages in the lanes in which the actor has failed.
	retrials []retrial
	turns    *turns // Of the present incarnation, if the actor is reentrant.
	body     *body  // Of a process, while it lives.
}

// remains returns what is left when the actor has ended: what handlers that were
// killed come back to.
func (r *rare) remains() *rare {
	if r == nil || len(r.relics) == 0 {
		return nil
	}
	left := &rare{relics: r.relics}
	r.relics = nil
	return left
}

// sysMessage is a message of the system lane, by which actors and system tell
// each other of their lives.
type sysMessage struct {
	kind        sysKind
	incarnation uint32 // Of the receiver, for sysExit.
	child       *proc  // Nil in sysChildGone if it is of no interest what was the last.
	reason      error
	signal      *signal
	checkup     *checkup
}

// isShort reports whether a message is no more than its kind once it has been
// accepted. One of these alone in the lane needs no memory.
func (m *sysMessage) isShort() bool { return m.kind <= sysRelease }

type sysKind uint8

const (
	sysNone         sysKind = iota
	sysStart                // Run the Started hook.
	sysStop                 // Stop after the current message.
	sysDrain                // Stop when the lanes are empty.
	sysExit                 // End as if the handler had returned; by the incarnation itself.
	sysUnstash              // Put messages back into their lanes; by the actor itself.
	sysRestart              // The parent's decision: begin again.
	sysRestartEmpty         // The same, without the messages that wait.
	sysRecall               // The parent's decision: end the incarnation, and be held.
	sysSuspend              // Handle nothing but system messages.
	sysResume               // Handle messages again.
	sysRelease              // The parent's decision: stop.
	sysChildGone            // The child has stopped, or kept work has ended.
	sysChildHeld            // The child has failed and waits for a decision.
	sysChildReady           // The child has started.
	sysCheckup              // Somebody asks how well the actor does.
	sysSignal               // A linked actor has ended.
	sysFailed               // A reader has failed; by the incarnation itself.
)

// rareLocked returns the rare part, which is made on first use. The caller
// holds mu.
func (p *proc) rareLocked() *rare {
	if p.rare == nil {
		p.rare = rares.Get().(*rare)
	}
	return p.rare
}

// rares has the rare parts of actors that have ended, since most that are stopped
// get theirs for it: nobody but the end itself has it then. That saves 240 bytes a
// stop.
var rares = sync.Pool{New: func() any { return new(rare) }}

// recycle gives the rare part back, unless something may still lead to it.
func (r *rare) recycle() {
	if r.turns == nil && r.body == nil {
		*r = rare{}
		rares.Put(r)
	}
}

// post puts a message into the system lane. It never waits.
func (p *proc) post(from *workers.Fiber, m sysMessage) {
	state := p.mu.Acquire()
	switch empty := p.first == sysNone && (p.rare == nil || len(p.rare.mail) == 0); {
	case (m.kind == sysExit || m.kind == sysFailed) && m.incarnation != p.incarnation:
		p.mu.Release(state)
		return
	case empty && m.isShort():
		p.first = m.kind
	default:
		r := p.rareLocked()
		r.mail = append(r.mail, m)
	}
	next, priority, queue := p.announced(state, pendingSystem)
	p.mu.Release(next)
	if queue {
		p.submit(from, priority)
	}
}

// isPresent reports whether n is the number of the present incarnation.
func (p *proc) isPresent(n uint32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.incarnation == n
}

// takeMail takes the oldest message of the system lane, of kind sysNone if there
// is none. More says whether there is another one; what comes later is announced.
func (p *proc) takeMail() (m sysMessage, more bool) {
	state := p.mu.Acquire()
	if m.kind, p.first = p.first, sysNone; m.kind != sysNone {
		more = p.rare != nil && len(p.rare.mail) > 0
		p.mu.Release(state)
		return m, more
	}
	if p.rare == nil || len(p.rare.mail) == 0 {
		p.mu.Release(state)
		return m, false
	}
	mail := p.rare.mail
	m, mail[0] = mail[0], sysMessage{}
	more = len(mail) > 1
	if p.rare.mail = mail[1:]; !more {
		p.rare.mail = nil
	}
	p.mu.Release(state)
	return m, more
}

// stopAwaits reports whether a request to stop or drain is in the system lane.
func (p *proc) stopAwaits() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	stops := func(m sysMessage) bool { return m.kind == sysStop || m.kind == sysDrain }
	return stops(sysMessage{kind: p.first}) || p.rare != nil && slices.ContainsFunc(p.rare.mail, stops)
}

// adopt makes child the youngest child of p and enters it in the process
// table, which gives it its PID. It fails if p takes no children any more, or is
// not in the given incarnation. From is the fiber of the caller, if any.
func (p *proc) adopt(from *workers.Fiber, child *proc, incarnation uint32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.accepts(incarnation); err != nil {
		return fmt.Errorf("spawn under %s: %w", p, err)
	}
	child.parent = p
	child.older = p.youngest
	if p.youngest != nil {
		p.youngest.younger = child
	} else {
		p.eldest = child
	}
	p.youngest = child
	p.countLocked(child, child.nature.has(seat))
	p.sys.enterProc(from, child)
	if name := child.opts.registered; name != "" {
		if err := p.sys.registry.claim(name, child); err != nil {
			p.disownLocked(child)
			p.sys.removeProc(from, child)
			return err
		}
	}
	return nil
}

// accepts returns why the given incarnation of p can have no more children or
// timers, or nil. The caller holds mu.
func (p *proc) accepts(incarnation uint32) error {
	switch {
	case p.barred && p.impl == nil:
		return ErrSystemStopped
	case p.barred:
		return ErrStopped
	case p.incarnation != incarnation:
		return ErrFenced
	}
	return nil
}

// disownLocked removes child, which has stopped. It reports whether p has neither
// children nor kept work any more. The caller holds mu.
func (p *proc) disownLocked(child *proc) (alone bool) {
	if child.older != nil {
		child.older.younger = child.younger
	} else {
		p.eldest = child.younger
	}
	if child.younger != nil {
		child.younger.older = child.older
	} else {
		p.youngest = child.older
	}
	child.older, child.younger = nil, nil
	p.uncountLocked(child)
	return p.aloneLocked()
}

// windUp asks all children to stop, the youngest first, and all kept work to
// end, cancels all timers, and lets no new ones in. It reports whether there is
// nothing to wait for. Seats are kept for the next incarnation if so wanted;
// windUp then reports whether there are no others, and those are at rest.
func (p *proc) windUp(from *workers.Fiber, keepSeats bool) (over bool) {
	p.mu.Lock()
	p.barred = true
	children := p.childrenLocked()
	kept := p.keptLocked()
	over = p.aloneLocked() || keepSeats && p.atRestLocked()
	ending := func(child *proc) sysKind {
		if keepSeats && child.nature.has(seat) {
			return sysRecall // An actor that rests already ignores it.
		}
		return sysStop
	}
	children = slices.DeleteFunc(children, func(child *proc) bool {
		if child.rousing {
			child.owed = ending(child)
		}
		return child.rousing
	})
	p.mu.Unlock()
	for _, k := range kept {
		k.KeeperEnds(ErrStopped)
	}
	p.cancelTimers()
	for _, c := range children {
		c.post(from, sysMessage{kind: ending(c)})
	}
	return over
}

// childrenLocked returns the children, the youngest first. The caller holds mu.
func (p *proc) childrenLocked() (children []*proc) {
	for c := p.youngest; c != nil; c = c.older {
		children = append(children, c)
	}
	return children
}

// force ends the contexts of p and of all that are below it.
func (p *proc) force() {
	p.cancel(ErrForced)
	p.mu.Lock()
	children := p.childrenLocked()
	p.mu.Unlock()
	for _, c := range children {
		c.force()
	}
}

// hasAncestor reports whether a is p or above p.
func (p *proc) hasAncestor(a *proc) bool {
	for ; p != nil; p = p.parent {
		if p == a {
			return true
		}
	}
	return false
}

// current returns the actor whose handler runs on f, or nil.
func current(f *workers.Fiber) *proc {
	if f == nil {
		return nil
	}
	p, _ := f.Owner().(*proc)
	return p
}

// Label names the actor in recordings: by its PID, and its name or else its kind.
func (p *proc) Label() workers.Label {
	l := workers.Label{Class: "actor", ID: p.pid.Number(), Name: p.opts.name}
	if l.Name == "" && p.impl != nil {
		l.Name = p.ctx.Load().kind.Load().name
	}
	return l
}

// String returns the PID, and the name if there is one.
func (p *proc) String() string {
	if p.impl == nil {
		return "the system"
	}
	if p.opts.name == "" {
		return p.pid.String()
	}
	return p.opts.name + p.pid.String()
}
