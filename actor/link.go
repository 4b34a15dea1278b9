package actor

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/internal/workers"
)

// Trapper is implemented by an actor that survives the ends of those it is
// linked to. Exited runs like a handler of the actor, in place of its own end,
// and also when the other one has ended without a reason. An error ends the
// actor, as one from Receive does. Exited comes when all messages have been
// handled that the other one sent before its end; see [Watcher].
type Trapper[M any] interface {
	Exited(ctx *Context[M], e Exit) error
}

// link ties two actors. Both have the same one, so a signal that belongs to a
// link that was undone meanwhile is recognised.
type link struct{ _ byte }

// signal tells an actor of the end of another one.
type signal struct {
	exit  Exit
	link  *link  // The link that tells the actor, or
	watch *watch // the monitor.
	alarm bool   // It is none of both: the receive of a process has waited long enough, or see Wakeful.
	after func() // It is none of these: see AfterBacklog.
	mark  mark   // If it has a place among the messages.
}

// Link ties the fates of this actor and another. When an incarnation of either
// ends for a reason, the incarnation of the other ends too, at once, with a
// [*LinkedError]; its parent may restart it. It does not matter which of them
// has called Link, nor how often. An actor that is a [Trapper] is told instead.
// An end without a reason takes nobody along.
//
// Links end with the incarnation: one that begins again has none. Linking to an
// actor that is held ties its next incarnation. If no actor has the PID any
// more, this one gets the signal nevertheless, with the reason [ErrStalePID].
// Linking an actor to itself does nothing, and to the zero PID is an error.
//
// Link follows the documentation of Erlang/OTP on links, where a restart is a
// new process; what there is noproc is ErrStalePID here.
func (c *scope) Link(id PID) error {
	if id == (PID{}) {
		return fmt.Errorf("actor: %s links to the zero PID, which is nobody's; a valid one comes from Ref.PID", c.p)
	}
	p := c.p
	if id == p.pid {
		return nil
	}
	other := p.sys.lookup(id)
	if other != nil && other.isStandIn() {
		return other.elsewhere(fmt.Sprintf("%s links to", p))
	}
	l, err := c.tie(other, id)
	if l != nil {
		p.told(workers.Current(c), &signal{exit: Exit{PID: id, Reason: ErrStalePID}, link: l})
	}
	return err
}

// tie makes the link. It returns it if there is nobody at the other end.
func (c *scope) tie(other *proc, id PID) (*link, error) {
	p := c.p
	defer lockBoth(p, other)()
	if err := c.absent(); err != nil {
		return nil, fmt.Errorf("%s links to %s: %w", p, id, err)
	}
	r := p.rareLocked()
	if r.links[id] != nil {
		return nil, nil
	}
	l := &link{}
	r.tie(id, l)
	if other == nil || other.stopped.Load() {
		return l, nil
	}
	other.rareLocked().tie(p.pid, l)
	return nil, nil
}

func (r *rare) tie(id PID, l *link) {
	if r.links == nil {
		r.links = map[PID]*link{}
	}
	r.links[id] = l
}

// Unlink undoes a link, whichever of the two actors has made it. After it has
// returned, no signal of that link comes any more. It does nothing if there is
// no link.
func (c *scope) Unlink(id PID) error {
	p := c.p
	other := p.sys.lookup(id)
	if other == p {
		return nil
	}
	defer lockBoth(p, other)()
	if err := c.absent(); err != nil {
		return fmt.Errorf("%s unlinks %s: %w", p, id, err)
	}
	p.untie(id)
	if other != nil {
		other.untie(p.pid)
	}
	return nil
}

// untie removes a link and returns it, or nil. The caller holds mu.
func (p *proc) untie(id PID) *link {
	if p.rare == nil {
		return nil
	}
	l := p.rare.links[id]
	delete(p.rare.links, id)
	return l
}

