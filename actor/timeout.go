package actor

import (
	"cmp"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// TimeoutAction says what happens when a handler takes longer than it may.
type TimeoutAction uint8

// The actions, from the mildest on.
const (
	// TimeoutWarn only reports the handler, to Config.OnTimeout and the Logger.
	TimeoutWarn TimeoutAction = iota
	// TimeoutCancel ends the handler's context, with a [*TimeoutError] as the
	// [context.Cause], so that what it waits for by that context fails. The handler
	// goes on and may still do its work. The next message has a context that
	// has not ended.
	TimeoutCancel
	// TimeoutStop ends the actor's incarnation at once, as [Ref.Kill] does, with a
	// [*TimeoutError] as the reason: the handler is fenced off, and the parent may
	// restart the actor.
	TimeoutStop

	numTimeoutActions = 3
)

// String returns the action's name in lower case.
func (t TimeoutAction) String() string {
	if t < numTimeoutActions {
		return [numTimeoutActions]string{"warn", "cancel", "stop"}[t]
	}
	return fmt.Sprintf("TimeoutAction(%d)", uint8(t))
}

// ErrHandlerTimeout is what each [TimeoutError] wraps.
var ErrHandlerTimeout = errors.New("actor: the handler has taken too long")

// TimeoutError is the cause of the context of a handler that has taken too
// long, and the reason of an actor that was stopped for it.
type TimeoutError struct {
	PID     PID
	Name    string        // Of the actor, or "".
	Kind    string        // Of the actor, see [Info].
	Handler string        // As in [HandlerReport].
	Message string        // As in [HandlerReport].
	Limit   time.Duration // Which the handler has exceeded.
}

// Error names the actor, what it was handling, and the limit.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%v: %s%s %s for more than %v", ErrHandlerTimeout, e.Name, e.PID, describeHandler(e.Message, e.Handler), e.Limit)
}

// Unwrap returns [ErrHandlerTimeout].
func (e *TimeoutError) Unwrap() error { return ErrHandlerTimeout }

// limits has, by TimeoutAction, after how long it is due; 0 for never.
type limits [numTimeoutActions]time.Duration

// timeouts is what the options of an actor say about its handlers' time.
type timeouts struct {
	general, asks, sends limits
	choose               any // A func(M) time.Duration.
	chosen               TimeoutAction
	slow                 time.Duration // 0 for the system's, -1 for never.
	// last is what observed has returned last while there was an observer.
	last atomic.Pointer[timing]
}

// observed returns w, which newTiming has made of t, or the same with the slowness that an
// observer of s wants to know of, if the configuration of s does not.
func (t *timeouts) observed(w *timing, s *System) *timing {
	o := s.probes.Load()
	if o == nil || o.timing == nil || t.slow < 0 || w != nil && w.slow > 0 {
		return w
	}
	slow := cmp.Or(t.slow, o.timing.slow)
	if last := t.last.Load(); last != nil && last.slow == slow {
		return last
	}
	both := &timing{}
	if w != nil {
		*both = *w
	}
	both.slow = slow
	s.watchdog.refine(slow)
	t.last.Store(both)
	return both
}

// WithHandlerTimeout says for how long a handler of the actor may take a
// message, or one of its hooks may run, and what happens then. The time in which
// it waits counts, also for the answer to an Ask. There may be one timeout for
// each action, such as a warning after a second and a stop after ten. If several
// are found to be over at the same time, the strictest is carried out, and is
// the reason that is told. Defaults to none.
//
// The handlers are looked at from time to time, not timed one by one: what is
// due happens up to a quarter of the shortest timeout of the system's actors
// later, but never earlier, and timeouts below 10 ms up to 3 ms later. A message
// costs an atomic exchange more; an actor without timeouts pays nothing.
func WithHandlerTimeout(d time.Duration, do TimeoutAction) Option {
	return timeoutOption("WithHandlerTimeout", d, do, func(t *timeouts) *limits { return &t.general })
}

// WithAskTimeout is WithHandlerTimeout for the messages that belong to an ask, see
// [Reply]. It goes before WithHandlerTimeout for the same action.
func WithAskTimeout(d time.Duration, do TimeoutAction) Option {
	return timeoutOption("WithAskTimeout", d, do, func(t *timeouts) *limits { return &t.asks })
}

// WithSendTimeout is WithAskTimeout for all other messages. Hooks are not among
// them.
func WithSendTimeout(d time.Duration, do TimeoutAction) Option {
	return timeoutOption("WithSendTimeout", d, do, func(t *timeouts) *limits { return &t.sends })
}

