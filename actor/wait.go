package actor

import (
	"fmt"
	"time"
)

// Wait says that a handler of an actor waits, and for which actor.
type Wait struct {
	PID  PID    // The actor that waits.
	Name string // Its name, or "".
	Kind WaitKind
	// On is the actor that must act for the wait to end: it has the message of the ask, or
	// the full lane, or must stop. It may have stopped if Returned is set.
	On     PID
	OnName string // Its name, or "".
	Lane   Lane   // The lane on which the message was, or is to be, sent.
	// Since is when the wait began, as the actor's worker has seen the time last:
	// not later than it did, and earlier at most by what the handler had computed
	// before, and 50 us. It is zero in a CycleError for the wait that is refused.
	Since time.Time
	// Returned says that a handler of On has returned without a reply, and has not sent the
	// message on. It may reply later, or have forgotten it; see [ErrAskTimeout].
	Returned bool
}

// String returns who waits, how, and for whom.
func (w Wait) String() string {
	text := fmt.Sprintf("%s%s (%s) -> %s%s", w.Name, w.PID, w.what(), w.OnName, w.On)
	if w.Returned {
		text += ", whose handler returned without a reply"
	}
	return text
}

func (w Wait) what() string {
	if w.Kind == SendWait {
		return fmt.Sprintf("%s, the %s lane is full", w.Kind, w.Lane)
	}
	return w.Kind.String()
}

// WaitKind says how a handler waits.
type WaitKind uint8

// The kinds of waits.
const (
	AskWait  WaitKind = iota // For an answer.
	SendWait                 // For room in a lane.
	StopWait                 // For another actor's end.
	// LoopWait is for the event loop of the actor, in which a handler of another actor
	// waits; see [Pump]. No handler waits so, but rings can have it as a part.
	LoopWait
	// StartWait is for an answer that comes when another actor has started; see
	// [Reply.WaitFor].
	StartWait

	numWaitKinds = 5
)

// String returns the kind's name in lower case.
func (k WaitKind) String() string {
	if k < numWaitKinds {
		return [numWaitKinds]string{"ask", "send", "stop", "loop", "start"}[k]
	}
	return fmt.Sprintf("WaitKind(%d)", uint8(k))
}

func (e edge) describe() Wait {
	w := Wait{
		PID: e.from.pid, Name: e.from.opts.name, Kind: e.kind,
		On: e.to.pid, OnName: e.to.opts.name, Lane: e.lane, Returned: e.returned,
	}
	if e.since != 0 {
		w.Since = e.from.sys.scheduler.TimeOf(e.since)
	}
	return w
}

// looksAtClock returns about what time it is, since the scheduler's start. It is
// called by a handler of p that is about to wait.
func (p *proc) looksAtClock() time.Duration {
	if f := p.frame.Fiber(); f != nil && !p.sys.simulated {
		return f.LookedAt()
	}
	return p.sys.scheduler.SinceStart(p.sys.clock.Now())
}

// Waits returns what the handlers of the system's actors wait for, of other
// actors: the edges of the wait graph, each as it was at a moment of its own.
// Waits for anything else, or for an actor that nobody can name, are
// not among them; see [CycleError]. It costs some nanoseconds for each actor.
func (s *System) Waits() []Wait {
	if s.missing() {
		return nil
	}
	var all []Wait
	s.eachProc(func(p *proc) {
		for _, e := range p.EdgesFor(nil) {
			all = append(all, e.describe())
		}
	})
	return all
}
