package supervise

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/gid"
)

// keeper is the supervisor's actor. It never waits for a child: whatever takes
// time is a state of a [slot], or of the [round], from which an event leads to
// the next. So it answers at all times, and can be stopped.
type keeper struct {
	slots
	cfg     Config
	plans   []*plan
	publish func() // Makes the members of a troupe known.
	handle  *Supervisor
	above   func(command) // Tells the supervisor above; nil if there is none.
	path    string
	self    actor.PID
	window  window
	alarms  alarms
	random  *rand.Rand
	round   *round      // The round that is under way, if any.
	turns   int         // Counts rounds. A round that starts over counts again.
	booters []*asker    // Wait for all children to have started once.
	queued  []*slot     // Are to be started, and wait for their turn.
	booted  bool        // They have.
	ending  bool        // All children are being stopped, for the supervisor to end.
	over    bool        // They have stopped.
	err     error       // Why it ends.
	forced  forcedError // Whom it has killed for that.
	minimum alarmed     // Runs while the supervisor is degraded.
	term    int         // Which incarnation of the supervisor this is.
	unguard func() bool
}

// alarmed is an alarm that is set while something lasts.
type alarmed struct {
	alarm *alarm
	since time.Time
}

func newKeeper(d *design, handle *Supervisor, above func(command)) *keeper {
	return &keeper{
		slots: newSlots(), cfg: d.cfg, plans: d.plans, publish: d.publish, handle: handle, above: above,
		window: window{intensity: d.cfg.Intensity, period: d.cfg.Period},
	}
}

// Started begins to start the children. They have started when the round is over.
func (k *keeper) Started(ctx *actor.Context[command]) error {
	k.path, k.self = ctx.Path(), ctx.PID()
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(k.path)) // So that two do not wait for the same times.
	k.random = rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), seed.Sum64()))
	k.handle.failAll(k.gone(), false) // Whom an earlier incarnation has not answered.
	k.inherit(ctx)
	abandoned := k.handle.orphans(ctx.PID(), k.path, k.term)
	k.unguard = context.AfterFunc(ctx, func() {
		k.alarms.quiet()
		abandoned.begin()
	})
	return k.attend(ctx, func() {
		k.round = &round{stage: starting, at: k.first}
		k.turns++
		if k.introduce(ctx) {
			k.advance(ctx)
		}
	})
}

// introduce gives the members of a troupe their actors, and each other's refs,
// before the first of them begins. Refs are given once: later others may read
// them.
func (k *keeper) introduce(ctx *actor.Context[command]) bool {
	if k.publish == nil || k.handle.introduced {
		return true
	}
	for s := range k.all() {
		if s.assign == nil {
			continue
		}
		place, err := s.spawn(k, ctx)
		if err != nil {
			k.startFailed(ctx, s, err)
			return false
		}
		k.seat(s, place)
		k.become(s, Waiting)
		s.assign(place.ref)
	}
	k.handle.introduced = true
	k.publish()
	return true
}

// inherit makes the slots of the children that are declared, with the actors
// that an earlier incarnation has left, and stops all other actors.
//
// An actor that has stopped since then gets no slot: the word of its end has come
// while the supervisor was held, or finds no slot. So each actor with a slot is one
// whose end will be told to this incarnation.
func (k *keeper) inherit(ctx *actor.Context[command]) {
	left, term := k.handle.inherit()
	k.term = term
	others := map[actor.PID]bool{}
	for _, id := range ctx.Children() {
		others[id] = true
	}
	for _, p := range k.plans {
		s := k.add(p)
		s.static = true
		if place := left[p.name]; others[place.pid] && p.policy != Temporary {
			k.seat(s, place)
			k.become(s, Waiting)
			s.begun = true
			delete(others, place.pid)
		}
	}
	for _, id := range ctx.Children() {
		if others[id] {
			_ = ctx.StopChild(id) // It has stopped already, or will.
		}
	}
}

// Receive carries out a command.
func (k *keeper) Receive(ctx *actor.Context[command], m command) error {
	return k.attend(ctx, func() { m.run(k, ctx) })
}

// Woken carries out what supervisors below have told, and what is due. It is called
// also while the supervisor is suspended.
func (k *keeper) Woken(ctx *actor.Context[command]) error {
	return k.attend(ctx, func() {
		for _, c := range k.handle.takeMail() {
			c.run(k, ctx)
		}
		k.alarms.ring(ctx)
	})
}

// Leave is called when the supervisor is asked to stop: it stops its children
// first.
func (k *keeper) Leave(ctx *actor.Context[command]) error {
	return k.attend(ctx, func() { k.end(ctx, nil) })
}

// Stopped answers the callers that still wait.
func (k *keeper) Stopped(*actor.Context[command], error) {
	k.handle.failAll(k.gone(), false)
}