func timeoutOption(name string, d time.Duration, do TimeoutAction, which func(*timeouts) *limits) Option {
	return func(o *options) error {
		if d <= 0 {
			return fmt.Errorf("actor: %s(%v, %v); the timeout must be positive", name, d, do)
		}
		if err := checkAction(name, do); err != nil {
			return err
		}
		which(o.ownTimeouts())[do] = d
		return nil
	}
}

func checkAction(name string, do TimeoutAction) error {
	if do >= numTimeoutActions {
		return fmt.Errorf("actor: %s: unknown action %d; use TimeoutWarn, TimeoutCancel or TimeoutStop", name, do)
	}
	return nil
}

// WithTimeoutFor sets timeouts by message, for one that is of several kinds: it
// calls choose before each handler, with the message. A positive time is what
// that message has, and do what happens then; the actor's other timeouts don't
// hold for it. 0 means the actor's other timeouts, and a negative time none.
// Choose must not wait; a panic in it is one of the handler.
//
// Spawn returns an error if the actor takes messages of another type.
func WithTimeoutFor[M any](do TimeoutAction, choose func(m M) time.Duration) Option {
	return func(o *options) error {
		if choose == nil {
			return errors.New("actor: WithTimeoutFor was given a nil function")
		}
		if err := checkAction("WithTimeoutFor", do); err != nil {
			return err
		}
		t := o.ownTimeouts()
		t.choose, t.chosen = choose, do
		return nil
	}
}

// WithSlowAfter sets from when on a handler of this actor counts as slow, in
// place of [Config].SlowAfter; -1 means never.
func WithSlowAfter(d time.Duration) Option {
	return func(o *options) error {
		if d <= 0 && d != -1 {
			return fmt.Errorf("actor: WithSlowAfter(%v); it must be positive, or -1 for never", d)
		}
		o.ownTimeouts().slow = d
		return nil
	}
}

// ownTimeouts returns the timeouts of these options, which are made on first
// use.
func (o *options) ownTimeouts() *timeouts {
	if o.timeouts == nil {
		o.timeouts = &timeouts{}
	}
	return o.timeouts
}

// timing says what is looked after in the handlers of an actor. It is made by
// the spawn, and not written afterwards.
type timing struct {
	limits [numLimits]limits // See handlerKind.row.
	slow   time.Duration     // 0 for never.
	strict bool              // There is more than slowness to look after.
	each   bool              // Something has to be noted about each message.
	choose any               // A func(M) time.Duration, or nil.
	chosen TimeoutAction
}

// The limits for what an actor does.
const (
	sendLimits = iota
	askLimits
	hookLimits

	numLimits = 3
)

// newTiming returns what is to be watched of an actor of the system with the
// given timeouts, or nil.
func newTiming(s *System, t *timeouts, c cellular) (*timing, error) {
	if t == nil {
		return s.timing, nil
	}
	w := &timing{choose: t.choose, chosen: t.chosen, strict: t.choose != nil}
	if t.choose != nil && !c.canChoose(t.choose) {
		return nil, fmt.Errorf("actor: WithTimeoutFor has a %T, but the actor takes messages of type %v", t.choose, c.messageType())
	}
	for do := range t.general {
		w.limits[hookLimits][do] = t.general[do]
		w.limits[sendLimits][do] = cmp.Or(t.sends[do], t.general[do])
		w.limits[askLimits][do] = cmp.Or(t.asks[do], t.general[do])
	}
	for _, l := range w.limits {
		w.strict = w.strict || l != limits{}
	}
	w.each = w.strict || w.choose != nil
	switch {
	case t.slow > 0:
		w.slow = t.slow
	case t.slow == 0 && s.timing != nil:
		w.slow = s.timing.slow
	}
	if !s.cfg.reportsSlow() {
		w.slow = 0
	}
	if !w.strict && w.slow == 0 {
		return nil, nil
	}
	s.watchdog.refine(w.shortest())
	return w, nil
}

// unknownLimit is what is taken for the shortest time of a function that
// chooses, until it has chosen a shorter one. Picked out of thin air.
const unknownLimit = 80 * time.Millisecond

// shortest returns the shortest time that w is about.
func (w *timing) shortest() time.Duration {
	d := w.slow
	if w.choose != nil && (d == 0 || d > unknownLimit) {
		d = unknownLimit
	}
	for _, l := range w.limits {
		for _, limit := range l {
			if limit > 0 && (d == 0 || limit < d) {
				d = limit
			}
		}
	}
	return d
}
