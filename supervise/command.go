package supervise

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/gid"
)

// command is a message to a supervisor.
type command interface {
	run(sup *supervisorActor, ctx *actor.Context[command])
}

// order is a command that is answered when it is done.
type order interface {
	command
	from(reply actor.Reply[struct{}])
}

// orderer is embedded by orders.
type orderer struct{ reply actor.Reply[struct{}] }

func (o *orderer) from(reply actor.Reply[struct{}]) { o.reply = reply }

// order makes the supervisor do something, and waits until it is done.
func (s *Supervisor) order(ctx context.Context, o order) error {
	if err := s.inOnRestart(); err != nil {
		return err
	}
	// A start or a stop takes as long as the child's hooks do.
	_, err := actor.Ask(actor.WithoutAskTimeout(ctx), s.self().On(actor.Control), func(r actor.Reply[struct{}]) command {
		o.from(r)
		return o
	})
	return s.explain(err)
}

// inOnRestart returns an error if the caller is the OnRestart of s, for which s
// waits.
func (s *Supervisor) inOnRestart() error {
	if s == nil {
		return nil
	}
	if id := s.telling.Load(); id == 0 || id != uintptr(gid.Current()) {
		return nil
	}
	return fmt.Errorf("supervise: %s was called in its own OnRestart, which it waits for: %w", s.Path(), actor.ErrWouldDeadlock)
}

// Spawn adds a child to s, and returns its ref when the child has started. The
// ref stays valid however often the child is restarted. Messages that wait for
// the child are kept over a restart; the one in which it failed is not handled
// again, and if it was an ask, the asker gets [actor.ErrNoReply], unless
// Child.Retry says otherwise.
//
// The child comes after all others in the order of starts. While a group is
// being restarted, it waits for its turn.
//
// If the child fails to start, Spawn returns an error that wraps [ErrStart] and
// the reason, and the child is not added. If ctx ends first, no child is left
// behind. If there is a child of that name, be it down, Spawn returns
// [ErrExists].
func Spawn[M any](ctx context.Context, s *Supervisor, c Child[M]) (actor.Ref[M], error) {
	p, err := s.add(ctx, c)
	if err != nil {
		return actor.Ref[M]{}, err
	}
	return p.(actor.Ref[M]), nil
}

// SpawnNested is [Spawn] for a supervisor.
func SpawnNested(ctx context.Context, s *Supervisor, n Nested) (*Supervisor, error) {
	p, err := s.add(ctx, n)
	if err != nil {
		return nil, err
	}
	return p.(*Supervisor), nil
}

func (s *Supervisor) add(ctx context.Context, spec Spec) (any, error) {
	a := &addChild{spec: spec}
	if err := s.order(ctx, a); err != nil {
		return nil, err
	}
	return a.ref, nil
}

// Template describes children that differ in one argument. It fits a [Dynamic]
// supervisor, and can be used with any.
type Template[A, M any] struct {
	// New makes the actor for an argument, once for each incarnation.
	New func(arg A) actor.Actor[M]
	// Name gives the child for an argument its name, as in [Child]: so a second child for the
	// same argument is refused with [ErrExists], and [Ref] finds the first. Defaults to no
	// name, also for an argument for which it returns "".
	Name func(arg A) string
	// Child has everything else. Its New must be nil, and its Name empty if Name is given; it
	// should be empty anyway, since names are unique.
	Child Child[M]
}

// Spawn adds a child to s that is made with the given argument; see [Spawn].
func (t Template[A, M]) Spawn(ctx context.Context, s *Supervisor, arg A) (actor.Ref[M], error) {
	switch {
	case t.New == nil:
		return actor.Ref[M]{}, fmt.Errorf("supervise: %s: Template.New is nil; it makes the actor", s.Path())
	case t.Child.New != nil:
		return actor.Ref[M]{}, fmt.Errorf("supervise: %s: Template.Child.New is given, as well as Template.New; leave it out", s.Path())
	}
	c := t.Child
	if t.Name != nil {
		if c.Name != "" {
			return actor.Ref[M]{}, fmt.Errorf("supervise: %s: Template.Child.Name is %q, but Template.Name is given as well; leave one out", s.Path(), c.Name)
		}
		c.Name = t.Name(arg)
	}
	c.New = func() actor.Actor[M] { return t.New(arg) }
	return Spawn(ctx, s, c)
}

// addChild is the order of Spawn.
type addChild struct {
	orderer
	spec Spec
	ref  any // Set before the answer.
}

func (m *addChild) run(sup *supervisorActor, ctx *actor.Context[command]) {
	p, err := sup.planOf(m.spec)
	if err != nil {
		_ = m.reply.Fail(ctx, err) // Whether or not anybody still waits for it.
		return
	}
	s := sup.add(p)
	s.starter = sup.handle.await(m.reply)
	s.onStart = func() { m.ref = s.ref }
	sup.beginInTurn(ctx, s)
}

// beginInTurn starts a child for somebody who waits for that: now, or when it is its
// turn.
func (sup *supervisorActor) beginInTurn(ctx *actor.Context[command], s *slot) {
	if !sup.awaitsTurn(s) {
		sup.begin(ctx, s)
		return
	}
	if sup.pointAtSequence(s.starter) {
		sup.queued = append(sup.queued, s)
		return
	}
	s.parked = true
	sup.refuse(ctx, s, sup.gone()) // Nobody waits for it.
	if s.leaves {
		sup.forget(s)
	}
}