// lockBoth locks p and other, which may be nil, and returns how to unlock them.
// The order of the PIDs' slots keeps two who do this from waiting for each
// other.
func lockBoth(p, other *proc) (unlock func()) {
	if other == nil {
		p.mu.Lock()
		return p.mu.Unlock
	}
	first, second := p, other
	if other.pid.slot < p.pid.slot {
		first, second = other, p
	}
	first.mu.Lock()
	second.mu.Lock()
	return func() {
		second.mu.Unlock()
		first.mu.Unlock()
	}
}

// absent returns why c can't act for its actor any more, or nil. The caller
// holds the proc's mu.
func (c *scope) absent() error {
	switch p := c.p; {
	case c.home().fence.Load():
		return ErrFenced
	case p.stopped.Load() || p.incarnation != c.incarnation:
		return ErrStopped
	}
	return nil
}

// sever ends the links and monitors that the present incarnation has, and
// tells those it was linked to. The entries at the other ends stay until the
// signals are handled there, so that Unlink can still make them void.
func (p *proc) sever(f *workers.Fiber, reason error) {
	p.mu.Lock()
	ties := p.severLocked()
	p.mu.Unlock()
	ties.tell(f, p, reason)
}

// ties are the links and monitors that an incarnation has had.
type ties struct {
	links    map[PID]*link
	watching map[uint64]*watch
}

// severLocked is the part of sever that is done under mu.
func (p *proc) severLocked() (t ties) {
	p.incarnation++ // Its Context acts for it no more.
	if r := p.rare; r != nil {
		t.links, r.links = r.links, nil
		t.watching, r.watching = r.watching, nil
		p.unmarkSignals()
	}
	return t
}

// tell makes the end of p, or of its incarnation, known at the other ends.
func (t *ties) tell(f *workers.Fiber, p *proc, reason error) {
	for _, w := range t.watching {
		w.withdraw()
	}
	ids := make([]uint64, 0, len(t.links)) // In order, so that a simulation is the same each time.
	for id := range t.links {
		ids = append(ids, id.Number())
	}
	slices.Sort(ids)
	for _, n := range ids {
		id := PIDFromNumber(n)
		if other := p.sys.lookup(id); other != nil {
			other.told(f, &signal{exit: Exit{PID: p.pid, Name: p.opts.name, Reason: reason}, link: t.links[id]})
		}
	}
}

// told hands the signal of a link to p: at once if it takes p along, else in
// its place among the messages.
func (p *proc) told(f *workers.Fiber, s *signal) {
	p.mu.Lock()
	traps := p.traits&isTrapper != 0
	if p.rare != nil && p.rare.body != nil {
		traps = p.rare.body.traps
	}
	p.mu.Unlock()
	if traps {
		p.mark(f, s)
		return
	}
	p.post(f, sysMessage{kind: sysSignal, signal: s})
}

// handleSignal deals with the end of an actor that this one is linked to or
// monitors.
func (a *activation) handleSignal(s *signal) {
	if s.after != nil {
		a.callLater(s.after)
		return
	}
	if a.phase.Load() > draining {
		return
	}
	switch {
	case s.watch != nil:
		a.handleDown(s)
		return
	case s.alarm:
		if _, err := a.callHook(a.ctx.Load(), occasion{hook: onAlarm}); err != nil {
			a.fail(err)
		}
		return
	}
	a.mu.Lock()
	valid := a.rare != nil && a.rare.links[s.exit.PID] == s.link
	if valid {
		delete(a.rare.links, s.exit.PID)
	}
	a.mu.Unlock()
	if !valid {
		return
	}
	told, err := a.callHook(a.ctx.Load(), occasion{hook: onExit, exit: s.exit})
	switch {
	case err != nil:
		a.fail(err)
	case !told && s.exit.Reason != nil:
		a.fail(&LinkedError{PID: s.exit.PID, Name: s.exit.Name, Reason: s.exit.Reason})
	}
}