// attend does what an event asks for, and ends the supervisor if that was the last.
// Should the code panic, as OnRestart may, the children are orphans.
func (k *keeper) attend(ctx *actor.Context[command], do func()) error {
	returned := false
	defer func() {
		if !returned {
			k.handle.orphans(ctx.PID(), k.path, k.term).begin()
		}
	}()
	do()
	k.watchMinimum(ctx)
	returned = true
	if !k.over {
		return nil
	}
	k.unguard()
	k.alarms.quiet()
	if k.err = k.withForced(k.err); k.err == nil {
		ctx.Stop()
	}
	return k.err
}

// end begins to stop all children, and then the supervisor, for the given
// reason.
func (k *keeper) end(ctx *actor.Context[command], reason error) {
	if k.ending {
		return
	}
	k.ending, k.err = true, reason
	why := k.whyNot()
	for _, a := range k.booters {
		k.handle.answer(ctx, a, why)
	}
	for s := range k.all() {
		k.refuse(ctx, s, k.gone())
	}
	if k.round != nil {
		k.alarms.cancel(k.round.alarm)
	}
	if k.cfg.Strategy == Dynamic {
		k.endAtOnce(ctx)
		return
	}
	k.round = &round{stage: halting, at: k.last}
	k.advance(ctx)
}

// gone says that the supervisor does nothing any more. It may begin before the
// handle has its ref.
func (k *keeper) gone() error { return fmt.Errorf("supervise: %s: %w", k.path, actor.ErrStopped) }

// whyNot says why the children have not all started.
func (k *keeper) whyNot() error {
	if k.err != nil {
		return k.err
	}
	return k.gone()
}

// endAtOnce stops all children of a Dynamic supervisor.
func (k *keeper) endAtOnce(ctx *actor.Context[command]) {
	for s := range k.all() {
		k.halt(ctx, s, true)
	}
	k.over = len(k.byPID) == 0
}

// ChildStarted handles the start of a child.
func (k *keeper) ChildStarted(ctx *actor.Context[command], id actor.PID) error {
	return k.attend(ctx, func() {
		if s := k.byPID[id]; s != nil && s.state == Starting && !s.supervisor {
			k.started(ctx, s)
		}
	})
}

// ChildExited handles the end of a child's incarnation, or of the child itself.
func (k *keeper) ChildExited(ctx *actor.Context[command], e actor.Exit) error {
	return k.attend(ctx, func() {
		switch s := k.byPID[e.PID]; {
		case s == nil:
		case e.Held:
			k.held(ctx, s, e.Reason)
		default:
			k.ended(ctx, s, e.Reason)
		}
	})
}

// begin starts a child, by a new actor if it has none. Whether it has started
// will be told.
func (k *keeper) begin(ctx *actor.Context[command], s *slot) {
	k.cancel(s)
	if !s.seated() {
		place, err := s.spawn(k, ctx)
		if err != nil {
			k.startFailed(ctx, s, err)
			return
		}
		k.seat(s, place)
		s.begun = false
	}
	k.pointAtStart(s)
	restart := ctx.Restart
	if s.empty && s.begun {
		restart = ctx.RestartEmpty
	}
	if err := restart(s.pid); err != nil && s.begun {
		k.become(s, Stopping) // Somebody has stopped it while it was held, and that is about to be told.
		s.rested = true
		return
	}
	s.begun = true
	k.become(s, Starting)
	if s.startLimit >= 0 {
		k.alarm(ctx, s, s.startLimit, func(ctx *actor.Context[command]) { k.startTooLong(ctx, s) })
	}
}

// startTooLong kills a child that has not started in time.
func (k *keeper) startTooLong(ctx *actor.Context[command], s *slot) {
	s.late = true
	_ = ctx.KillChild(s.pid) // Else it has ended.
}

// started takes note of a child that has started.
func (k *keeper) started(ctx *actor.Context[command], s *slot) {
	k.cancel(s)
	k.become(s, Running)
	if s.onStart != nil {
		s.onStart()
		s.onStart = nil
	}
	starter := s.starter
	s.starter = nil
	if starter != nil && !k.handle.answer(ctx, starter, nil) && !s.static {
		s.leaves = true // The caller has gone, and nobody else knows of it.
		k.halt(ctx, s, true)
	}
	k.advance(ctx)
}

// startFailed deals with a child that could not be started. It is held, or has
// no actor since none could be spawned.
func (k *keeper) startFailed(ctx *actor.Context[command], s *slot, reason error) {
	k.cancel(s)
	if s.late {
		s.late = false
		reason = fmt.Errorf("%w: more than %v: %w", ErrStartLimit, s.startLimit, orNormal(reason))
	}
	s.reason = reason
	switch {
	case s.starter != nil:
		s.parked = true
		s.refusal = k.startError(s) // To be told when nothing is left of the child.
		k.retire(ctx, s)
	case errors.Is(reason, ErrIgnore):
		k.retire(ctx, s)
	case k.halts(s):
		k.become(s, Waiting)
		k.advance(ctx)
	case !k.booted:
		k.become(s, Waiting)
		k.end(ctx, k.startError(s))
	default:
		k.failed(ctx, s, reason)
	}
}

func (k *keeper) startError(s *slot) error {
	return fmt.Errorf("%w: %s: %w", ErrStart, k.pathOf(s), orNormal(s.reason))
}