// planOf checks a child that is to be added.
func (sup *supervisorActor) planOf(spec Spec) (*plan, error) {
	if sup.ending {
		return nil, sup.gone()
	}
	p, err := spec.plan(checkpoint{path: sup.path, cfg: sup.cfg})
	if err != nil {
		return nil, err
	}
	if sup.byName[p.name] != nil {
		return nil, sup.at(ErrExists, p.name)
	}
	return p, nil
}

// Terminate stops the child with the given name for good, within its limit, and
// returns when it has stopped. Its refs are not valid any more. The child is kept
// as one that is down, until [Supervisor.Restart] or [Supervisor.Delete], unless
// it is temporary; the restart of its group does not start it. Terminating a
// child that is down does nothing.
//
// If the child did not stop within its limit, and was killed, Terminate returns an
// error that wraps [actor.ErrForced]; the child is down nevertheless.
//
// In a handler of the child, or of an actor below it, Terminate does not wait: it
// returns [actor.ErrWouldDeadlock], and the child stops after the handler. In a
// handler that the child waits for in another way, it returns an [actor.CycleError],
// and the child stops as well.
func (s *Supervisor) Terminate(ctx context.Context, name string) error {
	p, _ := s.place(name) // If there is none, the supervisor says so.
	return s.terminate(ctx, p.pid, who{name: name})
}

// terminate stops the child that is meant, which has the given PID.
func (s *Supervisor) terminate(ctx context.Context, id actor.PID, w who) error {
	if s != nil && s.sys.Inside(ctx, id) {
		err := s.self().On(actor.Control).Send(ctx, &terminate{who: w})
		return errors.Join(fmt.Errorf("supervise: terminate %s/%s in a handler of it, or of an actor below: %w", s.Path(), w, actor.ErrWouldDeadlock), err)
	}
	return s.order(ctx, &terminate{who: w})
}

// TerminatePID is [Supervisor.Terminate] for the child with the given PID, which
// need not have a name.
func (s *Supervisor) TerminatePID(ctx context.Context, id actor.PID) error {
	return s.terminate(ctx, id, who{pid: id})
}

// who says which child is meant.
type who struct {
	name string
	pid  actor.PID
}

func (w who) String() string {
	if w.name != "" {
		return w.name
	}
	return w.pid.String()
}

// find returns the child that is meant.
func (sup *supervisorActor) find(w who) (*slot, error) {
	s := sup.byName[w.name]
	if w.name == "" {
		s = sup.byPID[w.pid]
	}
	if s == nil {
		return nil, sup.at(ErrNoChild, w.String())
	}
	return s, nil
}

type terminate struct {
	orderer
	who
}

func (m *terminate) run(sup *supervisorActor, ctx *actor.Context[command]) {
	s, err := sup.find(m.who)
	if err != nil {
		_ = m.reply.Fail(ctx, err)
		return
	}
	s.parked = true
	sup.refuse(ctx, s, sup.at(ErrTerminated, s.called()))
	a := sup.handle.await(m.reply)
	s.stoppers = append(s.stoppers, a)
	sup.halt(ctx, s, true)
	if s.state == Stopping {
		a.waitsFor(actor.StopWait, s.stops)
	}
}

// Restart starts a child that is down, by a new actor with a new ref, and
// returns when it has started; see [Ref]. A child that is not down is not
// started again: Restart returns [ErrNotDown] then, also while the supervisor
// is about to restart the child by itself.
func (s *Supervisor) Restart(ctx context.Context, name string) error {
	return s.order(ctx, &restartChild{name: name})
}

type restartChild struct {
	orderer
	name string
}

func (m *restartChild) run(sup *supervisorActor, ctx *actor.Context[command]) {
	s, err := sup.findDown(m.name)
	if err != nil {
		_ = m.reply.Fail(ctx, err)
		return
	}
	s.parked = false
	s.starter = sup.handle.await(m.reply)
	sup.beginInTurn(ctx, s)
}

// findDown returns a child with a name that is down and that nobody is about to
// start.
func (sup *supervisorActor) findDown(name string) (*slot, error) {
	s, err := sup.find(who{name: name})
	switch {
	case sup.ending:
		return nil, sup.gone()
	case err != nil:
		return nil, err
	case s.state != Down || s.starter != nil || s.alarm != nil:
		return nil, fmt.Errorf("%w, but %v: %s", ErrNotDown, s.state, sup.pathOf(s))
	}
	return s, nil
}

// Delete forgets a child that is down, so that another one can be added under
// its name. It returns [ErrNotDown] if the child is not down.
func (s *Supervisor) Delete(ctx context.Context, name string) error {
	return s.order(ctx, &deleteChild{name: name})
}

type deleteChild struct {
	orderer
	name string
}

func (m *deleteChild) run(sup *supervisorActor, ctx *actor.Context[command]) {
	s, err := sup.findDown(m.name)
	if err != nil {
		_ = m.reply.Fail(ctx, err)
		return
	}
	sup.forget(s)
	_ = m.reply.Send(ctx, struct{}{})
}

// awaitBoot is answered when all children have started for the first time.
type awaitBoot struct{ orderer }

func (m *awaitBoot) run(sup *supervisorActor, ctx *actor.Context[command]) {
	switch {
	case sup.booted:
		_ = m.reply.Send(ctx, struct{}{})
	case sup.ending:
		_ = m.reply.Fail(ctx, sup.whyNot())
	default:
		a := sup.handle.await(m.reply)
		sup.booters = append(sup.booters, a)
		sup.pointAtSequence(a)
	}
}

// booted tells a supervisor that one below it has started all its children.
type booted struct{ pid actor.PID }

func (m booted) run(sup *supervisorActor, ctx *actor.Context[command]) {
	if s := sup.byPID[m.pid]; s != nil && s.state == Starting {
		sup.started(ctx, s)
	}
}
