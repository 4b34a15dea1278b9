package actor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/kernel/hosts"
	"github.com/troupe-go/troupe/internal/kernel/pids"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// Config configures a [System]. The zero value is a good one.
type Config struct {
	// Name is for people; it appears in logs. Defaults to "troupe".
	Name string
	// Workers is how many workers the system's scheduler has. Defaults to
	// GOMAXPROCS, and in a simulation to 4. It must be 0 if Scheduler is given.
	Workers int
	// MaxSpares is how many workers are started at most, beyond Workers, in place of
	// those that handlers block. When there are so many, messages of Data and Management
	// wait until a handler returns or is killed. Control messages, kills, stops and
	// restarts go on: up to four more workers do nothing else. A handler that was
	// killed does not count; see MaxGhosts. Defaults to 256; -1 means none, and no
	// workers for urgent messages either. It must be 0 if Scheduler is given, whose own
	// [sched.Config] says it.
	MaxSpares int
	// OnSpareLimit is called when a handler blocks a worker for which there is no spare any
	// more: once, until there was one again, and at most once in ten seconds. Logger is
	// told as well. It is called on a goroutine of its own. A panic in it is contained.
	// Defaults to nil.
	OnSpareLimit func(SpareLimit)
	// MaxGhosts is how many handlers that were killed may be left that have not returned.
	// Each of them may block a worker, with a thread if it is in a system call. When there
	// are more, an actor whose own killed handler has not returned does not begin again:
	// its next incarnation ends at once, with [ErrGhostLimit], which its supervisor
	// counts as a failure. Defaults to 1000; -1 means that there is no limit.
	MaxGhosts int
	// Scheduler runs the actors. It must not be stopped before the system: actors
	// stand still then, and a Stop of the system waits until its context ends.
	// Defaults to a new one, which stops with the system.
	Scheduler *sched.Scheduler
	// Logger gets a record for each actor that fails. Defaults to [slog.Default], as it is at that time; in
	// a simulation (see package simtest), whose trace shows it, to silence.
	// slog.New(slog.DiscardHandler) is silence everywhere.
	Logger *slog.Logger
	// OnDeadLetter is called with each message that is not handled. It is called
	// where the message was dropped, also at the same time by several, and must
	// not wait. A panic in it is contained, and reported to Logger. A Goexit, as of a
	// test that fails in it, counts as the sender's; where an actor ends, that ends
	// all the same, but its other messages are only counted. It may still be called when
	// Stop has returned: by a later sender, or by a timer that has fired just before.
	// Defaults to nil: dead letters are only counted.
	OnDeadLetter func(DeadLetter)

	// AskTimeout ends asks of the system's actors whose contexts have no deadline, with
	// [ErrAskTimeout]: an actor that forgets to reply would keep its asker waiting for ever.
	// An ask ends up to an eighth of the time later. It is from the call of Ask on, or of what
	// else asks; the time in which an ask waits for room may come on top. The asked handler's
	// context has no deadline by it. [WithoutAskTimeout] is for single asks that rightly take
	// longer. There is no limit in a simulation (see package simtest), which reports an ask
	// that nobody answers. Defaults to 5 s; -1 means that there is no limit.
	AskTimeout time.Duration

	// MaxBlocking is on how many goroutines the handlers of actors run at a time that
	// are OnBlocking. When all of them are taken, the others wait. A handler that waits for
	// other actors is not counted meanwhile, and goes on before others begin. Defaults to
	// 512; -1 means that there is no limit.
	MaxBlocking int

	// SlowAfter is from when on a handler counts as slow; see OnSlow and OnBlocked.
	// WithSlowAfter sets it for one actor. Defaults to 10 ms; -1 means never, but
	// for actors that have their own.
	SlowAfter time.Duration
	// OnSlow is called when a slow handler has returned, on its goroutine, and must
	// not wait. A handler that failed is not reported. There are at most 50 reports
	// a second. If neither OnSlow nor OnBlocked is set, handlers are not watched for
	// it; else a message costs two stores more. A panic in it is contained.
	// Defaults to nil.
	OnSlow func(HandlerReport)
	// OnBlocked is called while a slow handler still runs, or waits, once for each. Where
	// more than 50 become due in a second, the others follow in the next ones.
	// HandlerReport.Stack says what it is doing. It is otherwise like OnSlow.
	OnBlocked func(HandlerReport)
	// OnTimeout is called when something was done about a handler for having taken
	// longer than its actor's timeouts allow; see WithHandlerTimeout. It is
	// otherwise like OnBlocked. Defaults to nil.
	OnTimeout func(HandlerReport)
}

// DeadLetter is a message that was not handled.
type DeadLetter struct {
	To      PID
	Name    string // Of the actor, or "".
	Kind    string // Of the actor; see Info.
	Lane    Lane
	Message any
	Reason  error
}

