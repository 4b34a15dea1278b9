package supervise

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// sequence is what a supervisor does with several children in order: it stops
// them, the last first, each when the one before has stopped; waits as long as
// the back-off says; and starts them, the first first, each when the one before
// has started. The first start of all children is a sequence that has nothing to
// stop, and the end of the supervisor one that starts nothing.
//
// If a child fails while others are stopped, the sequence goes on with both groups. If one fails
// while the group is started, the sequence begins again with that child and its own group. The
// children started before it stay, as in OTP. Children of OneForOne that
// fail are restarted beside the sequence.
type sequence struct {
	from  uint64 // It concerns the children from this one on.
	stage stage
	at    *slot     // The child whose turn it is.
	until time.Time // Not to be started before.
	alarm *alarm
	busy  bool // A step of it is being made.
}

type stage uint8

const (
	halting stage = iota
	pausing
	starting
)

// minRetry is how long a supervisor waits at least before it tries again to
// spawn an actor that could not be spawned at all: picked out of thin air, to
// let others go first.
const minRetry = time.Millisecond

// regroup restarts the children from the given one on.
func (sup *supervisorActor) regroup(ctx *actor.Context[command], from uint64, until time.Time) {
	seq := sup.sequence
	switch {
	case seq == nil:
		seq = &sequence{from: from}
		sup.sequence = seq
	case seq.stage == starting:
		seq.from = min(seq.at.seq, from)
	default:
		seq.from = min(seq.from, from)
	}
	seq.stage, seq.at = halting, sup.last
	sup.sequences++
	if until.After(seq.until) {
		seq.until = until
	}
	sup.advance(ctx)
}

// advance goes on with the sequence as far as it can without waiting. It is called
// whenever a child has changed.
func (sup *supervisorActor) advance(ctx *actor.Context[command]) {
	if sup.ending && sup.cfg.Strategy == Dynamic {
		sup.over = len(sup.byPID) == 0
		return
	}
	seq := sup.sequence
	if seq == nil || seq.busy {
		return
	}
	seq.busy = true
	for sup.sequence == seq && sup.step(ctx, seq) {
	}
	seq.busy = false
}

// step makes one step of the sequence. It returns false if that has to wait, or is
// over.
func (sup *supervisorActor) step(ctx *actor.Context[command], seq *sequence) bool {
	switch seq.stage {
	case halting:
		return sup.haltNext(ctx, seq)
	case pausing:
		return sup.pause(ctx, seq)
	default:
		return sup.startNext(ctx, seq)
	}
}

// haltNext stops the child whose turn it is.
func (sup *supervisorActor) haltNext(ctx *actor.Context[command], seq *sequence) bool {
	s := sup.present(seq.at)
	if s == nil || s.seq < seq.from {
		seq.stage = pausing
		return true
	}
	seq.at = s
	switch s.state {
	case Running, Starting:
		sup.halt(ctx, s, sup.endsForGood(s))
		return false
	case Stopping:
		sup.pointAtStop(s, s.stops)
		return false
	case Waiting:
		sup.cancel(s)
		if sup.endsForGood(s) {
			sup.halt(ctx, s, true)
			return s.state == Down
		}
	}
	seq.at = s.prev
	return true
}

// endsForGood reports whether a child that the sequence stops is not to be
// restarted in its place: the next incarnation of the supervisor takes over the
// actors of the children that are declared with it.
func (sup *supervisorActor) endsForGood(s *slot) bool {
	return s.policy == Temporary || sup.ending && (!s.static || !sup.isNested())
}

func (sup *supervisorActor) isNested() bool { return sup.above != nil }

// pause waits for the time to start the children again.
func (sup *supervisorActor) pause(ctx *actor.Context[command], seq *sequence) bool {
	if sup.ending {
		sup.sequence, sup.over = nil, true
		return false
	}
	if left := time.Until(seq.until); left > 0 {
		if seq.alarm == nil {
			seq.alarm = sup.alarms.set(ctx, left, func(ctx *actor.Context[command]) {
				seq.alarm = nil
				sup.advance(ctx)
			})
		}
		return false
	}
	seq.stage, seq.at = starting, sup.first
	return true
}

// startNext starts the child whose turn it is.
func (sup *supervisorActor) startNext(ctx *actor.Context[command], seq *sequence) bool {
	s := sup.present(seq.at) // Others may have been added behind it since.
	if s == nil && seq.at != nil {
		s = sup.first
	}
	if s == nil {
		sup.sequence = nil
		sup.allStarted(ctx)
		return false
	}
	seq.at = s
	switch {
	case s.seq < seq.from || s.parked || s.leaves || s.state == Running || s.state == Down && s.tried == sup.sequences:
	case s.state == Starting || s.state == Stopping:
		return false
	case s.alarm != nil: // One for one, and it has failed already.
	default:
		s.tried = sup.sequences
		sup.begin(ctx, s)
		return true
	}
	seq.at = s.next
	if seq.at == nil {
		sup.sequence = nil
		sup.allStarted(ctx)
		return false
	}
	return true
}

// allStarted takes note of the end of a sequence. The first time, the supervisor
// has started.
func (sup *supervisorActor) allStarted(ctx *actor.Context[command]) {
	if sup.booted || sup.ending {
		return
	}
	sup.booted = true
	for _, a := range sup.booters {
		sup.handle.answer(ctx, a, nil)
	}
	sup.booters = nil
	if sup.isNested() {
		sup.above(booted{ctx.PID()})
	}
}

