package supervise

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// round is what a supervisor does with several children in order: it stops
// them, the last first, each when the one before has stopped; waits as long as
// the back-off says; and starts them, the first first, each when the one before
// has started. The first start of all children is a round that has nothing to
// stop, and the end of the supervisor one that starts nothing.
//
// If a child fails while others are stopped, the round goes on with both groups. If one fails
// while the group is started, the round begins again with that child and its own group. The
// children started before it stay, as in OTP. Children of OneForOne that
// fail are restarted beside the round.
type round struct {
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
func (k *keeper) regroup(ctx *actor.Context[command], from uint64, until time.Time) {
	r := k.round
	switch {
	case r == nil:
		r = &round{from: from}
		k.round = r
	case r.stage == starting:
		r.from = min(r.at.seq, from)
	default:
		r.from = min(r.from, from)
	}
	r.stage, r.at = halting, k.last
	k.turns++
	if until.After(r.until) {
		r.until = until
	}
	k.advance(ctx)
}

// advance goes on with the round as far as it can without waiting. It is called
// whenever a child has changed.
func (k *keeper) advance(ctx *actor.Context[command]) {
	if k.ending && k.cfg.Strategy == Dynamic {
		k.over = len(k.byPID) == 0
		return
	}
	r := k.round
	if r == nil || r.busy {
		return
	}
	r.busy = true
	for k.round == r && k.step(ctx, r) {
	}
	r.busy = false
}

// step makes one step of the round. It returns false if that has to wait, or is
// over.
func (k *keeper) step(ctx *actor.Context[command], r *round) bool {
	switch r.stage {
	case halting:
		return k.haltNext(ctx, r)
	case pausing:
		return k.pause(ctx, r)
	default:
		return k.startNext(ctx, r)
	}
}

// haltNext stops the child whose turn it is.
func (k *keeper) haltNext(ctx *actor.Context[command], r *round) bool {
	s := k.present(r.at)
	if s == nil || s.seq < r.from {
		r.stage = pausing
		return true
	}
	r.at = s
	switch s.state {
	case Running, Starting:
		k.halt(ctx, s, k.endsForGood(s))
		return false
	case Stopping:
		k.pointAtStop(s, s.stops)
		return false
	case Waiting:
		k.cancel(s)
		if k.endsForGood(s) {
			k.halt(ctx, s, true)
			return s.state == Down
		}
	}
	r.at = s.prev
	return true
}

// endsForGood reports whether a child that the round stops is not to be
// restarted in its place: the next incarnation of the supervisor takes over the
// actors of the children that are declared with it.
func (k *keeper) endsForGood(s *slot) bool {
	return s.policy == Temporary || k.ending && (!s.static || !k.isNested())
}

func (k *keeper) isNested() bool { return k.above != nil }

// pause waits for the time to start the children again.
func (k *keeper) pause(ctx *actor.Context[command], r *round) bool {
	if k.ending {
		k.round, k.over = nil, true
		return false
	}
	if left := time.Until(r.until); left > 0 {
		if r.alarm == nil {
			r.alarm = k.alarms.set(ctx, left, func(ctx *actor.Context[command]) {
				r.alarm = nil
				k.advance(ctx)
			})
		}
		return false
	}
	r.stage, r.at = starting, k.first
	return true
}

// startNext starts the child whose turn it is.
func (k *keeper) startNext(ctx *actor.Context[command], r *round) bool {
	s := k.present(r.at) // Others may have been added behind it since.
	if s == nil && r.at != nil {
		s = k.first
	}
	if s == nil {
		k.round = nil
		k.allStarted(ctx)
		return false
	}
	r.at = s
	switch {
	case s.seq < r.from || s.parked || s.leaves || s.state == Running || s.state == Down && s.tried == k.turns:
	case s.state == Starting || s.state == Stopping:
		return false
	case s.alarm != nil: // One for one, and it has failed already.
	default:
		s.tried = k.turns
		k.begin(ctx, s)
		return true
	}
	r.at = s.next
	if r.at == nil {
		k.round = nil
		k.allStarted(ctx)
		return false
	}
	return true
}

// allStarted takes note of the end of a round. The first time, the supervisor
// has started.
func (k *keeper) allStarted(ctx *actor.Context[command]) {
	if k.booted || k.ending {
		return
	}
	k.booted = true
	for _, a := range k.booters {
		k.handle.answer(ctx, a, nil)
	}
	k.booters = nil
	if k.isNested() {
		k.above(booted{ctx.PID()})
	}
}

// awaitsTurn reports whether the round will start the child. A child whose turn has
// gone by is started at once.
func (k *keeper) awaitsTurn(s *slot) bool {
	r := k.round
	return r != nil && k.cfg.Strategy.grouped() && s.seq >= r.from && (r.stage != starting || s.seq > r.at.seq)
}

// halts reports whether the child is one of those that are being stopped.
func (k *keeper) halts(s *slot) bool {
	return k.ending || k.round != nil && k.round.stage == halting && s.seq >= k.round.from
}

// halt stops a child: for good, or to be held until it is restarted.
func (k *keeper) halt(ctx *actor.Context[command], s *slot, forGood bool) {
	switch s.state {
	case Down:
		k.down(ctx, s)
	case Waiting:
		k.cancel(s)
		if forGood {
			k.retire(ctx, s)
		}
	case Stopping:
		if forGood && !s.forGood {
			s.forGood = true
			_ = ctx.StopChild(s.pid)
		}
	default:
		k.becomeStopping(ctx, s, forGood)
	}
}

// becomeStopping asks a child to stop. That a decision comes too late, since the
// child has just stopped, is told by ChildExited.
func (k *keeper) becomeStopping(ctx *actor.Context[command], s *slot, forGood bool) {
	k.cancel(s)
	k.become(s, Stopping)
	s.forGood, s.killed, s.forced, s.rested = forGood, false, nil, false
	ask := ctx.Recall
	if forGood {
		ask = ctx.StopChild
	}
	_ = ask(s.pid)
	k.pointAtStop(s, s.pid)
	switch {
	case s.shutdown == BrutalKill:
		k.kill(ctx, s)
	case s.shutdown >= 0:
		k.alarm(ctx, s, s.shutdown, func(ctx *actor.Context[command]) {
			s.killed = true
			k.kill(ctx, s)
		})
	}
}

// killAgain is after what time a child is killed again that has not ended: of
// those below it, some may have been about to begin. Picked out of thin air.
const killAgain = 100 * time.Millisecond

// kill kills a child that was asked to stop, and all below it.
func (k *keeper) kill(ctx *actor.Context[command], s *slot) {
	_ = ctx.KillChild(s.pid)
	k.alarm(ctx, s, killAgain, func(ctx *actor.Context[command]) { k.kill(ctx, s) })
}

// alarm sets the alarm of a child.
func (k *keeper) alarm(ctx *actor.Context[command], s *slot, d time.Duration, ring func(ctx *actor.Context[command])) {
	k.cancel(s)
	s.alarm = k.alarms.set(ctx, d, func(ctx *actor.Context[command]) {
		s.alarm = nil
		ring(ctx)
	})
}

// cancel cancels the alarm of a child.
func (k *keeper) cancel(s *slot) {
	k.alarms.cancel(s.alarm)
	s.alarm = nil
}

// seat notes which actor the child has.
func (k *keeper) seat(s *slot, p place) {
	s.place, s.known = p, p.pid
	k.byPID[p.pid] = s
	k.handle.setPlace(s.name, p)
	k.handle.setLimit(p.pid, s.shutdown)
}

// vacate notes that the child has no actor.
func (k *keeper) vacate(s *slot) {
	delete(k.byPID, s.pid)
	k.handle.dropLimit(s.pid, s.shutdown)
	s.place = place{}
	k.handle.setPlace(s.name, s.place)
}

// forget removes a child.
func (k *keeper) forget(s *slot) {
	if !s.removed {
		k.cancel(s)
		k.remove(s)
	}
}

func (k *keeper) pathOf(s *slot) string { return k.path + "/" + s.called() }

// at returns an error about a child.
func (k *keeper) at(what error, name string) error {
	return fmt.Errorf("%w: %s/%s", what, k.path, name)
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
func (k *keeper) tooOften(s *slot) error {
	return fmt.Errorf("%w: %s: more than %d in %v, last by %s: %w",
		ErrIntensity, k.path, k.cfg.Intensity, k.cfg.Period, k.pathOf(s), orNormal(s.reason))
}

// watchMinimum notices that the supervisor is, or is not any more, degraded.
func (k *keeper) watchMinimum(ctx *actor.Context[command]) {
	few := k.booted && !k.ending && k.running < k.cfg.MinHealthy
	m := &k.minimum
	switch {
	case few && m.since.IsZero():
		m.since = time.Now()
		if k.cfg.DegradedLimit > 0 {
			m.alarm = k.alarms.set(ctx, k.cfg.DegradedLimit, k.tooFew)
		}
	case !few && !m.since.IsZero():
		k.alarms.cancel(m.alarm)
		*m = alarmed{}
	}
}

// tooFew ends the supervisor because it has been degraded for too long.
func (k *keeper) tooFew(ctx *actor.Context[command]) {
	k.end(ctx, fmt.Errorf("%w: %s: %d of at least %d for %v", ErrTooFew, k.path, k.running, k.cfg.MinHealthy, k.cfg.DegradedLimit))
}
