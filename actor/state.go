package actor

import (
	"context"

	"github.com/troupe-go/troupe/internal/kernel/stateword"
	"github.com/troupe-go/troupe/internal/workers"
)

// The activation state of an actor is one atomic word, proc.mu. Its low bits say
// which lanes have messages that no activation knows of yet; the others, whether
// the actor is queued, running, held or dead. The mailbox's mutex is a bit of the
// same word; see [stateword.Word].
//
// # Protocol
//
// A sender puts its message into the lane and then announces the lane here, mostly
// in the step in which it gives the mutex back. If the bit is set already, an
// earlier sender has done so, and no one has looked since. The first announcement to an actor that is neither queued nor running
// queues it. An activation takes all announcements with the step that makes it
// the running one, and gives that up only in a step that sees no new ones. So
// there is one doorbell for a batch of messages, however many senders there
// are, and no message is left without an activation to come.
//
// An actor may be queued twice, at critical for a Control or system message
// and at its own priority, see [WithPriority], for the others. Whichever entry comes first runs;
// the other finds nothing, or what has come since.
//
// Between two activations there is a happens-before edge: they all pass
// through this word.
//
// # Kill
//
// While an activation may be in the actor's own code, which can't be stopped,
// inCode says so, and a kill seizes the actor from it: it begins another term,
// in which the next activation takes over. The activation of an old term finds
// out when the code returns, by comparing terms, and vanishes. Everything that
// it touches while inCode is set is therefore its own, or atomic, or guarded
// by proc.mu, or claimed (see lane). For all else it first calls leave.
const (
	pendingSystem uint32 = 1 << (numLanes + iota) // After the bits of the lanes.
	pendingTurn                                   // Somebody waits for the turn, see turn.go.
	queuedUrgent                                  // Queued at critical.
	queuedNormal                                  // Queued at the actor's own priority.
	running                                       // An activation is running.
	held                                          // Only system messages are handled.
	paused                                        // The same, since somebody wants it so; see suspend.go.
	dead                                          // Nothing is handled any more.
	inCode                                        // The running activation may be in the actor's code.
	killed                                        // Somebody has called for the end of the incarnation.
	seized                                        // An activation has lost the actor while it was in its code.

	_ = stateword.LockBit - seized - 1 // Those below do not reach the mutex, else this is no uint32.

	crowded  = stateword.LockBit << 1 // No further message may begin, see turn.go.
	lifted   = stateword.LockBit << 2 // Critical work waits for the actor, see lift.go. Written under lifting.
	nextTerm = stateword.LockBit << 3 // The lowest bit of the term.

	termBits            = ^(nextTerm - 1)
	alerted      uint32 = 1 // In proc.alert.
	pendingLanes        = 1<<numLanes - 1
	pendingAny          = pendingLanes | pendingSystem | pendingTurn
)

var pendingUrgent = Control.bit() | pendingSystem

// announce makes known that the lane of the given bit has a message, and
// queues the actor if need be. From is the fiber of the caller, if any.
func (p *proc) announce(from *workers.Fiber, bit uint32) {
	next, priority, queue := p.announced(p.mu.Acquire(), bit)
	p.mu.Release(next)
	if queue {
		p.submit(from, priority)
	}
}

// unlockAndAnnounce is announce by a caller that holds mu, where the state is s,
// and gives it back. Ctx is the caller's.
func (p *proc) unlockAndAnnounce(ctx context.Context, s, bit uint32) {
	next, priority, queue := p.announced(s, bit)
	p.mu.Release(next)
	if queue {
		p.submit(workers.Current(ctx), priority)
	}
}

// announced returns what an announcement makes of state s, and whether the actor
// is to be queued then. The caller holds mu.
func (p *proc) announced(s, bit uint32) (next uint32, priority workers.Priority, queue bool) {
	if s&dead != 0 || s&bit != 0 && !p.lags(s, bit) {
		return s, 0, false
	}
	next = s | bit
	if s&running != 0 && bit != Data.bit() {
		p.alert.Store(s&termBits | alerted)
	}
	switch {
	case s&running != 0, p.runnable(s, bit) == 0:
	case bit&pendingUrgent != 0, s&lifted != 0:
		queue, priority = s&queuedUrgent == 0, workers.Critical
		next |= queuedUrgent
	default:
		if queue = s&(queuedUrgent|queuedNormal) == 0; queue {
			next |= queuedNormal
			priority = p.opts.priority
		}
	}
	return next, priority, queue
}

