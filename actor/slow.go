package actor

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// HandlerReport tells of a handler that takes, or has taken, long.
type HandlerReport struct {
	PID  PID
	Name string // Of the actor, or "".
	Kind string // Of the actor, see [Info].
	// Handler says what runs. Of a message it is how that came: "ask" if it belongs to an
	// ask, see [Reply]; "timer" if a timer has sent it, though "send" if it is handled again, from a stash or
	// by [WithRetry]; else "send". A hook has the name of its method: "Started", "Stopped", "Leave", "ChildExited",
	// "ChildStarted", "Down", "Exited", "Health" or "Woken". It is "New" for the function that makes the actor, and
	// "signal" for a [Process] that goes on since an actor has ended or a time is up.
	Handler string
	// Message is the type of the message; of one that was found in an interface,
	// the type of what is in it. It is "" where there is none, as in a hook.
	Message string
	// For is how long the handler has taken at least, waits included. It is
	// measured as coarsely as handlers are watched; see [WithHandlerTimeout].
	For time.Duration
	// Limit is which time it has exceeded.
	Limit time.Duration
	// Action is what was done about it, in a report to Config.OnTimeout.
	Action TimeoutAction
	// Goroutine is the number under which stack dumps list the handler's
	// goroutine, or 0 if it is not known.
	Goroutine uint64
	// Suppressed is how many reports of the same kind were left out just before,
	// since there are at most 50 a second. Config.OnBlocked leaves out a handler only if
	// that returns before its turn has come.
	Suppressed uint64
}

// Stack returns what the handler is doing, or "" if it has returned or is not
// found. It stops the whole program for some us for each goroutine, so it is for
// the case that somebody wants to know.
func (r HandlerReport) Stack() string { return workers.StackOf(r.Goroutine) }

// String says who has taken how long with what.
func (r HandlerReport) String() string {
	return fmt.Sprintf("%s%s %s: %v", r.Name, r.PID, r.Doing(), r.For)
}

// Doing says in words what runs: "with main.order (ask)", or "in Started".
func (r HandlerReport) Doing() string { return describeHandler(r.Message, r.Handler) }

// defaultSlowAfter is the time slice of the Go runtime: others notice
// a handler that takes longer.
const defaultSlowAfter = 10 * time.Millisecond

func (c *Config) reportsSlow() bool { return c.OnSlow != nil || c.OnBlocked != nil }

// slowTiming returns what is watched of actors that have said nothing about it.
func (c *Config) slowTiming() (*timing, error) {
	switch {
	case c.SlowAfter < -1:
		return nil, fmt.Errorf("actor: Config.SlowAfter is %v; it must be positive, 0 for the default, or -1 for never", c.SlowAfter)
	case c.SlowAfter == -1 || !c.reportsSlow():
		return nil, nil
	case c.SlowAfter == 0:
		return &timing{slow: defaultSlowAfter}, nil
	}
	return &timing{slow: c.SlowAfter}, nil
}

// maxReports is how many reports of a kind there are in a second. Picked out of
// thin air; when everything is slow, nobody reads more.
const maxReports = 50

// reports is one kind of reports.
type reports struct {
	name string // Of the function in the configuration.
	tell func(HandlerReport)
	want func(*Probe) func(HandlerReport)

	second     atomic.Int64 // The last in which there was one, since the system began.
	given      atomic.Int64 // In that second.
	suppressed atomic.Uint64
}

// giveReports says who gets which reports.
func (s *System) giveReports() {
	s.slowReports.name, s.slowReports.tell = "OnSlow", s.cfg.OnSlow
	s.slowReports.want = func(p *Probe) func(HandlerReport) { return p.Slow }
	s.blockedReports.name, s.blockedReports.tell = "OnBlocked", s.cfg.OnBlocked
	s.blockedReports.want = func(p *Probe) func(HandlerReport) { return p.Blocked }
	s.timeoutReports.name, s.timeoutReports.tell = "OnTimeout", s.cfg.OnTimeout
	s.timeoutReports.want = func(p *Probe) func(HandlerReport) { return p.TimedOut }
}

// give hands a report to all who want it. It returns false if there were too many in this
// second.
func (s *System) give(kind *reports, r HandlerReport) bool {
	tell, observers := kind.tell, s.probes.Load()
	if tell == nil && observers == nil {
		return true
	}
	second := int64(s.uptime()/time.Second) + 1
	if kind.second.Swap(second) != second {
		kind.given.Store(0)
	}
	if kind.given.Add(1) > maxReports {
		return false
	}
	r.Suppressed = kind.suppressed.Swap(0)
	if tell != nil {
		s.tellContained(kind.name, func() { tell(r) })
	}
	if observers != nil {
		observers.tellReport(kind.want, r)
	}
	return true
}

// giveOrCount is give for a report that is not given later.
func (s *System) giveOrCount(kind *reports, r HandlerReport) {
	if !s.give(kind, r) {
		kind.suppressed.Add(1)
	}
}

// tellContained calls a function of the configuration. Its failure must not make an
// actor fail, nor end the process.
func (s *System) tellContained(what string, tell func()) {
	defer func() {
		if v := recover(); v != nil {
			s.log().Error(what+" panicked", slog.Any("panic", v))
		}
	}()
	tell()
}

// tellTimeout makes known what was done about a handler.
func (s *System) tellTimeout(r HandlerReport) {
	if r.Action != TimeoutStop { // Its end is logged anyway.
		s.log().Warn("handler takes too long", slog.String("pid", r.PID.String()), slog.String("name", r.Name),
			slog.String("kind", r.Kind), slog.String("handler", r.Handler), slog.String("message", r.Message), slog.Duration("limit", r.Limit), slog.String("action", r.Action.String()))
	}
	s.giveOrCount(&s.timeoutReports, r)
}
