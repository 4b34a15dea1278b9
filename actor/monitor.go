package actor

import (
	"fmt"
	"sync"

	"github.com/troupe-go/troupe/internal/workers"
)

// Watcher is implemented by an actor that monitors others. Down runs like a
// handler of the actor when one of them has stopped for good. An error ends the
// actor, as one from Receive does.
//
// Down comes after all messages that this actor had accepted before the other
// one stopped, on whichever lane they are; so it comes after everything that
// the other one had sent it. It takes the place of a Data message, and what is
// sent on Management or Control later may overtake it.
type Watcher[M any] interface {
	Down(ctx *Context[M], m Monitor, e Exit) error
}

// Monitor identifies one call of [Context.Monitor]. It can be compared.
type Monitor struct {
	id  uint64
	pid PID
}

// PID returns the PID of the actor that is monitored.
func (m Monitor) PID() PID { return m.pid }

// watch is a monitor at work. The fields are not changed.
type watch struct {
	monitor Monitor
	target  *proc      // Nil if it had stopped before.
	watcher *proc      // The actor that is told; or
	down    chan Exit  // where, for a watcher that is no actor; or
	told    func(Exit) // by what, for another node.
}

// Monitor makes the actor's Down be called when the actor with the given PID
// stops for good; if it has stopped already, or never was, at once, with the
// reason [ErrStalePID]. A restart is no end: PID and refs stay valid over it,
// and so does the monitor. Several monitors of one actor are independent of
// each other. They end with the incarnation that has made them.
//
// Monitor returns an error if the actor is no [Watcher], or monitors itself.
func (c *scope) Monitor(id PID) (Monitor, error) {
	p := c.p
	if p.traits&isWatcher == 0 {
		return Monitor{}, fmt.Errorf("actor: %s monitors %s, but has no method Down, see Watcher", p, id)
	}
	if id == p.pid {
		return Monitor{}, fmt.Errorf("actor: %s monitors itself; of its own end it is told by the hook Stopped", p)
	}
	w := &watch{monitor: Monitor{p.sys.monitors.Add(1), id}, target: p.sys.lookup(id), watcher: p}
	there, err := c.watch(w)
	if err != nil {
		return Monitor{}, fmt.Errorf("%s monitors %s: %w", p, id, err)
	}
	if !there {
		w.tell(workers.Current(c), w.stale())
	}
	w.target.rewatch()
	return w.monitor, nil
}

func (c *scope) watch(w *watch) (there bool, err error) {
	defer lockBoth(w.watcher, w.target)()
	if err := c.absent(); err != nil {
		return false, err
	}
	r := w.watcher.rareLocked()
	if r.watching == nil {
		r.watching = map[uint64]*watch{}
	}
	r.watching[w.monitor.id] = w
	return w.enter(), nil
}

// enter makes the watch known to its target, if that is there. The caller
// holds the target's mu.
func (w *watch) enter() bool {
	if w.target == nil || w.target.stopped.Load() {
		return false
	}
	r := w.target.rareLocked()
	if r.watchers == nil {
		r.watchers = map[*watch]struct{}{}
	}
	r.watchers[w] = struct{}{}
	return true
}

// stale returns what a watch is told that has come too late.
func (w *watch) stale() Exit { return Exit{PID: w.monitor.pid, Reason: ErrStalePID} }

// withdraw makes the target forget the watch.
func (w *watch) withdraw() {
	if w.target == nil {
		return
	}
	w.target.mu.Lock()
	if r := w.target.rare; r != nil {
		delete(r.watchers, w)
	}
	w.target.mu.Unlock()
	w.target.rewatch()
}

// tell reports the end of the target.
func (w *watch) tell(f *workers.Fiber, e Exit) {
	if w.told != nil {
		w.told(e)
		return
	}
	if w.down != nil {
		w.down <- e // It has room for one, and there is one end.
		close(w.down)
		return
	}
	w.watcher.mark(f, &signal{exit: e, watch: w})
}

// Demonitor ends a monitor. After it has returned, its Down is not called any
// more. It reports whether it was in time: false means that Down was called, or
// that the monitor is not one of this incarnation.
func (c *scope) Demonitor(m Monitor) bool {
	w := c.p.unwatch(m.id, c.incarnation)
	if w == nil {
		return false
	}
	w.withdraw()
	return true
}

// unwatch removes a watch and returns it, or nil.
func (p *proc) unwatch(id uint64, incarnation uint32) *watch {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rare == nil || p.incarnation != incarnation {
		return nil
	}
	w := p.rare.watching[id]
	delete(p.rare.watching, id)
	return w
}

// Monitor returns a channel that gets one Exit when the actor with the given
// PID has stopped for good, and is then closed; see [Context.Monitor]. To stop
// waiting, call cancel, any number of times; the
// channel then stays empty and open, unless the Exit is in it already.
func (s *System) Monitor(id PID) (down <-chan Exit, cancel func()) {
	w := &watch{monitor: Monitor{pid: id}, down: make(chan Exit, 1)}
	if !s.missing() {
		w.target = s.lookup(id)
	}
	there := false
	if w.target != nil {
		w.target.mu.Lock()
		there = w.enter()
		w.target.mu.Unlock()
	}
	if !there {
		w.tell(nil, w.stale())
	}
	w.target.rewatch()
	return w.down, sync.OnceFunc(w.withdraw)
}

// handleDown tells the actor of the end of one that it monitors.
func (a *activation) handleDown(s *signal) {
	x := a.ctx.Load()
	if !x.has(onDown) || a.unwatch(s.watch.monitor.id, x.incarnation) == nil {
		return
	}
	if _, err := a.callHook(x, occasion{hook: onDown, monitor: s.watch.monitor, exit: s.exit}); err != nil {
		a.fail(err)
	}
}