// lags reports whether what was announced by bit is queued for less than it is
// worth now: a start, which is followed by another system message.
func (p *proc) lags(s, bit uint32) bool {
	return bit == pendingSystem && s&(queuedNormal|queuedUrgent|running) == queuedNormal
}

// transitionToRunning begins an activation on f from a queue entry of the given
// priority. It returns the lanes that were announced and the term, and false if the
// entry has become void. Unless there are system messages, the activation is in the
// actor's code from now on. Where it is about to handle Data and nothing else, as
// mostly, it has the messages in hand by the same step. The frame leads to f by then:
// afterwards, by a kill, it may be for the next activation to say where that leads.
func (p *proc) transitionToRunning(f *workers.Fiber, priority workers.Priority) (todo, term uint32, fetched catch, ok bool) {
	entry := queuedNormal
	if priority == workers.Critical {
		entry = queuedUrgent
	}
	s := p.mu.Acquire()
	todo = s & pendingAny
	ok = s&(running|dead) == 0 && p.runnable(s, todo) != 0
	next := s &^ entry
	if ok {
		next = next&^pendingAny | running
		if todo&pendingSystem == 0 {
			next |= inCode
		}
		p.calm(s & termBits)
		p.frame.Enter(f)
		if s&lifted != 0 {
			f.SetLifted(true)
			priority = p.opts.priority // The entry is for all lanes.
		}
		if todo == Data.bit() && priority != workers.Critical {
			fetched = p.fetchLocked()
		}
	}
	p.mu.Release(next)
	return todo, s & termBits, fetched, ok
}

// catch is what an activation has in hand.
type catch uint8

const (
	nothing    catch = iota
	fromLane         // Messages of Data, by a swap.
	fromPocket       // One message; see pocket.go.
	fromPocketMeasured
)

// fetchLocked is a refill of Data for an activation that begins, unless there is
// more to it than to swap. The caller holds mu and is the consumer.
func (p *proc) fetchLocked() catch {
	l := p.lanes[Data].Load()
	if l == nil {
		return p.reachLocked()
	}
	if p.marked.Load() || p.reentrancy != NoReentrancy || l.left() != 0 || l.queue.Load() != 0 {
		return nothing
	}
	if l.swap(nil); l.ready() == 0 {
		return nothing
	}
	return fromLane
}

// runnable returns what of the pending lanes may be handled in state s.
func (p *proc) runnable(s, pending uint32) uint32 {
	if s&(held|paused|crowded) != 0 {
		return pending & (pendingSystem | pendingTurn)
	}
	return pending
}

// transitionToReturn gives the turn back to a handler that has waited. It returns
// false if another one has it, or the actor was killed. The caller holds mu.
func (p *proc) transitionToReturn(term uint32) bool {
	s := p.mu.Load()
	if s&(running|killed|dead) != 0 || s&termBits != term {
		return false
	}
	p.mu.Replace(s | running | inCode)
	return true
}

// transitionFromRunning ends an activation that leaves the lanes todo
// unfinished. If something is left to do, the actor is queued again; next says
// that it was interrupted and shall go on before other work. It returns false,
// and does nothing, if the term is over.
func (p *proc) transitionFromRunning(f *workers.Fiber, todo, term uint32, next bool) bool {
	for {
		s := p.mu.Load()
		if s&termBits != term {
			return false
		}
		if s&dead != 0 {
			calmFiber(f)
			return true
		}
		pending := s&pendingAny | todo
		now := s&^(running|inCode) | todo
		left := p.runnable(s, pending)
		var queue bool
		priority := p.opts.priority
		switch {
		case left&pendingUrgent != 0, left != 0 && s&lifted != 0:
			queue, priority = s&queuedUrgent == 0, workers.Critical
			now |= queuedUrgent
		case left != 0:
			queue = s&queuedNormal == 0
			now |= queuedNormal
		}
		if !p.mu.CompareAndSwap(s, now) {
			continue
		}
		if s&lifted != 0 { // From here on setLifted does not reach the fiber.
			calmFiber(f)
		}
		switch {
		case !queue:
		case next && (priority == workers.High || priority == workers.Normal) && p.opts.host == nil:
			f.SubmitNext(&p.node)
		default:
			p.submit(f, priority)
		}
		return true
	}
}

