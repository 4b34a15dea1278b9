package actor

import (
	"reflect"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers/recording"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// handlerWatch is what can be seen from outside of the watched handler that runs on a
// fiber. It is part of the fiber's note, and serves one activation after the other.
//
// # Protocol
//
// The activation counts turn up when a handler begins, which makes it odd, and
// when it has returned. Both are plain stores. The watchdog (see there) finds the
// same odd number again and again, and so knows for how long at least the
// handler has been at it. Nobody looks at a clock for a message.
//
// The watchdog must act on that handler and on none after it. So it first sets
// marked to the turn, and then looks whether it is still the turn; the activation
// first moves turn on and then takes marked, by an exchange. One of them sees the
// other. If it is the activation, it waits for mu, which the watchdog has locked all
// the while, and then cleans up after what was done.
//
// Where handlers are only reported, a mark that is overlooked does no harm, and
// the exchange is but a load.
//
// To take the time at each begin and end would cost two readings of the clock.
type handlerWatch struct {
	// Written by the activation, before its first handler and after its last.
	who    xatomic.Glance[proc]
	timing xatomic.Glance[timing]

	turn   xatomic.Step
	marked xatomic.Uintptr
	// The message by its kind and incarnation; written before turn.
	kind        xatomic.Count
	incarnation xatomic.Count
	chosen      atomic.Int64 // 0, or the timeout that was chosen; -1 for none.
	message     xatomic.Glance[string]

	mu    xatomic.Mutex
	seen  uintptr       // The turn that was seen last.
	since time.Duration // When it was seen first, since the system began.
	done  duties        // The actions that were taken about that turn.
	late  uintptr       // The last turn that was found to be slow, and
	began time.Duration // its since.
	// putOff says that the report of the handler is due, and waits for a later second.
	putOff bool
	alarm  alarm // In a simulation.
}

// duties is a set of things to do about a handler: a bit for each
// TimeoutAction, and one for reporting that it is slow.
type duties uint8

const dutySlow duties = 1 << numTimeoutActions

func duty(do TimeoutAction) duties { return 1 << do }

// timing returns what is watched of the actor, or nil.
func (p *proc) timing() *timing {
	if t := p.opts.timeouts; t != nil {
		return t.observed(p.opts.timing, p.sys)
	}
	if w := p.sys.timing; w != nil {
		return w
	}
	if o := p.sys.probes.Load(); o != nil {
		return o.timing
	}
	return nil
}

// openWatch begins to make the activation visible to the watchdog.
func (a *activation) openWatch(w *timing, d *desk) {
	s := d.handlerWatch.Load()
	if s == nil {
		s = &handlerWatch{}
		d.handlerWatch.Store(s)
	}
	if s.timing.Load() != w {
		s.timing.Store(w)
		s.kind.Store(uintptr(sent))
	}
	s.who.Store(a.proc)
	a.handlerWatch, a.noted = s, w.each || a.nature.has(manyTyped) || a.sys.simulated
	if v := &a.sys.watchdog; !v.awake.Load() {
		v.rouse()
	}
}

// closeWatch ends that. It may be called more than once, and is small enough to
// have a place in what each activation does.
func (a *activation) closeWatch() {
	if s := a.handlerWatch; s != nil {
		if a.noted {
			s.message.Store(nil)
		}
		s.who.Store(nil)
	}
}

// plain returns the watch if only the duration of handlers is watched. For such
// handlers begin and end write nothing but the turn, and are small enough to be
// inlined in the loop. Code that changes other fields of the watch must reset them.
func (a *activation) plain() *handlerWatch {
	if a.noted {
		return nil
	}
	return a.handlerWatch
}

// breakWatch ends the turn of a handler or hook that has not returned, but
// panicked or called Goexit: what is watched next has a turn of its own.
func (a *activation) breakWatch() {
	if s := a.handlerWatch; s != nil && s.turn.Load()&1 != 0 {
		a.endWatch(nil)
		s.kind.Store(uintptr(sent))
	}
}

// receiveObserved is Receive, with the Context c, for an actor that is observed,
// or watched.
func (x *Context[M]) receiveObserved(c *Context[M], a *activation, l *lane, which Lane, m M) error {
	var measure measure
	if a.probes != nil {
		if a.probes.marks && a.f.Recorded() {
			var name *string
			if a.impl.messageType().Kind() == reflect.Interface {
				name = nameOf(any(m))
			}
			a.markMessage(name)
		}
		measure = a.beginMeasure(l)
	}
	kind := a.kindOfMessage(&c.scope, l)
	if a.handlerWatch != nil {
		if w := a.handlerWatch.timing.Load(); w.choose != nil {
			a.chosen(w.choose.(func(M) time.Duration)(m))
		}
		if a.nature.has(manyTyped) {
			a.handlerWatch.message.Store(nameOf(any(m)))
		}
		a.beginHandler(kind, x.incarnation)
	}
	if a.turn != nil && a.turn.reads {
		a.beginRead()
	}
	a.serve(c.view(), which)
	err := x.actor.Receive(c, m)
	a.endServing(err)
	if a.handlerWatch != nil {
		a.endWatch(&x.scope)
	}
	if measure.on {
		a.endMeasure(measure, which, kind, err)
	}
	return err
}

// markMessage tells the recorder of the scheduler what is handled now: a message
// of the type with that name, or of the actor's own type.
func (a *activation) markMessage(name *string) {
	if name != nil {
		a.f.Mark(recording.Message, *name)
		return
	}
	a.f.Mark(recording.Message, a.impl.messageType().String())
}

// beginPlain makes known that a message of the lane is being handled from now on, with the Context x. It is
// not inlined: the compiler would copy it for each type of messages.
//
//go:noinline
func (a *activation) beginPlain(s *handlerWatch, x *scope, l *lane) {
	s.kind.Store(uintptr(a.kindOfMessage(x, l)))
	s.turn.Store(s.turn.Load() + 1)
}

// end reports whether the watchdog has dealt with the handler that has returned.
func (s *handlerWatch) end() bool {
	n := s.turn.Load()
	s.turn.Store(n + 1)
	return s.marked.Load() == n
}

// beginHandler makes known that a message is being handled from now on.
func (a *activation) beginHandler(kind handlerKind, incarnation uint32) {
	a.handlerWatch.kind.Store(uintptr(kind))
	a.handlerWatch.incarnation.Store(uintptr(incarnation))
	a.beginWatch()
}

// chosen notes the timeout that the user's function has chosen for a message.
func (a *activation) chosen(d time.Duration) {
	if d < 0 {
		d = -1
	}
	a.handlerWatch.chosen.Store(int64(d))
	if d > 0 {
		a.sys.watchdog.refine(d)
	}
}

// nameOf returns the name of m's type.
func nameOf(m any) *string {
	t := reflect.TypeOf(m)
	if t == nil {
		return nil
	}
	return &messageTypeOf(t).name
}

// watched runs a hook, or other code that is no handler of messages, watched and measured.
func (a *activation) watched(what handlerKind, code func() error) error {
	if a.probes == nil || a.probes.mask < 0 {
		return a.watchedOnly(what, code)
	}
	began := a.sys.uptime()
	err := a.watchedOnly(what, code)
	if !a.lost {
		a.probes.tellHandled(Sample{Subject: a.subject(), Handler: what.String(), Latency: -1, Duration: a.sys.uptime() - began, Err: err})
	}
	return err
}

func (a *activation) watchedOnly(what handlerKind, code func() error) error {
	if a.handlerWatch == nil {
		return code()
	}
	s, x := a.handlerWatch, a.ctx.Load()
	s.incarnation.Store(uintptr(x.incarnation))
	s.kind.Store(uintptr(what))
	s.chosen.Store(0)
	s.message.Store(nil)
	a.beginWatch()
	err := code()
	a.endWatch(x)
	s.kind.Store(uintptr(sent))
	return err
}

func (a *activation) beginWatch() {
	s := a.handlerWatch
	s.turn.Store(s.turn.Load() + 1)
	if a.sys.simulated {
		a.sys.watchdog.setAlarm(s)
	}
}

// endWatch ends the turn of a handler that has returned. X is its context, or nil
// if it has left in another way.
func (a *activation) endWatch(x *scope) {
	s := a.handlerWatch
	n := s.turn.Load()
	s.turn.Store(n + 1)
	if s.alarm != nil {
		s.alarm.Stop()
	}
	marked := uintptr(0)
	if s.timing.Load().strict {
		marked = s.marked.Swap(0)
	} else {
		marked = s.marked.Load()
	}
	if marked == n {
		a.tidyWatch(x, n)
	}
}

// tidyWatch cleans up after a handler that the watchdog has dealt with.
func (a *activation) tidyWatch(x *scope, n uintptr) {
	s := a.handlerWatch
	s.mu.Lock()
	began, late := s.began, s.late == n
	s.mu.Unlock()
	if x != nil {
		x.renew()
	}
	if w := s.timing.Load(); late && w.slow > 0 {
		r := s.report(a.proc, a.sys.uptime()-began, 0)
		r.Limit = w.slow
		a.sys.giveOrCount(&a.sys.slowReports, r)
	}
}

// report describes the handler.
func (s *handlerWatch) report(p *proc, lasted time.Duration, goroutine uint64) HandlerReport {
	kind := handlerKind(s.kind.Load())
	r := HandlerReport{
		PID: p.pid, Name: p.opts.name, Kind: p.ctx.Load().kind.Load().name, Handler: kind.String(), For: lasted, Goroutine: goroutine,
	}
	if !kind.isMessage() {
		return r
	}
	if r.Message = p.impl.messageType().String(); s.message.Load() != nil {
		r.Message = *s.message.Load()
	}
	return r
}
