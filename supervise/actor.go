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

// supervisorActor is the supervisor's actor. It never waits for a child: whatever takes
// time is a state of a [slot], or of the [sequence], from which an event leads to
// the next. So it answers at all times, and can be stopped.
type supervisorActor struct {
	slots
	cfg       Config
	plans     []*plan
	publish   func() // Makes the members of a troupe known.
	handle    *Supervisor
	above     func(command) // Tells the supervisor above; nil if there is none.
	path      string
	self      actor.PID
	window    window
	alarms    alarms
	random    *rand.Rand
	sequence  *sequence   // The sequence that is under way, if any.
	sequences int         // Counts sequences. A sequence that starts over counts again.
	booters   []*asker    // Wait for all children to have started once.
	queued    []*slot     // Are to be started, and wait for their turn.
	booted    bool        // They have.
	ending    bool        // All children are being stopped, for the supervisor to end.
	over      bool        // They have stopped.
	err       error       // Why it ends.
	forced    forcedError // Whom it has killed for that.
	minimum   alarmed     // Runs while the supervisor is degraded.
	term      int         // Which incarnation of the supervisor this is.
	unguard   func() bool
}

// alarmed is an alarm that is set while something lasts.
type alarmed struct {
	alarm *alarm
	since time.Time
}

func newSupervisorActor(d *design, handle *Supervisor, above func(command)) *supervisorActor {
	return &supervisorActor{
		slots: newSlots(), cfg: d.cfg, plans: d.plans, publish: d.publish, handle: handle, above: above,
		window: window{intensity: d.cfg.Intensity, period: d.cfg.Period},
	}
}

// Started begins to start the children. They have started when the sequence is over.
func (sup *supervisorActor) Started(ctx *actor.Context[command]) error {
	sup.path, sup.self = ctx.Path(), ctx.PID()
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(sup.path)) // So that two do not wait for the same times.
	sup.random = rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), seed.Sum64()))
	sup.handle.failAll(sup.gone(), false) // Whom an earlier incarnation has not answered.
	sup.inherit(ctx)
	abandoned := sup.handle.orphans(ctx.PID(), sup.path, sup.term)
	sup.unguard = context.AfterFunc(ctx, func() {
		sup.alarms.quiet()
		abandoned.begin()
	})
	return sup.attend(ctx, func() {
		sup.sequence = &sequence{stage: starting, at: sup.first}
		sup.sequences++
		if sup.introduce(ctx) {
			sup.advance(ctx)
		}
	})
}

// introduce gives the members of a troupe their actors, and each other's refs,
// before the first of them begins. Refs are given once: later others may read
// them.
func (sup *supervisorActor) introduce(ctx *actor.Context[command]) bool {
	if sup.publish == nil || sup.handle.introduced {
		return true
	}
	for s := range sup.all() {
		if s.assign == nil {
			continue
		}
		place, err := s.spawn(sup, ctx)
		if err != nil {
			sup.startFailed(ctx, s, err)
			return false
		}
		sup.fill(s, place)
		sup.become(s, Waiting)
		s.assign(place.ref)
	}
	sup.handle.introduced = true
	sup.publish()
	return true
}

