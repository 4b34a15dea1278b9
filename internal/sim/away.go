package sim

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/gid"
)

// The work of a step may be blocked in something that this module does not know, such as a
// channel, time.Sleep or a connection of a sql.DB. Then the step is away: the stepper goes
// on with other work, which may wake it, or with time. A step that was woken runs beside
// the steps of others up to the place where it enters this module. There it waits for its
// turn, like work that was queued. So the schedule decides when it goes on, and only the
// program's own code before that place runs beside others.

// absence is what there is to say of a step that is away.
type absence struct {
	of *carrier
	// away is set by the stepper while the step is blocked, and read by its goroutines.
	away atomic.Bool
	lost atomic.Bool // The simulation has ended before the step had its turn.
	// The rest is the stepper's.
	number    int // Among all that were away.
	on        any // The host's name for it.
	goroutine gid.ID
}

// Returns is a step that was blocked, as its host sees it.
type Returns struct{ step *step }

// AwaitTurn has the calling goroutine, which runs the step, wait until the schedule takes
// the step up again. If that has happened, it does nothing.
func (r Returns) AwaitTurn() {
	if r.step != nil {
		r.step.awaitTurn()
	}
}

func (s *step) awaitTurn() {
	if !s.away.Load() || s.lost.Load() {
		return
	}
	t := &turn{ch: make(chan struct{}), step: s}
	s.engine.Arrive(Entry{Host: returning{s.entry.Host}, Work: s.entry.Work, Priority: s.entry.Priority, turn: t})
	select {
	case <-t.ch:
	case <-s.engine.ended:
		s.lost.Store(true)
		runtime.Goexit() // Nobody would run what the work does next.
	}
}

// letGo notes that the step is blocked.
func (e *Engine) letGo(s *step) {
	e.absences++
	s.number = e.absences
	s.on, s.goroutine = s.entry.Host.Blocked(Returns{s})
	setAway(s.goroutine, s)
	s.away.Store(true)
	e.gone = append(e.gone, s)
	e.away.Add(1)
	e.Trace("blocks", "%s", s.name())
	e.endStep(true)
}

// takeUp has a step go on that was away.
func (e *Engine) takeUp(s *step) {
	e.gone = slices.DeleteFunc(e.gone, func(g *step) bool { return g == s })
	e.away.Add(-1)
	setAway(s.goroutine, nil)
	s.entry.Host.Back(s.on)
	s.on = nil
	s.away.Store(false)
}

func (s *step) name() string { return strings.TrimSuffix(s.entry.Host.Name(s.entry.Work), goesOn) }

const goesOn = " (goes on)"

// blocked says which work is blocked outside of this module, and where.
func (e *Engine) blocked() (waits []string) {
	for _, s := range e.gone {
		if s.lost.Load() {
			waits = append(waits, s.name()+" has not ended")
			continue
		}
		waits = append(waits, s.name()+" is blocked in an operation outside of this module, "+s.entry.Host.Where(s.on))
	}
	return waits
}

// ComeBack has the caller wait for its turn if it runs a step that was blocked. It reports
// whether it runs such a step. Callers hold no lock. It costs one load outside of simulations.
func ComeBack() bool {
	s := current().away
	if s == nil {
		return false
	}
	s.awaitTurn()
	return true
}

// comeBack is ComeBack at the cost of one load where no step is away.
func (e *Engine) comeBack() {
	if e.away.Load() != 0 {
		ComeBack()
	}
}

// isBeside reports whether the caller runs a step that was blocked and has not had its turn.
func (e *Engine) isBeside() bool { return e.away.Load() != 0 && current().away != nil }

// returning is the host of steps that wait for their turn to go on.
type returning struct{ Host }

func (r returning) Name(work any) string {
	return strings.TrimSuffix(r.Host.Name(work), goesOn) + goesOn
}

// Order puts steps that return behind what else has the same name.
func (r returning) Order(work any) (kind string, number uint64) {
	kind, number = r.Host.Order(work)
	return kind + " (returns)", number
}

// byAbsence puts those that return in the order in which they were blocked.
func byAbsence(a, b Entry) int {
	if a.turn == nil || b.turn == nil || a.turn.step == nil || b.turn.step == nil {
		return 0
	}
	return cmp.Compare(a.turn.step.number, b.turn.step.number)
}
