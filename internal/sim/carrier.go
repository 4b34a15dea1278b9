package sim

import "sync/atomic"

// A step runs on a goroutine of its own, its carrier, while the stepper waits until all
// goroutines of the bubble are blocked. Then the step is over, or its work is blocked in
// something that this module does not know; see away.go.

// carrier is a goroutine that runs steps, one after the other.
type carrier struct {
	engine *Engine
	begin  chan struct{}
	step   step
}

// step is a piece of work that was begun.
type step struct {
	engine *Engine
	entry  Entry
	phase  atomic.Uint32 // Written by the carrier, read by the stepper.
	absence
}

// The phases of a step.
const (
	stepRuns   uint32 = iota
	stepEnds          // The work is done, and the checks are made.
	stepOver          // The carrier waits for the next one.
	stepExited        // The work has called Goexit, which ends the carrier.
)

// carry has a carrier run the step of an entry.
func (e *Engine) carry(entry Entry) *step {
	var c *carrier
	if last := len(e.idle) - 1; last >= 0 {
		c, e.idle = e.idle[last], e.idle[:last]
	} else {
		c = &carrier{engine: e, begin: make(chan struct{}, 1)}
		c.step.engine = e
		go c.run()
	}
	s := &c.step
	s.entry, s.of = entry, c
	s.phase.Store(stepRuns)
	c.begin <- struct{}{}
	return s
}

func (c *carrier) run() {
	s, e := &c.step, c.engine
	over := stepExited
	defer func() {
		if over == stepExited {
			s.end(over)
		}
	}()
	for range c.begin {
		s.entry.Host.Step(s.entry.Work, s.entry.Priority)
		if s.end(stepOver); e.Over() { // Nobody closes begin any more.
			break
		}
	}
	over = stepOver
}

// end ends the step on its carrier.
func (s *step) end(over uint32) {
	if !s.away.Load() { // Else the simulation is over, and the stepper has left.
		s.phase.Store(stepEnds)
		s.engine.endStep(over == stepOver)
	}
	s.phase.Store(over)
}

// endStep does what comes between a step and the next one.
func (e *Engine) endStep(check bool) {
	e.inStep.Store(false)
	if check && e.after != nil {
		e.after()
	}
	e.flush()
}

// lookAfter is called when everything is blocked after a step was begun. It returns true if
// others may run now by what it has done.
func (e *Engine) lookAfter() bool {
	s := e.present
	if s == nil {
		return false
	}
	e.present = nil
	switch {
	case s == &guestStep:
		e.endStep(true)
		return true
	case s.phase.Load() == stepOver:
		e.idle = append(e.idle, s.of)
	case s.phase.Load() == stepExited:
	case s.phase.Load() == stepEnds:
		e.outage = ErrCheckBlocked{}
	default:
		e.letGo(s)
		return true
	}
	return false
}

// guestStep is the step of a goroutine outside, which is over when everything is blocked.
var guestStep step

// dismiss ends the carriers that wait for a step.
func (e *Engine) dismiss() {
	for _, c := range e.idle {
		close(c.begin)
	}
	e.idle = nil
}

// ErrCheckBlocked is why an engine gave up when a check that is made after each step is
// blocked.
type ErrCheckBlocked struct{}

func (ErrCheckBlocked) Error() string {
	return "a check that is made after each step is blocked; it must not wait"
}
