package inspect

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// ended takes note of the end of an actor or of an incarnation.
func (i *Inspector) ended(e actor.Ending) {
	k := i.counts.of(e.Kind)
	kind := e.Exit.Kind()
	k.exits[kind].Add(1)
	if !e.Held {
		k.handledByGone.Add(e.Handled)
	}
	if kind != actor.Failed && kind != actor.Killed {
		return
	}
	i.diagnose.Failed(e, time.Now())
	f := Failure{Time: time.Now(), Error: cut(e.Reason.Error(), maxError), Exit: kind.String()}
	if p := (*actor.PanicError)(nil); errors.As(e.Reason, &p) {
		f.Stack = string(p.Stack())
	}
	i.failures.add(e.PID, f)
	i.hub.tell(Event{
		Kind: Failed, Level: slog.LevelError, Text: fmt.Sprintf("%s%s has failed: %s", e.Name, e.PID, f.Error),
		PID: e.PID, Name: e.Name, ActorKind: e.Kind, Error: f.Error, Stack: f.Stack,
	})
	if errors.Is(e.Reason, actor.ErrCycle) {
		i.hub.tell(Event{
			Kind: AskCycle, Level: slog.LevelError, Text: f.Error, PID: e.PID, Name: e.Name, ActorKind: e.Kind, Error: f.Error,
		})
	}
}

func (i *Inspector) restarted(s actor.Subject) {
	i.counts.of(s.Kind).restarts.Add(1)
	i.hub.tell(Event{
		Kind: Restarted, Level: slog.LevelWarn, Text: fmt.Sprintf("%s%s begins again", s.Name, s.PID),
		PID: s.PID, Name: s.Name, ActorKind: s.Kind,
	})
}

func (i *Inspector) slow(r actor.HandlerReport) {
	i.counts.slow.Add(1 + r.Suppressed)
	i.counts.slowLeft.Add(r.Suppressed)
	i.counts.of(r.Kind).slow.Add(1)
	i.report(SlowHandler, slog.LevelInfo, "took", r)
}

func (i *Inspector) blocked(r actor.HandlerReport) {
	i.report(BlockedHandler, slog.LevelWarn, "has been at it for", r)
}

func (i *Inspector) timedOut(r actor.HandlerReport) {
	i.counts.timeouts.Add(1 + r.Suppressed)
	i.counts.timeoutsLeft.Add(r.Suppressed)
	i.counts.of(r.Kind).timeouts[r.Action].Add(1)
	i.report(TimedOut, slog.LevelWarn, fmt.Sprintf("%v after", r.Action), r)
}

func (i *Inspector) report(kind EventKind, level slog.Level, verb string, r actor.HandlerReport) {
	e := Event{
		Kind: kind, Level: level, Text: fmt.Sprintf("%s%s %s: %s %v", r.Name, r.PID, r.Doing(), verb, r.For.Round(time.Microsecond)),
		PID: r.PID, Name: r.Name, ActorKind: r.Kind, Handler: r.Handler, Message: r.Message, Seconds: r.For.Seconds(),
	}
	if r.Suppressed > 0 {
		e.Count = r.Suppressed + 1
	}
	i.hub.tell(e)
}

// deadLetter takes note of a message that was not handled. There is at most one
// event a second, so a burst of letters causes no burst of events.
func (i *Inspector) deadLetter(d actor.DeadLetter) {
	k := i.counts.of(d.Kind)
	k.letters.Add(1)
	if errors.Is(d.Reason, actor.ErrOverflow) || errors.Is(d.Reason, actor.ErrMailboxLimit) {
		k.dropped[d.Lane].Add(1)
	}
	l := i.letters.add(d)
	i.diagnose.Lost(d, l.Error, l.Time)
	n, ok := i.letters.alarm.allow(time.Now())
	if !ok {
		return
	}
	i.hub.tell(Event{
		Kind: DeadLetters, Level: slog.LevelWarn, Text: fmt.Sprintf("%s for %s%s was not handled: %s", l.Message, d.Name, d.To, l.Error),
		PID: d.To, Name: d.Name, ActorKind: d.Kind, Message: l.Message, Lane: l.Lane, Error: l.Error, Count: n,
	})
}

// alarm lets one event a second through, and counts the others.
type alarm struct {
	mu    sync.Mutex
	last  time.Time
	count uint64 // Since the last.
}

func (a *alarm) allow(now time.Time) (n uint64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	if !a.last.IsZero() && now.Sub(a.last) < time.Second {
		return 0, false
	}
	n, a.last, a.count = a.count, now, 0
	return n, true
}
