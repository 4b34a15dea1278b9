package actor

import (
	"reflect"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// The pocket of an actor is a place for one message of Data in its cell. Most
// actors are idle, and have one message at a time: they need no lane, which takes
// 256 bytes.
//
// # Protocol
//
// A sender that finds neither a lane nor a message puts its own into the pocket,
// under the mailbox's mutex. The consumer takes it in hand by a step under the mutex,
// mostly the one that makes it the running one, and handles it at once, before it looks
// at anything else: so a message in hand counts as one that is
// being handled. It takes it out without the lock, before it calls the actor's code,
// and leaves the pocket open for the next.
//
// A goroutine that finds the pocket not open makes the lane, and so does one that needs a
// lane for something else. A message that is in the pocket and not in hand goes into it
// first. So there is never a lane beside a full pocket; what is in hand is older than
// all of the lane, on which the order rests; and everything that has to do with
// several messages, such as their number, marks and stashes, is the lane's alone.
//
// Once there is a lane, the pocket is used no more. Nor is it for actors that ask
// more of a mailbox, see suitsPocket.
//
// A consumer that has lost its actor with a message in hand makes a dead letter of
// it. Until it has, the pocket is not open, so the next incarnation has a lane.

// The states of a pocket. They are written under mu, but for the step from in hand to
// open, which is the consumer's.
const (
	pocketNew    uint32 = iota // It is not known yet whether the actor may use it.
	pocketOpen                 // Empty.
	pocketFull                 // A message waits.
	pocketInHand               // The message is the consumer's.
)

// hollow is a lane without memory, by which the message of a pocket is handled. It is
// never written.
var hollow lane

// firstLane returns the lane for a message where there is none yet, or nil if the
// message is to be put into the pocket. The caller holds mu.
func (p *proc) firstLane(which Lane) *lane {
	if s := p.pocket.Load(); which == Data && (s == pocketOpen || s == pocketNew && p.suitsPocket()) {
		if o := p.sys.probes.Load(); o != nil && o.mayMeasure(p, p.handled) {
			p.stampPocket(o)
		}
		xatomic.Release(&p.pocket, pocketFull)
		return nil
	}
	return p.laneLocked(which)
}

// suitsPocket reports whether the actor asks no more of its mailbox than a pocket can
// give, and has a pocket: large messages do not lie in the cell. Of a message that may hold a Reply a kill must know while it is handled; a
// retry goes by places in a lane; and the others let a message in, or not, by what
// else there is.
func (p *proc) suitsPocket() bool {
	o := p.opts
	return o.reentrancy == NoReentrancy && o.overflow == nil && o.bursts == nil && o.retry == 0 &&
		messageTypeOf(p.impl.messageType()).fitsPocket()
}

// openPocket is called when the message has been taken out.
func (p *proc) openPocket() { xatomic.Release(&p.pocket, pocketOpen) }

// pocketed counts the messages that wait in the pocket. The caller holds mu, or
// reads this before it looks for lanes.
func (p *proc) pocketed() int {
	if p.pocket.Load() == pocketFull {
		return 1
	}
	return 0
}

// emptyPocket puts the message that waits in the pocket, if there is one, into the
// lane, which is made for it. The caller holds mu.
func (p *proc) emptyPocket() {
	if p.pocketed() != 0 {
		p.laneLocked(Data)
	}
}

// fillFromPocket puts the message that waits in the pocket into l, which is about to
// be the lane. The caller holds mu.
func (p *proc) fillFromPocket(l *lane) {
	at := p.impl.pocketAt()
	l.contents.accept(&sendWaiter{message: at})
	reflect.ValueOf(at).Elem().SetZero()
	p.openPocket()
}

// reachLocked takes the message of the pocket in hand. The caller holds mu and is the
// consumer, has seen that there is no lane, and handles the message at once.
func (p *proc) reachLocked() catch {
	if p.pocketed() == 0 {
		return nothing
	}
	xatomic.Release(&p.pocket, pocketInHand)
	p.handled++
	if o := p.sys.probes.Load(); o != nil && o.mayMeasure(p, p.handled-1) && p.reachStamp(o) {
		return fromPocketMeasured
	}
	return fromPocket
}

// reach is handleLane for Data without a lane.
func (a *activation) reach() {
	state := a.mu.Acquire()
	if state&termBits != a.term {
		a.mu.Release(state)
		a.vanish() // The message belongs to the next activation.
	}
	if a.lanes[Data].Load() == nil { // Else it has been made just now, and not for who announces it.
		a.fetched = a.reachLocked()
	}
	if a.lanes[Data].Load() == nil {
		a.todo &^= Data.bit() // Later messages are announced.
	}
	a.mu.Release(state)
	if a.fetched >= fromPocket {
		a.handlePocket()
	}
}

// handlePocket handles the message that is in hand.
func (a *activation) handlePocket() {
	a.measured, a.fetched = a.fetched == fromPocketMeasured, nothing
	a.todo &^= Data.bit() // All that is left was announced later, or is going to be.
	x := a.ctx.Load()
	if a.mu.Load()&termBits != a.term {
		a.dropPocket()
		a.vanish()
	}
	a.scope, x.lane, x.asked = x, Data, address{}
	before := a.f.SetPriority(a.opts.priority)
	err := x.typed.handleBatch(a, &hollow, Data)
	a.f.SetPriority(before)
	if err != nil {
		a.leave()
		a.fail(err)
	}
}

// dropPocket makes a dead letter of the message that is in hand.
func (a *activation) dropPocket() {
	at := reflect.ValueOf(a.impl.pocketAt()).Elem()
	m := at.Interface()
	at.SetZero()
	a.openPocket()
	a.deadLetter(Data, letter{message: m}, ErrKilled)
}