// takeAnnounced takes the announcements out of the state. If the caller wants to
// handle Data and nothing else, and that is all there is, it has the messages in
// hand by the same step. It returns false if the term is over.
func (p *proc) takeAnnounced(term uint32, fetch bool) (news uint32, fetched catch, ok bool) {
	s := p.mu.Acquire()
	if s&termBits != term {
		p.mu.Release(s)
		return 0, nothing, false
	}
	p.calm(term)
	news = s & pendingAny
	if fetch && news == Data.bit() && s&killed == 0 {
		fetched = p.fetchLocked()
	}
	p.mu.Release(s &^ pendingAny)
	return news, fetched, true
}

// calm ends an alarm, since the activation takes what it was for. The caller holds
// mu.
func (p *proc) calm(term uint32) {
	if p.alert.Load() != term {
		p.alert.Store(term)
	}
}

// transitionToCode is called before the actor's code. It returns false if that
// must not run any more, since the actor was killed.
func (p *proc) transitionToCode() bool {
	for {
		s := p.mu.Load()
		if s&killed != 0 {
			return false
		}
		if p.mu.CompareAndSwap(s, s|inCode) {
			return true
		}
	}
}

// transitionFromCode is called after the actor's code. It returns false if the
// term is over.
func (p *proc) transitionFromCode(term uint32) bool {
	for {
		s := p.mu.Load()
		if s&termBits != term {
			return false
		}
		if p.mu.CompareAndSwap(s, s&^inCode) {
			return true
		}
	}
}

// unlockToKilled calls for the end of the incarnation, and begins another term if
// the actor's code is running. The caller holds mu, which is given back by the same
// step: what has raised the fence must not leave a moment in which the next message
// is handled behind it. It returns what is to be done about it then.
func (p *proc) unlockToKilled() (queue, seize bool) {
	s := p.mu.Load()
	if s&dead != 0 {
		p.mu.Release(s)
		return false, false
	}
	next := s | killed | pendingSystem
	if seize = s&inCode != 0; seize {
		next = (next&^(running|inCode) | seized) + nextTerm
	}
	p.alert.Store(next&termBits | alerted)
	if next&running == 0 {
		queue = s&queuedUrgent == 0
		next |= queuedUrgent
	}
	p.mu.Release(next)
	return queue, seize
}

// transitionFromKilled takes note of a kill. It reports whether an activation
// has lost the actor by it.
func (p *proc) transitionFromKilled() (wasKilled, wasSeized bool) {
	if p.mu.Load()&killed == 0 {
		return false, false
	}
	s := p.mu.And(^(killed | seized))
	return true, s&seized != 0
}

// hold and release switch to system messages only, and back. They are called
// by the running activation.
func (p *proc) hold()    { p.mu.Or(held) }
func (p *proc) release() { p.mu.And(^held) }

// submit queues the actor. From is the fiber of the caller, if any.
func (p *proc) submit(from *workers.Fiber, priority workers.Priority) {
	if h := p.opts.host; h != nil {
		h.Submit(&p.node, priority)
		return
	}
	if p.opts.placed {
		p.submitTo(from, priority)
		return
	}
	if from != nil && from.Scheduler() == p.sys.scheduler {
		from.Submit(&p.node, priority)
		return
	}
	// The scheduler outlives the system's actors; if its owner has stopped it
	// before them, they don't run any more.
	_ = p.sys.scheduler.Submit(&p.node, priority)
}