// System is a set of actors that live and end together. It comes from
// [NewSystem]; of a nil or zero one, what can fail returns [ErrNoSystem], and the
// rest has nothing to tell. Its methods are safe for concurrent use.
type System struct {
	cfg       Config
	scheduler *workers.Scheduler
	table     *pids.Table[proc]
	registry  registry
	clock     clock
	born      time.Time
	root      *proc // The parent of all top-level actors; it handles nothing.

	deadLetters atomic.Uint64
	dropped     atomic.Uint64
	lateReplies atomic.Uint64
	pools       replyPools
	asks        askLimit
	unhandled   atomic.Uint64
	ghosts      atomic.Int64
	monitors    atomic.Uint64 // How many there have been.

	watchdog watchdog
	timing   *timing // Of actors that have no timeouts; nil if they are not watched.
	// The reports to the functions of the configuration.
	slowReports, blockedReports, timeoutReports reports

	// Where those actors run that are not on the scheduler.
	site     *hosts.Site
	blocking *hosts.Pool
	main     atomic.Pointer[hosts.Main[proc]]

	stopWatchingSpares func() // Ends the calls of tellSpareLimit.

	abroad atomic.Pointer[host] // The system as a node, the latest; nil before the first.

	simulated bool   // The system is part of a simulation.
	vacate    func() // Lets another system use the origin of the process table.

	probes   atomic.Pointer[probes] // Nil unless the system is observed. Written under probesMu.
	probesMu sync.Mutex

	stopping atomic.Bool // No actor is accepted any more.

	stop    sync.Once
	empty   chan struct{} // Closed when the system is stopping and has no actors.
	stopped chan struct{} // Closed when all is over.
}

// NewSystem returns a running system. It reports a configuration that makes no
// sense as an error.
func NewSystem(cfg Config) (*System, error) {
	if cfg.Name == "" {
		cfg.Name = "troupe"
	}
	s := &System{
		scheduler: (*workers.Scheduler)(cfg.Scheduler), clock: wallClock{},
		empty: make(chan struct{}), stopped: make(chan struct{}),
	}
	switch {
	case cfg.MaxBlocking < -1:
		return nil, fmt.Errorf("actor: Config.MaxBlocking is %d; it must be positive, 0 for the default, or -1 for no limit", cfg.MaxBlocking)
	case cfg.MaxBlocking == 0:
		cfg.MaxBlocking = defaultMaxBlocking
	}
	if err := cfg.limitDefaults(); err != nil {
		return nil, err
	}
	timing, err := cfg.slowTiming()
	if err != nil {
		return nil, err
	}
	s.timing, s.watchdog.sys = timing, s
	if timing != nil {
		s.watchdog.refine(timing.shortest())
	}
	if cfg.Scheduler == nil {
		own, err := workers.New(workers.Config{Workers: cfg.Workers, MaxSpares: cfg.MaxSpares})
		if err != nil {
			return nil, fmt.Errorf("actor: %w", err)
		}
		s.scheduler = own
	} else if cfg.Scheduler.Workers() == 0 {
		return nil, errors.New("actor: Config.Scheduler is zero; a valid one comes from sched.New")
	} else if cfg.Scheduler.Stopping() {
		return nil, fmt.Errorf("actor: Config.Scheduler: %w", workers.ErrStopped)
	} else if cfg.Workers != 0 {
		return nil, fmt.Errorf("actor: Config.Workers is %d, but Config.Scheduler brings its own workers; set one of them", cfg.Workers)
	} else if cfg.MaxSpares != 0 {
		return nil, fmt.Errorf("actor: Config.MaxSpares is %d, but Config.Scheduler brings its own; set sched.Config.MaxSpares", cfg.MaxSpares)
	}
	s.cfg = cfg
	s.site = hosts.NewSite(s.scheduler, s.empty)
	s.blocking = hosts.NewPool(s.site, cfg.MaxBlocking)
	origin, free := origins.Take()
	s.table, s.vacate = pids.New[proc](s.scheduler.Workers(), origin), free
	s.giveReports()
	s.stopWatchingSpares = s.scheduler.OnSpareLimit(s.tellSpareLimit)
	s.born = s.clock.Now()
	if s.scheduler.Simulated() {
		s.joinSimulation()
	}
	s.asks.begin(s)
	s.root = &proc{sys: s, opts: &defaults}
	return s, nil
}

// missing reports whether s is none that NewSystem has made.
func (s *System) missing() bool { return s == nil || s.table == nil }

// Scheduler returns the scheduler that runs the system's actors.
func (s *System) Scheduler() *sched.Scheduler {
	if s.missing() {
		return nil
	}
	return (*sched.Scheduler)(s.scheduler)
}

