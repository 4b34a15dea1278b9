package actor

import (
	"sync/atomic"
	"time"
)

// watchdog looks after the handlers of a system that may take too long. While such
// handlers run, a goroutine visits all fibers from time to time; otherwise there
// is none. See handlerWatch for how it tells one handler from the next.
//
// A timer for each handler would have to be started and stopped for each
// message, and hardly any ever fires.
type watchdog struct {
	sys *System
	// awake is set while the goroutine looks. Written by it, and by the goroutine
	// that starts it.
	awake atomic.Bool
	// grain is the shortest time that any watch is about, in nanoseconds, or 0.
	// Written by spawns.
	grain atomic.Int64
}

const (
	// looks is how often a handler is looked at in the shortest time: it is found
	// up to two looks late, which is a quarter.
	looks = 8
	// lookMin and lookMax bound the time between two looks. A look costs some us.
	lookMin = time.Millisecond
	lookMax = 100 * time.Millisecond
	// idleLooks is how many looks in a row must find nothing to watch before the
	// goroutine ends. Its start costs about 1 us.
	idleLooks = 8
)

// refine makes the looks frequent enough for a time d.
func (v *watchdog) refine(d time.Duration) {
	for {
		g := v.grain.Load()
		if g != 0 && g <= int64(d) || v.grain.CompareAndSwap(g, int64(d)) {
			return
		}
	}
}

func (v *watchdog) pause() time.Duration {
	return min(lookMax, max(lookMin, time.Duration(v.grain.Load())/looks))
}

// rouse makes sure that somebody looks. It is called after a watch was opened,
// and costs one load if somebody does. If a watchdog falls asleep while a goroutine
// opens a watch, one of them sees the other.
func (v *watchdog) rouse() {
	if !v.awake.Load() && !v.sys.simulated && v.awake.CompareAndSwap(false, true) {
		go v.run()
	}
}

func (v *watchdog) run() {
	timer := time.NewTimer(v.pause())
	defer timer.Stop()
	for idle := 0; idle < idleLooks; {
		select {
		case <-timer.C:
		case <-v.sys.stopped:
			return // Handlers that were killed may be left. There is nothing to be done about them.
		}
		idle++
		if v.look() {
			idle = 0
		}
		timer.Reset(v.pause())
	}
	v.awake.Store(false)
	if v.look() {
		v.rouse()
	}
}

// look deals with all handlers that are under way. It returns false if there
// are no activations to be watched.
func (v *watchdog) look() (found bool) {
	now := v.sys.uptime()
	var due []finding
	v.sys.scheduler.Notes(func(note any, goroutine uint64) {
		d, ok := note.(*desk)
		if !ok {
			return
		}
		s := d.handlerWatch.Load()
		if s == nil {
			return
		}
		p := s.who.Load()
		if p == nil || p.sys != v.sys {
			return
		}
		found = true
		if s.observe(v, now) {
			due = append(due, finding{s, p, goroutine})
		}
	})
	for _, f := range due {
		v.act(f, now)
	}
	return found
}

// Handlers returns the handlers that are watched and have been under way at
// least since the watchdog's last look, some ms ago: the handlers of actors
// with a timeout, and all if slow or blocked ones are reported to Config or a [Probe].
// It costs about 100 ns for each piece of work that has begun.
func (s *System) Handlers() (all []HandlerReport) {
	if s.missing() {
		return nil
	}
	now := s.uptime()
	s.scheduler.Notes(func(note any, goroutine uint64) {
		d, ok := note.(*desk)
		if !ok {
			return
		}
		sp := d.handlerWatch.Load()
		if sp == nil {
			return
		}
		if p := sp.who.Load(); p != nil && p.sys == s {
			if r, ok := sp.present(p, now, goroutine); ok {
				all = append(all, r)
			}
		}
	})
	return all
}

// present describes the handler, if it has been seen before.
func (s *handlerWatch) present(p *proc, now time.Duration, goroutine uint64) (HandlerReport, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.turn.Load()
	if n&1 == 0 || n != s.seen {
		return HandlerReport{}, false
	}
	r := s.report(p, now-s.since, goroutine)
	if w := s.timing.Load(); w != nil {
		r.Limit = w.slow
	}
	return r, s.turn.Load() == n && s.who.Load() == p
}

// finding is a handler about which something may be due.
type finding struct {
	*handlerWatch
	p         *proc
	goroutine uint64
}

// observe takes note of the turn. It reports whether it is the same as before,
// and something is due about its handler.
func (s *handlerWatch) observe(v *watchdog, now time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.turn.Load()
	if n != s.seen {
		s.turnTo(v, n, now)
		return false
	}
	w := s.timing.Load()
	return n&1 != 0 && w != nil && s.due(w, now-s.since) != 0
}

