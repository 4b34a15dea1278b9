package actor

import "slices"

// deadLetter accounts for a message that is not handled.
func (p *proc) deadLetter(which Lane, m letter, reason error) { p.account(which, m, reason, true) }

// account is deadLetter that tells who wants to know, or not.
func (p *proc) account(which Lane, m letter, reason error, tell bool) {
	p.abandon(m, reason)
	p.sys.deadLetters.Add(1)
	if p.sys.simulated {
		p.traceLost(which, m.message, reason)
	}
	o := p.sys.probes.Load()
	if !tell || p.sys.cfg.OnDeadLetter == nil && (o == nil || !o.letters) {
		return
	}
	s := p.subject()
	d := DeadLetter{To: s.PID, Name: s.Name, Kind: s.Kind, Lane: which, Message: m.message, Reason: reason}
	if p.sys.cfg.OnDeadLetter != nil {
		p.sys.tellDeadLetter(d)
	}
	if o != nil {
		o.tellDeadLetter(d)
	}
}

// leftovers is what was in the lanes.
type leftovers struct {
	letters [numLanes]letters
	ticks   [numLanes][]tick
}

// take takes all messages out of a lane. The caller is the consumer and holds mu.
func (s *leftovers) take(p *proc, which Lane, l *lane) {
	s.ticks[which] = p.takeTicks(which, l)
	s.letters[which] = l.empty()
}

// takeRefused takes the messages of timers that have waited for room in a lane, and
// returns the others.
func (s *leftovers) takeRefused(which Lane, refused waiters) waiters {
	return slices.DeleteFunc(refused, func(w *sendWaiter) bool {
		if w.timer != nil {
			s.ticks[which] = append(s.ticks[which], w.timer.mark.of.(tick))
		}
		return w.timer != nil
	})
}

// each calls do with all that was in the lanes, the most urgent first: messages,
// and ticks with theirs.
func (s *leftovers) each(do func(which Lane, m letter, t tick)) {
	for i := range s.letters {
		which := Control - Lane(i)
		if s.letters[which] != nil {
			eachLetter(s.letters[which], func(m letter) { do(which, m, nil) })
		}
		for _, t := range s.ticks[which] {
			do(which, letter{message: t.message()}, t)
		}
	}
}

// deadLetters makes dead letters of what was in the lanes. If a callback
// calls Goexit, there is no call for the others.
func (p *proc) deadLetters(s *leftovers, reason error) {
	told, all := 0, false
	defer func() {
		if all {
			return
		}
		n := 0
		s.each(func(which Lane, m letter, t tick) {
			if n++; n > told {
				p.drop(which, m, t, reason, false)
			}
		})
	}()
	s.each(func(which Lane, m letter, t tick) {
		told++
		p.drop(which, m, t, reason, true)
	})
	all = true
}

// drop makes a dead letter of what was in a lane, a message, which may come from a
// tick, and reports it if tell says so.
func (p *proc) drop(which Lane, m letter, t tick, reason error, tell bool) {
	if t != nil {
		defer t.timed().leaveOwner()
		p.dropTick(which, t, reason, tell)
		return
	}
	p.account(which, m, reason, tell)
}

// dropTick is drop for a tick that leaves its owner otherwise. If its receiver has
// stopped, that one's own timers end with it, so theirs are none.
func (p *proc) dropTick(which Lane, t tick, reason error, tell bool) {
	m := letter{message: t.message()}
	if t.timed().owner == p && p.phase.Load() == stopping {
		p.abandon(m, reason)
		return
	}
	p.account(which, m, reason, tell)
}