// refuse tells callers that wait for the start of a child that it will not start.
func (k *keeper) refuse(ctx *actor.Context[command], s *slot, why error) {
	if s.starter == nil {
		return
	}
	k.handle.answer(ctx, s.starter, why)
	s.starter = nil
	if s.onStart != nil {
		s.onStart, s.leaves = nil, true // It was to be added.
	}
}

// held deals with a child whose incarnation has ended, and that may be
// restarted.
func (k *keeper) held(ctx *actor.Context[command], s *slot, reason error) {
	switch s.state {
	case Starting:
		k.startFailed(ctx, s, reason)
	case Running:
		s.reason = reason
		switch {
		case k.halts(s) && s.policy != Temporary:
			k.become(s, Waiting) // It was about to be stopped anyway.
			k.advance(ctx)
		case s.policy.restarts(failure(reason)) && !k.ending:
			k.failed(ctx, s, reason)
		default:
			s.byItself = true
			k.retire(ctx, s)
		}
	case Stopping:
		k.noteForced(s, reason)
		if s.forGood {
			s.rested = true
			_ = ctx.Release(s.pid) // It was asked to stop, unless it was too late for that.
			return
		}
		s.forced = nil // Nobody waits for this stop but the round.
		k.cancel(s)
		k.become(s, Waiting)
		k.advance(ctx)
	}
}

// retire lets a child go that is held.
func (k *keeper) retire(ctx *actor.Context[command], s *slot) {
	if !s.seated() {
		k.down(ctx, s)
		return
	}
	k.become(s, Stopping)
	s.forGood, s.rested = true, true
	_ = ctx.Release(s.pid) // Else it has stopped already, and that is about to be told.
}

// ended deals with a child that has ended for good.
func (k *keeper) ended(ctx *actor.Context[command], s *slot, reason error) {
	before := s.state
	k.vacate(s)
	switch before {
	case Starting:
		s.reason = reason
		s.parked = true
		if s.starter == nil && !k.booted && !k.ending {
			k.become(s, Down)
			k.end(ctx, k.startError(s))
		}
		k.refuse(ctx, s, k.startError(s))
	case Running:
		s.reason, s.byItself, s.parked = reason, true, true
	case Waiting:
		s.parked = true
	case Stopping:
		if !s.rested {
			k.noteForced(s, reason)
		}
		if !s.forGood {
			s.parked = true // Somebody has stopped it.
		}
	}
	k.down(ctx, s)
}

// down deals with a child that has no actor any more.
func (k *keeper) down(ctx *actor.Context[command], s *slot) {
	k.cancel(s)
	k.become(s, Down)
	for _, a := range s.stoppers {
		k.handle.answer(ctx, a, s.forced)
	}
	s.stoppers, s.forced = nil, nil
	if s.refusal != nil {
		k.refuse(ctx, s, s.refusal)
		s.refusal = nil
	}
	byItself := s.byItself
	s.byItself, s.forGood = false, false
	if s.leaves || s.policy == Temporary || s.name == "" || k.cfg.Strategy == Dynamic {
		k.forget(s)
	}
	if byItself && s.significant && !k.ending && k.shutsDown() {
		k.end(ctx, nil)
		return
	}
	k.advance(ctx)
}

// shutsDown reports whether the end of a significant child ends the supervisor.
func (k *keeper) shutsDown() bool {
	if k.cfg.AutoShutdown == AllSignificant {
		for s := range k.all() {
			if s.significant && s.state != Down {
				return false
			}
		}
	}
	return k.cfg.AutoShutdown != Never
}

// failed restarts a child, and those that go with it, unless that happens too
// often. The child is held, or has no actor since none could be spawned.
func (k *keeper) failed(ctx *actor.Context[command], s *slot, reason error) {
	now := time.Now()
	if s.state == Running && now.Sub(s.since) >= s.backoff.Reset {
		s.failures = 0
	}
	s.failures++
	k.become(s, Waiting)
	if !k.window.allow(now) {
		k.end(ctx, k.tooOften(s))
		return
	}
	s.restarts++
	k.handle.restarts.Add(1)
	delay := s.backoff.delay(s.failures, k.random)
	if k.cfg.OnRestart != nil {
		k.tell(Restart{
			PID: s.pid, Name: s.name, Path: k.pathOf(s), Reason: reason,
			Recent: len(k.window.recent), Delay: delay,
		})
	}
	switch {
	case k.cfg.Strategy.grouped():
		from := s.seq
		if k.cfg.Strategy == OneForAll {
			from = 0
		}
		k.regroup(ctx, from, now.Add(delay))
	case delay > 0 || !s.seated():
		k.alarm(ctx, s, max(delay, minRetry), func(ctx *actor.Context[command]) { k.begin(ctx, s) })
	default:
		k.begin(ctx, s)
	}
}

// tell calls OnRestart. If OnRestart asks the supervisor itself, the call would wait for
// its own end, and is refused.
func (k *keeper) tell(r Restart) {
	k.handle.telling.Store(uintptr(gid.Current()))
	defer k.handle.telling.Store(0)
	k.cfg.OnRestart(r)
}