// turnTo begins to watch turn n. The caller holds mu.
func (s *handlerWatch) turnTo(v *watchdog, n uintptr, now time.Duration) {
	if s.putOff { // The last handler has returned before its report could be given.
		v.sys.blockedReports.suppressed.Add(1)
	}
	s.seen, s.since, s.done, s.putOff = n, now, 0, false
}

// due returns what is to be done about a handler that has lasted for so long.
// The caller holds mu.
func (s *handlerWatch) due(w *timing, lasted time.Duration) (todo duties) {
	for do, limit := range s.limits(w) {
		if limit > 0 && lasted >= limit {
			todo |= duty(TimeoutAction(do))
		}
	}
	if w.slow > 0 && lasted >= w.slow {
		todo |= dutySlow
	}
	return todo &^ s.done
}

// limits returns the limits of what is being handled.
func (s *handlerWatch) limits(w *timing) (l limits) {
	switch d := s.chosen.Load(); {
	case !w.strict || w.choose != nil && d < 0:
	case w.choose != nil && d > 0:
		l[w.chosen] = time.Duration(d)
	default:
		l = w.limits[handlerKind(s.kind.Load()).row()]
	}
	return l
}

// act does what is due, of several actions only the strictest, unless the
// handler has returned meanwhile.
func (v *watchdog) act(f finding, now time.Duration) {
	s := f.handlerWatch
	s.mu.Lock()
	w := s.timing.Load()
	s.marked.Store(s.seen)
	if s.turn.Load() != s.seen || w == nil || s.who.Load() != f.p {
		s.mu.Unlock()
		return
	}
	lasted, turn := now-s.since, s.seen
	todo, limits := s.due(w, lasted), s.limits(w)
	s.done |= todo
	if todo&dutySlow != 0 {
		s.late, s.began, s.putOff = s.seen, s.since, false
	}
	r := s.report(f.p, lasted, f.goroutine)
	do, timedOut := todo.strictest()
	if timedOut {
		r.Action, r.Limit = do, limits[do]
		timedOut = v.carryOut(f, r)
	}
	s.mu.Unlock()
	if timedOut {
		v.sys.tellTimeout(r)
	}
	if todo&dutySlow != 0 {
		r.Action, r.Limit = 0, w.slow
		if !v.sys.give(&v.sys.blockedReports, r) {
			s.putOffReport(v, turn)
		}
	}
}

// putOffReport has a later look report the handler of a turn, since too many others were
// reported in this second.
func (s *handlerWatch) putOffReport(v *watchdog, n uintptr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen != n {
		v.sys.blockedReports.suppressed.Add(1)
		return
	}
	s.done &^= dutySlow
	s.putOff = true
}

// strictest returns the strictest action, or false if there is none.
func (d duties) strictest() (TimeoutAction, bool) {
	for do := TimeoutStop; ; do-- {
		if d&duty(do) != 0 {
			return do, true
		}
		if do == TimeoutWarn {
			return 0, false
		}
	}
}

// carryOut does what r says, to the incarnation whose handler it is. It returns
// false if that has been killed.
func (v *watchdog) carryOut(f finding, r HandlerReport) bool {
	reason := &TimeoutError{PID: r.PID, Name: r.Name, Kind: r.Kind, Handler: r.Handler, Message: r.Message, Limit: r.Limit}
	n := uint32(f.incarnation.Load())
	switch r.Action {
	case TimeoutStop:
		return f.p.killOnly(n, reason)
	case TimeoutCancel:
		return f.p.cancelOnly(n, reason)
	default:
		return f.p.isPresent(n)
	}
}

// In a simulation, where time is exact and costs nothing, each handler has a
// timer.

// setAlarm watches a handler that has just begun.
func (v *watchdog) setAlarm(s *handlerWatch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, p := s.turn.Load(), s.who.Load()
	s.turnTo(v, n, v.sys.uptime())
	s.alarm = nil
	if next, ok := s.next(0); ok {
		s.alarm = v.sys.clock.AfterFunc(next, func() { v.ring(s, p, n) })
	}
}

// next returns how long it is until something is due about a handler that has
// lasted for so long. The caller holds mu.
func (s *handlerWatch) next(lasted time.Duration) (next time.Duration, ok bool) {
	w := s.timing.Load()
	limits := s.limits(w)
	for _, limit := range append(limits[:], w.slow) {
		if limit > lasted && (!ok || limit-lasted < next) {
			next, ok = limit-lasted, true
		}
	}
	return next, ok
}

func (v *watchdog) ring(s *handlerWatch, p *proc, n uintptr) {
	if s.turn.Load() != n || s.who.Load() != p {
		return
	}
	v.act(finding{s, p, 0}, v.sys.uptime())
	s.mu.Lock()
	defer s.mu.Unlock()
	next, ok := s.next(v.sys.uptime() - s.since)
	if s.putOff {
		next, ok = time.Second, true
	}
	if ok && s.turn.Load() == n {
		s.alarm.Reset(next)
	}
}

// uptime is the time since the system began.
func (s *System) uptime() time.Duration { return s.clock.Since(s.born) }