// inherit makes the slots of the children that are declared, with the actors
// that an earlier incarnation has left, and stops all other actors.
//
// An actor that has stopped since then gets no slot: the word of its end has come
// while the supervisor was held, or finds no slot. So each actor with a slot is one
// whose end will be told to this incarnation.
func (sup *supervisorActor) inherit(ctx *actor.Context[command]) {
	left, term := sup.handle.inherit()
	sup.term = term
	others := map[actor.PID]bool{}
	for _, id := range ctx.Children() {
		others[id] = true
	}
	for _, p := range sup.plans {
		s := sup.add(p)
		s.static = true
		if place := left[p.name]; others[place.pid] && p.policy != Temporary {
			sup.fill(s, place)
			sup.become(s, Waiting)
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
func (sup *supervisorActor) Receive(ctx *actor.Context[command], m command) error {
	return sup.attend(ctx, func() { m.run(sup, ctx) })
}

// Woken carries out what supervisors below have told, and what is due. It is called
// also while the supervisor is suspended.
func (sup *supervisorActor) Woken(ctx *actor.Context[command]) error {
	return sup.attend(ctx, func() {
		for _, c := range sup.handle.takeMail() {
			c.run(sup, ctx)
		}
		sup.alarms.ring(ctx)
	})
}

// Leave is called when the supervisor is asked to stop: it stops its children
// first.
func (sup *supervisorActor) Leave(ctx *actor.Context[command]) error {
	return sup.attend(ctx, func() { sup.end(ctx, nil) })
}

// Stopped answers the callers that still wait.
func (sup *supervisorActor) Stopped(*actor.Context[command], error) {
	sup.handle.failAll(sup.gone(), false)
}

// attend does what an event asks for, and ends the supervisor if that was the last.
// Should the code panic, as OnRestart may, the children are orphans.
func (sup *supervisorActor) attend(ctx *actor.Context[command], do func()) error {
	returned := false
	defer func() {
		if !returned {
			sup.handle.orphans(ctx.PID(), sup.path, sup.term).begin()
		}
	}()
	do()
	sup.watchMinimum(ctx)
	returned = true
	if !sup.over {
		return nil
	}
	sup.unguard()
	sup.alarms.quiet()
	if sup.err = sup.withForced(sup.err); sup.err == nil {
		ctx.Stop()
	}
	return sup.err
}

// end begins to stop all children, and then the supervisor, for the given
// reason.
func (sup *supervisorActor) end(ctx *actor.Context[command], reason error) {
	if sup.ending {
		return
	}
	sup.ending, sup.err = true, reason
	why := sup.whyNot()
	for _, a := range sup.booters {
		sup.handle.answer(ctx, a, why)
	}
	for s := range sup.all() {
		sup.refuse(ctx, s, sup.gone())
	}
	if sup.sequence != nil {
		sup.alarms.cancel(sup.sequence.alarm)
	}
	if sup.cfg.Strategy == Dynamic {
		sup.endAtOnce(ctx)
		return
	}
	sup.sequence = &sequence{stage: halting, at: sup.last}
	sup.advance(ctx)
}

// gone says that the supervisor does nothing any more. It may begin before the
// handle has its ref.
func (sup *supervisorActor) gone() error {
	return fmt.Errorf("supervise: %s: %w", sup.path, actor.ErrStopped)
}

// whyNot says why the children have not all started.
func (sup *supervisorActor) whyNot() error {
	if sup.err != nil {
		return sup.err
	}
	return sup.gone()
}

// endAtOnce stops all children of a Dynamic supervisor.
func (sup *supervisorActor) endAtOnce(ctx *actor.Context[command]) {
	for s := range sup.all() {
		sup.halt(ctx, s, true)
	}
	sup.over = len(sup.byPID) == 0
}

// ChildStarted handles the start of a child.
func (sup *supervisorActor) ChildStarted(ctx *actor.Context[command], id actor.PID) error {
	return sup.attend(ctx, func() {
		if s := sup.byPID[id]; s != nil && s.state == Starting && !s.supervisor {
			sup.started(ctx, s)
		}
	})
}

// ChildExited handles the end of a child's incarnation, or of the child itself.
func (sup *supervisorActor) ChildExited(ctx *actor.Context[command], e actor.Exit) error {
	return sup.attend(ctx, func() {
		switch s := sup.byPID[e.PID]; {
		case s == nil:
		case e.Held:
			sup.held(ctx, s, e.Reason)
		default:
			sup.ended(ctx, s, e.Reason)
		}
	})
}

// begin starts a child, by a new actor if it has none. Whether it has started
// will be told.
func (sup *supervisorActor) begin(ctx *actor.Context[command], s *slot) {
	sup.cancel(s)
	if !s.hasActor() {
		place, err := s.spawn(sup, ctx)
		if err != nil {
			sup.startFailed(ctx, s, err)
			return
		}
		sup.fill(s, place)
		s.begun = false
	}
	sup.pointAtStart(s)
	restart := ctx.Restart
	if s.empty && s.begun {
		restart = ctx.RestartEmpty
	}
	if err := restart(s.pid); err != nil && s.begun {
		sup.become(s, Stopping) // Somebody has stopped it while it was held, and that is about to be told.
		s.rested = true
		return
	}
	s.begun = true
	sup.become(s, Starting)
	if s.startLimit >= 0 {
		sup.alarm(ctx, s, s.startLimit, func(ctx *actor.Context[command]) { sup.startTooLong(ctx, s) })
	}
}

// startTooLong kills a child that has not started in time.
func (sup *supervisorActor) startTooLong(ctx *actor.Context[command], s *slot) {
	s.late = true
	_ = ctx.KillChild(s.pid) // Else it has ended.
}

// started takes note of a child that has started.
func (sup *supervisorActor) started(ctx *actor.Context[command], s *slot) {
	sup.cancel(s)
	sup.become(s, Running)
	if s.onStart != nil {
		s.onStart()
		s.onStart = nil
	}
	starter := s.starter
	s.starter = nil
	if starter != nil && !sup.handle.answer(ctx, starter, nil) && !s.static {
		s.leaves = true // The caller has gone, and nobody else knows of it.
		sup.halt(ctx, s, true)
	}
	sup.advance(ctx)
}

// startFailed deals with a child that could not be started. It is held, or has
// no actor since none could be spawned.
func (sup *supervisorActor) startFailed(ctx *actor.Context[command], s *slot, reason error) {
	sup.cancel(s)
	if s.late {
		s.late = false
		reason = fmt.Errorf("%w: more than %v: %w", ErrStartLimit, s.startLimit, orNormal(reason))
	}
	s.reason = reason
	switch {
	case s.starter != nil:
		s.parked = true
		s.refusal = sup.startError(s) // To be told when nothing is left of the child.
		sup.retire(ctx, s)
	case errors.Is(reason, ErrIgnore):
		sup.retire(ctx, s)
	case sup.halts(s):
		sup.become(s, Waiting)
		sup.advance(ctx)
	case !sup.booted:
		sup.become(s, Waiting)
		sup.end(ctx, sup.startError(s))
	default:
		sup.failed(ctx, s, reason)
	}
}

func (sup *supervisorActor) startError(s *slot) error {
	return fmt.Errorf("%w: %s: %w", ErrStart, sup.pathOf(s), orNormal(s.reason))
}

// refuse tells callers that wait for the start of a child that it will not start.
func (sup *supervisorActor) refuse(ctx *actor.Context[command], s *slot, why error) {
	if s.starter == nil {
		return
	}
	sup.handle.answer(ctx, s.starter, why)
	s.starter = nil
	if s.onStart != nil {
		s.onStart, s.leaves = nil, true // It was to be added.
	}
}

// held deals with a child whose incarnation has ended, and that may be
// restarted.
func (sup *supervisorActor) held(ctx *actor.Context[command], s *slot, reason error) {
	switch s.state {
	case Starting:
		sup.startFailed(ctx, s, reason)
	case Running:
		s.reason = reason
		switch {
		case sup.halts(s) && s.policy != Temporary:
			sup.become(s, Waiting) // It was about to be stopped anyway.
			sup.advance(ctx)
		case s.policy.restarts(failure(reason)) && !sup.ending:
			sup.failed(ctx, s, reason)
		default:
			s.byItself = true
			sup.retire(ctx, s)
		}
	case Stopping:
		sup.noteForced(s, reason)
		if s.forGood {
			s.rested = true
			_ = ctx.Release(s.pid) // It was asked to stop, unless it was too late for that.
			return
		}
		s.forced = nil // Nobody waits for this stop but the sequence.
		sup.cancel(s)
		sup.become(s, Waiting)
		sup.advance(ctx)
	}
}

// retire lets a child go that is held.
func (sup *supervisorActor) retire(ctx *actor.Context[command], s *slot) {
	if !s.hasActor() {
		sup.down(ctx, s)
		return
	}
	sup.become(s, Stopping)
	s.forGood, s.rested = true, true
	_ = ctx.Release(s.pid) // Else it has stopped already, and that is about to be told.
}

// ended deals with a child that has ended for good.
func (sup *supervisorActor) ended(ctx *actor.Context[command], s *slot, reason error) {
	before := s.state
	sup.vacate(s)
	switch before {
	case Starting:
		s.reason = reason
		s.parked = true
		if s.starter == nil && !sup.booted && !sup.ending {
			sup.become(s, Down)
			sup.end(ctx, sup.startError(s))
		}
		sup.refuse(ctx, s, sup.startError(s))
	case Running:
		s.reason, s.byItself, s.parked = reason, true, true
	case Waiting:
		s.parked = true
	case Stopping:
		if !s.rested {
			sup.noteForced(s, reason)
		}
		if !s.forGood {
			s.parked = true // Somebody has stopped it.
		}
	}
	sup.down(ctx, s)
}

// down deals with a child that has no actor any more.
func (sup *supervisorActor) down(ctx *actor.Context[command], s *slot) {
	sup.cancel(s)
	sup.become(s, Down)
	for _, a := range s.stoppers {
		sup.handle.answer(ctx, a, s.forced)
	}
	s.stoppers, s.forced = nil, nil
	if s.refusal != nil {
		sup.refuse(ctx, s, s.refusal)
		s.refusal = nil
	}
	byItself := s.byItself
	s.byItself, s.forGood = false, false
	if s.leaves || s.policy == Temporary || s.name == "" || sup.cfg.Strategy == Dynamic {
		sup.forget(s)
	}
	if byItself && s.significant && !sup.ending && sup.shutsDown() {
		sup.end(ctx, nil)
		return
	}
	sup.advance(ctx)
}

// shutsDown reports whether the end of a significant child ends the supervisor.
func (sup *supervisorActor) shutsDown() bool {
	if sup.cfg.AutoShutdown == AllSignificant {
		for s := range sup.all() {
			if s.significant && s.state != Down {
				return false
			}
		}
	}
	return sup.cfg.AutoShutdown != Never
}

// failed restarts a child, and those that go with it, unless that happens too
// often. The child is held, or has no actor since none could be spawned.
func (sup *supervisorActor) failed(ctx *actor.Context[command], s *slot, reason error) {
	now := time.Now()
	if s.state == Running && now.Sub(s.since) >= s.backoff.Reset {
		s.failures = 0
	}
	s.failures++
	sup.become(s, Waiting)
	if !sup.window.allow(now) {
		sup.end(ctx, sup.tooOften(s))
		return
	}
	s.restarts++
	sup.handle.restarts.Add(1)
	delay := s.backoff.delay(s.failures, sup.random)
	if sup.cfg.OnRestart != nil {
		sup.tell(Restart{
			PID: s.pid, Name: s.name, Path: sup.pathOf(s), Reason: reason,
			Recent: len(sup.window.recent), Delay: delay,
		})
	}
	switch {
	case sup.cfg.Strategy.grouped():
		from := s.seq
		if sup.cfg.Strategy == OneForAll {
			from = 0
		}
		sup.regroup(ctx, from, now.Add(delay))
	case delay > 0 || !s.hasActor():
		sup.alarm(ctx, s, max(delay, minRetry), func(ctx *actor.Context[command]) { sup.begin(ctx, s) })
	default:
		sup.begin(ctx, s)
	}
}

// tell calls OnRestart. If OnRestart asks the supervisor itself, the call would wait for
// its own end, and is refused.
func (sup *supervisorActor) tell(r Restart) {
	sup.handle.telling.Store(uintptr(gid.Current()))
	defer sup.handle.telling.Store(0)
	sup.cfg.OnRestart(r)
}