// awaitsTurn reports whether the sequence will start the child. A child whose turn has
// gone by is started at once.
func (sup *supervisorActor) awaitsTurn(s *slot) bool {
	seq := sup.sequence
	return seq != nil && sup.cfg.Strategy.grouped() && s.seq >= seq.from && (seq.stage != starting || s.seq > seq.at.seq)
}

// halts reports whether the child is one of those that are being stopped.
func (sup *supervisorActor) halts(s *slot) bool {
	return sup.ending || sup.sequence != nil && sup.sequence.stage == halting && s.seq >= sup.sequence.from
}

// halt stops a child: for good, or to be held until it is restarted.
func (sup *supervisorActor) halt(ctx *actor.Context[command], s *slot, forGood bool) {
	switch s.state {
	case Down:
		sup.down(ctx, s)
	case Waiting:
		sup.cancel(s)
		if forGood {
			sup.retire(ctx, s)
		}
	case Stopping:
		if forGood && !s.forGood {
			s.forGood = true
			_ = ctx.StopChild(s.pid)
		}
	default:
		sup.becomeStopping(ctx, s, forGood)
	}
}

// becomeStopping asks a child to stop. That a decision comes too late, since the
// child has just stopped, is told by ChildExited.
func (sup *supervisorActor) becomeStopping(ctx *actor.Context[command], s *slot, forGood bool) {
	sup.cancel(s)
	sup.become(s, Stopping)
	s.forGood, s.killed, s.forced, s.rested = forGood, false, nil, false
	ask := ctx.Recall
	if forGood {
		ask = ctx.StopChild
	}
	_ = ask(s.pid)
	sup.pointAtStop(s, s.pid)
	switch {
	case s.shutdown == BrutalKill:
		sup.kill(ctx, s)
	case s.shutdown >= 0:
		sup.alarm(ctx, s, s.shutdown, func(ctx *actor.Context[command]) {
			s.killed = true
			sup.kill(ctx, s)
		})
	}
}

// killAgain is after what time a child is killed again that has not ended: of
// those below it, some may have been about to begin. Picked out of thin air.
const killAgain = 100 * time.Millisecond

// kill kills a child that was asked to stop, and all below it.
func (sup *supervisorActor) kill(ctx *actor.Context[command], s *slot) {
	_ = ctx.KillChild(s.pid)
	sup.alarm(ctx, s, killAgain, func(ctx *actor.Context[command]) { sup.kill(ctx, s) })
}

// alarm sets the alarm of a child.
func (sup *supervisorActor) alarm(ctx *actor.Context[command], s *slot, d time.Duration, ring func(ctx *actor.Context[command])) {
	sup.cancel(s)
	s.alarm = sup.alarms.set(ctx, d, func(ctx *actor.Context[command]) {
		s.alarm = nil
		ring(ctx)
	})
}

// cancel cancels the alarm of a child.
func (sup *supervisorActor) cancel(s *slot) {
	sup.alarms.cancel(s.alarm)
	s.alarm = nil
}

// fill notes which actor the child has.
func (sup *supervisorActor) fill(s *slot, p place) {
	s.place, s.known = p, p.pid
	sup.byPID[p.pid] = s
	sup.handle.setPlace(s.name, p)
	sup.handle.setLimit(p.pid, s.shutdown)
}

// vacate notes that the child has no actor.
func (sup *supervisorActor) vacate(s *slot) {
	delete(sup.byPID, s.pid)
	sup.handle.dropLimit(s.pid, s.shutdown)
	s.place = place{}
	sup.handle.setPlace(s.name, s.place)
}

// forget removes a child.
func (sup *supervisorActor) forget(s *slot) {
	if !s.removed {
		sup.cancel(s)
		sup.remove(s)
	}
}

func (sup *supervisorActor) pathOf(s *slot) string { return sup.path + "/" + s.called() }

// at returns an error about a child.
func (sup *supervisorActor) at(what error, name string) error {
	return fmt.Errorf("%w: %s/%s", what, sup.path, name)
}

// errNormal stands for the reason of a child that stopped itself.
var errNormal = fmt.Errorf("it stopped itself")

func orNormal(reason error) error {
	if reason == nil {
		return errNormal
	}
	return reason
}

// tooOften says that a child has failed once too often.
func (sup *supervisorActor) tooOften(s *slot) error {
	return fmt.Errorf("%w: %s: more than %d in %v, last by %s: %w",
		ErrIntensity, sup.path, sup.cfg.Intensity, sup.cfg.Period, sup.pathOf(s), orNormal(s.reason))
}

// watchMinimum notices that the supervisor is, or is not any more, degraded.
func (sup *supervisorActor) watchMinimum(ctx *actor.Context[command]) {
	few := sup.booted && !sup.ending && sup.running < sup.cfg.MinHealthy
	m := &sup.minimum
	switch {
	case few && m.since.IsZero():
		m.since = time.Now()
		if sup.cfg.DegradedLimit > 0 {
			m.alarm = sup.alarms.set(ctx, sup.cfg.DegradedLimit, sup.tooFew)
		}
	case !few && !m.since.IsZero():
		sup.alarms.cancel(m.alarm)
		*m = alarmed{}
	}
}

// tooFew ends the supervisor because it has been degraded for too long.
func (sup *supervisorActor) tooFew(ctx *actor.Context[command]) {
	sup.end(ctx, fmt.Errorf("%w: %s: %d of at least %d for %v", ErrTooFew, sup.path, sup.running, sup.cfg.MinHealthy, sup.cfg.DegradedLimit))
}
