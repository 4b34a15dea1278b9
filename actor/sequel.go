package actor

import (
	"fmt"
	"reflect"

	"github.com/troupe-go/troupe/internal/workers"
)

// process is the actor around a body: its handlers look at the messages, keep
// those that the body does not want now, and hand over the others. It goes from
// message to message like any actor, so whatever is true of handlers is true of
// the body between two receives; see body.
type process[M any] struct {
	main func(p *Process[M]) error
	body body
	// The rest is the body's while it runs, and else the handler's.
	m     M            // The message for the body, and
	view  *scope       // its Context, if that is a view.
	match func(M) bool // Matches the messages it waits for; nil for any.
	// chosen says that the receive has found its message among those that were
	// kept. It lies before the others of its lane again, and nothing else will do:
	// else what comes later could be before it in the stash.
	chosen bool
	from   Lane                     // Of the chosen message.
	exited func(Exit) M             // See Process.TrapExits.
	downs  map[Monitor]func(Exit) M // See Process.Monitor.
}

var (
	_ Starter[int] = (*process[int])(nil)
	_ Stopper[int] = (*process[int])(nil)
	_ Watcher[int] = (*process[int])(nil)
	_ Trapper[int] = (*process[int])(nil)
	_ sequel       = (*process[int])(nil)
	_ kinded       = (*process[int])(nil)
)

// sequel is a process, as code sees it that is the same for all types of
// messages.
type sequel interface {
	// alarmed is the hook that follows signal.alarm.
	alarmed() error
}

// check is called by the spawn.
func (s *process[M]) check() error {
	if s.main == nil {
		return errNilBody
	}
	return nil
}

func (s *process[M]) standsFor() (code uintptr, other any) {
	return reflect.ValueOf(s.main).Pointer(), nil
}

// Started begins the body, and returns when that waits for a message.
func (s *process[M]) Started(x *Context[M]) error {
	switch own, ok := x.own().(*process[M]); {
	case !ok || own != s:
		return fmt.Errorf("actor: %s has a process among others; a process must be the whole of its actor", x.p)
	case s.body.scope != nil:
		return fmt.Errorf("actor: %s is a process that was begun before; make one for each incarnation", x.p)
	}
	p := &Process[M]{scope: &x.scope, proc: s}
	return s.body.begin(&x.scope, func() error { return s.main(p) })
}

// Receive hands m to the body if that wants it now.
func (s *process[M]) Receive(x *Context[M], m M) error {
	if s.body.scope != x.home() {
		return fmt.Errorf("actor: %s has a process in itself; a process must be the whole of its actor", x.p)
	}
	if s.view = nil; x.view() != nil {
		s.view = &x.scope
	}
	err := s.offer(x.lane, m, x.asked)
	s.view = nil
	if err == errNotGiven && x.p.opts.retry == 0 { //nolint:errorlint // Offer wraps nothing. By WithRetry it is one anyway.
		x.p.deadLetter(x.lane, letter{m, x.asked}, ErrKilled)
	}
	return err
}

// errNotGiven says that the body does not get the message, since it was killed.
var errNotGiven = fmt.Errorf("actor: the process has no use for the message: %w", ErrKilled)

// offer is Receive for a message, and for what is made of a signal.
func (s *process[M]) offer(which Lane, m M, asked address) error {
	switch {
	case s.chosen && which == s.from:
		s.chosen = false
	case s.chosen, s.match != nil && !s.match(m):
		return s.keep(which, m, asked)
	}
	if !s.body.claim() {
		return errNotGiven
	}
	s.m = m
	return s.body.goOn(nil, which)
}

// keep puts m into the stash.
func (s *process[M]) keep(which Lane, m M, asked address) error {
	x := s.body.scope.typed.(*Context[M])
	p := x.p
	p.mu.Lock()
	if x.absent() != nil {
		p.mu.Unlock()
		return errNotGiven
	}
	e := x.extraLocked()
	full := len(e.stash) >= p.opts.stash
	kept := stashed[M]{lane: which, m: m, asked: asked.kept()}
	if x.lane == which { // Else it was made of a signal.
		kept.tries = p.triedLocked(which)
	}
	e.stash = append(e.stash, kept)
	p.mu.Unlock()
	s.body.kept[which]++
	if full && !s.chosen && s.body.claim() {
		return s.body.goOn(fmt.Errorf("%s keeps %d messages that do not match: %w", p, p.opts.stash+1, ErrStashFull), which)
	}
	return nil
}

// look finds the first message that was kept and matches, and puts it back
// before the others of its lane.
func (s *process[M]) look(match func(M) bool) error {
	for which := numLanes - 1; which >= 0; which-- {
		if s.body.kept[which] == 0 {
			continue
		}
		x := s.body.scope.typed.(*Context[M])
		x.p.mu.Lock()
		if err := x.absent(); err != nil {
			x.p.mu.Unlock()
			return err
		}
		all := x.extra.stash
		x.p.mu.Unlock()
		for i := range all {
			if all[i].lane == Lane(which) && (match == nil || match(all[i].m)) {
				return s.choose(x, i)
			}
		}
	}
	return nil
}

// choose puts the i-th message of the stash back into its lane.
func (s *process[M]) choose(x *Context[M], i int) error {
	p := x.p
	p.mu.Lock()
	if err := x.absent(); err != nil {
		p.mu.Unlock()
		return err
	}
	all := x.extra.stash
	which := all[i].lane
	l := p.laneLocked(which)
	p.comesBackLocked(which, 1, all[i].tries)
	p.putBackLocked(which, l, 1)
	putFirst(l, all[i].m, all[i].asked.orNobody())
	p.limit(which, l)
	x.extra.stash = without(all, i)
	p.mu.Unlock()
	s.body.kept[which]--
	s.chosen, s.from = true, which
	p.announce(s.body.running(), which.bit())
	return nil
}

// without removes the i-th message, by a move of the shorter part.
func without[M any](all []stashed[M], i int) []stashed[M] {
	last := len(all) - 1
	if i < last/2 {
		copy(all[1:i+1], all[:i])
		clear(all[:1])
		return all[1:]
	}
	copy(all[i:], all[i+1:])
	clear(all[last:])
	if last == 0 && cap(all) > keepMessages {
		return nil
	}
	return all[:last]
}

// Down makes a message of the end of an actor that the process monitors.
func (s *process[M]) Down(_ *Context[M], m Monitor, e Exit) error {
	told := s.downs[m]
	delete(s.downs, m)
	return s.offer(Data, told(e), address{})
}

// Exited handles the end of an actor that the process is linked to.
func (s *process[M]) Exited(_ *Context[M], e Exit) error {
	switch {
	case s.exited != nil:
		return s.offer(Data, s.exited(e), address{})
	case e.Reason != nil:
		return &LinkedError{PID: e.PID, Name: e.Name, Reason: e.Reason}
	}
	return nil
}

// Stopped has the body come to its end.
func (s *process[M]) Stopped(_ *Context[M], reason error) {
	if reason == nil {
		reason = ErrStopped
	}
	s.body.finish(reason)
}

// alarmed ends a receive whose time is up.
func (s *process[M]) alarmed() error {
	b := &s.body
	if s.chosen || !b.claim() {
		return nil
	}
	err := b.late(b.scope.p.sys.clock.Now())
	if err == nil {
		b.state.Store(bodyWaiting)
		b.rouse(nil)
		return nil
	}
	return b.goOn(err, Data)
}

var _ workers.Runner = (*body)(nil)