// Stats is a snapshot of a system's counters.
type Stats struct {
	Actors      int    // Actors that have not stopped.
	DeadLetters uint64 // Messages that were not handled.
	Dropped     uint64 // Of these, messages that found a lane full, or exceeded a limit; see WithBuffer.
	LateReplies uint64 // Replies whose asker did not wait any more.
	Ghosts      int    // Handlers that have not returned since they were killed.
	Unhandled   uint64 // Messages for which a handler has returned ErrUnhandled; dead letters too.
	AskTimeouts uint64 // Asks that have ended with ErrAskTimeout.
	Forgotten   uint64 // Asks among them whose handler had returned without a reply.
}

// Stats returns a snapshot. It costs a few loads.
func (s *System) Stats() Stats {
	if s.missing() {
		return Stats{}
	}
	return Stats{
		Actors:      s.table.Live(),
		DeadLetters: s.deadLetters.Load(),
		Dropped:     s.dropped.Load(),
		LateReplies: s.lateReplies.Load(),
		Unhandled:   s.unhandled.Load(),
		AskTimeouts: s.asks.ended.Load(),
		Forgotten:   s.asks.forgotten.Load(),
		Ghosts:      int(s.ghosts.Load()),
	}
}

// Stopping reports whether the system accepts no actors any more, since somebody has
// called Stop; it may have stopped. It is false for a nil or zero system.
func (s *System) Stopping() bool { return !s.missing() && s.stopping.Load() }

// Stop refuses new actors, makes all actors stop after the messages that they
// are handling, children before their parents, and returns when the scheduler
// has stopped too, if it is the system's own. Stop may be called again, and by
// several at the same time; each call waits for the same end.
//
// If ctx ends first, Stop ends the contexts of all handlers that still run, and
// returns an error that wraps the cause of ctx and names some of their actors.
// The stop goes on in the background.
//
// In a handler of the system, Stop returns [ErrWouldDeadlock] at once, whatever
// its context, and the stop goes on when the handler returns. On a goroutine that
// the handler has started, it waits.
func (s *System) Stop(ctx context.Context) error {
	if s.missing() {
		return ErrNoSystem
	}
	ctx = orBackground(ctx)
	if err := fenced(ctx); err != nil {
		return fmt.Errorf("stop of the system: %w", err)
	}
	f, _ := s.caller(ctx)
	s.stop.Do(func() { s.beginStop(f) })
	if p := current(f); p != nil && p.sys == s {
		return fmt.Errorf("stop of the system in a handler of %s: %w", p, ErrWouldDeadlock)
	}
	if !s.awaitStopped(ctx) {
		return s.force(ctx)
	}
	return nil
}

func (s *System) beginStop(f *workers.Fiber) {
	s.stopping.Store(true)
	if s.root.windUp(f, false) {
		close(s.empty)
	}
	go func() {
		defer close(s.stopped)
		<-s.empty
		if s.cfg.Scheduler == nil {
			_ = s.scheduler.Stop(context.Background()) // Its context does not end.
		}
		s.stopWatchingSpares()
		s.site.Wait()
		s.vacate()
	}()
}

// force ends the contexts of all actors that are left.
func (s *System) force(ctx context.Context) error {
	const named = 3
	var names []string
	left := 0
	s.eachProc(func(p *proc) {
		p.cancel(ErrForced)
		if left++; left <= named {
			names = append(names, p.String())
		}
	})
	if left > named {
		names = append(names, "...")
	}
	if left == 0 {
		what := "the scheduler has not yet"
		if n := s.ghosts.Load(); n > 0 {
			what = fmt.Sprintf("%d of their handlers, which were killed, still run", n)
		}
		return fmt.Errorf("actor: the system has not stopped: its actors have, but %s: %w", what, context.Cause(ctx))
	}
	return fmt.Errorf("actor: the system has not stopped, %d actors are left (%s): %w",
		left, strings.Join(names, ", "), context.Cause(ctx))
}

// rootDisown takes note of a top-level actor that has stopped.
func (s *System) rootDisown(p *proc) {
	s.root.mu.Lock()
	defer s.root.mu.Unlock()
	if s.root.disownLocked(p) && s.root.barred {
		close(s.empty)
	}
}

// tellDeadLetter calls the user's function. Its failure must not make an actor fail,
// nor end the process.
func (s *System) tellDeadLetter(d DeadLetter) {
	defer func() {
		if v := recover(); v != nil {
			s.log().Error("OnDeadLetter panicked", slog.Any("panic", v), slog.String("to", d.To.String()))
		}
	}()
	s.cfg.OnDeadLetter(d)
}

func (s *System) spawner() (birthplace, error) {
	if s.missing() {
		return birthplace{}, ErrNoSystem
	}
	return birthplace{parent: s.root}, nil
}

// log returns where failures are told.
func (s *System) log() *slog.Logger {
	switch {
	case s.cfg.Logger != nil:
		return s.cfg.Logger
	case s.simulated:
		return silence
	}
	return slog.Default()
}

var silence = slog.New(slog.DiscardHandler)
