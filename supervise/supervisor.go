package supervise

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Supervisor is the handle of a supervisor. Its methods are safe for concurrent use. The
// methods of a nil or zero Supervisor, which Start has not returned, return
// [actor.ErrNoRef].
type Supervisor struct {
	ref      actor.Ref[command] // Not written once others have the handle.
	sys      *actor.System
	restarts atomic.Int64
	// introduced says that the members of the troupe have their refs. The
	// supervisor's own.
	introduced bool

	mu     sync.Mutex
	places map[string]place            // The actors of the children that have a name.
	limits map[actor.PID]time.Duration // How long the others than usual may take to stop.
	term   int                         // How many incarnations have begun.
	askers []*asker                    // The callers that wait for an answer.
	over   bool                        // Nobody is any more.
	mail   []command                   // Notices from supervisors below that it has not looked at.
	watch  sync.Once
	// telling is the goroutine that is calling OnRestart, or nobody. Written by the
	// supervisor, read by who orders something.
	telling atomic.Uintptr
}

func newSupervisor(sys *actor.System) *Supervisor {
	return &Supervisor{sys: sys, places: map[string]place{}}
}

// Start starts a supervisor, at the top of a system or below the actor whose context is
// given, and returns when all its children have started, one after the other. If one of
// them does not, those before it are stopped, the last first, and Start returns an error
// that wraps [ErrStart] and the reason, and names the child by its path, as "/sup/worker".
// A wrong configuration is found before anything starts.
//
// If a child asks the actor in whose handler Start is called, and so waits for it, one of the
// two gets an [actor.CycleError]. If that is Start, it returns at once, and the children stop
// after the handler.
//
// The StartLimits of the children bound how long Start takes. When the system
// stops meanwhile, Start returns an error.
func Start(at actor.Spawner, cfg Config) (*Supervisor, error) {
	sys := systemOf(at)
	if sys.Scheduler() == nil {
		return nil, errNoSpawner
	}
	top := checkpoint{}
	if above, ok := at.(interface{ Path() string }); ok {
		top.path = above.Path()
	}
	d, err := top.design(cfg)
	if err != nil {
		return nil, err
	}
	s := newSupervisor(sys)
	sup := newSupervisorActor(d, s, nil)
	s.ref, err = actor.Spawn(at, actor.Actor[command](sup), actor.WithName(d.cfg.Name))
	if err != nil {
		return nil, fmt.Errorf("supervise: start %s/%s: %w", top.path, d.cfg.Name, err)
	}
	ctx, ok := at.(context.Context)
	if !ok {
		ctx = context.Background()
	}
	if err := s.order(ctx, &awaitBoot{}); err != nil {
		return nil, s.whyNotStarted(ctx, err)
	}
	return s, nil
}

// whyNotStarted stops a supervisor of which Start has got the error, and returns why
// it has not started.
func (s *Supervisor) whyNotStarted(ctx context.Context, err error) error {
	if errors.Is(err, actor.ErrCycle) && !errors.Is(err, ErrStart) {
		return errors.Join(err, s.sys.RequestStop(s.PID())) // A child waits for the caller, which must not wait for its stop.
	}
	_ = s.ref.Stop(ctx) // It may be about to. If ctx has ended, the stop goes on.
	switch reason := s.ref.Err(); {
	case reason == nil:
		return err
	case failure(reason) == nil:
		return errors.Join(err, reason)
	default:
		return reason
	}
}

// systemOf returns the system in which actors are spawned at a place, or nil if
// that is none.
func systemOf(at actor.Spawner) *actor.System {
	if missing(at) {
		return nil
	}
	if sys, ok := at.(*actor.System); ok {
		return sys
	}
	if below, ok := at.(interface{ System() *actor.System }); ok {
		return below.System()
	}
	return nil
}

// missing reports whether v is nil, or a nil pointer.
func missing(v any) bool {
	p := reflect.ValueOf(v)
	return v == nil || p.Kind() == reflect.Pointer && p.IsNil()
}

// self returns the supervisor's own ref, which is zero if there is none.
func (s *Supervisor) self() actor.Ref[command] {
	if s == nil {
		return actor.Ref[command]{}
	}
	return s.ref
}

// Restarts returns how many restarts there were since the start.
func (s *Supervisor) Restarts() int {
	if s == nil {
		return 0
	}
	return int(s.restarts.Load())
}

// Done returns a channel that is closed when the supervisor and all its
// children have stopped for good.
func (s *Supervisor) Done() <-chan struct{} { return s.self().Done() }

// Err returns nil until Done is closed, and after that why the supervisor has
// stopped: nil if it was asked to, or by its AutoShutdown; or an error that wraps
// [ErrIntensity] and the reason of the child that failed last, or [ErrTooFew]. If
// children had to be killed, it also wraps [actor.ErrForced]; see [Supervisor.Stop].
func (s *Supervisor) Err() error { return s.self().Err() }

// PID returns the supervisor's PID.
func (s *Supervisor) PID() actor.PID { return s.self().PID() }

// Path returns where the supervisor is in the tree of its system, as "/app/db".
func (s *Supervisor) Path() string { return s.self().Path() }

// Stop stops the children, the last started first and each within its limit,
// and then the supervisor. See [actor.Ref.Stop] for what happens when ctx ends
// first; the stop goes on then. In OnRestart, Stop does not wait, and returns
// [actor.ErrWouldDeadlock].
//
// If children did not stop within their limit, and were killed, Stop returns an error
// that names them and wraps [actor.ErrForced]: they have not cleared up. Children
// whose limit is [BrutalKill] do not count.
func (s *Supervisor) Stop(ctx context.Context) error {
	if err := s.inOnRestart(); err != nil {
		return errors.Join(err, s.sys.RequestStop(s.PID()))
	}
	if err := s.self().Stop(ctx); err != nil {
		return err
	}
	if forced := (*forcedError)(nil); errors.As(s.Err(), &forced) {
		return forced
	}
	return nil
}

// Ref returns the ref of the child with the given name. It stays valid however
// often the child is restarted, until the child has ended for good. It returns
// [ErrNoChild] if there is no such child or it is down, and [ErrWrongType] if it
// takes other messages than M. It asks nobody, and costs about 50 ns.
func Ref[M any](s *Supervisor, name string) (actor.Ref[M], error) {
	p, err := s.place(name)
	if err != nil {
		return actor.Ref[M]{}, err
	}
	ref, ok := p.ref.(actor.Ref[M])
	if !ok {
		return actor.Ref[M]{}, fmt.Errorf("%w: %s/%s has a %T, not a %T", ErrWrongType, s.Path(), name, p.ref, ref)
	}
	return ref, nil
}

// Nested returns the supervisor below s with the given name. It returns the errors of
// [Ref].
func (s *Supervisor) Nested(name string) (*Supervisor, error) {
	p, err := s.place(name)
	if err != nil {
		return nil, err
	}
	below, ok := p.ref.(*Supervisor)
	if !ok {
		return nil, fmt.Errorf("%w: %s/%s is no supervisor", ErrWrongType, s.Path(), name)
	}
	return below, nil
}

func (s *Supervisor) place(name string) (place, error) {
	if s.self() == (actor.Ref[command]{}) {
		return place{}, s.explain(actor.ErrNoRef)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.places[name]
	if !ok {
		return place{}, fmt.Errorf("%w: %s/%s", ErrNoChild, s.Path(), name)
	}
	return p, nil
}

// setPlace notes the actor of a child, or that there is none.
func (s *Supervisor) setPlace(name string, p place) {
	if name == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.ref == nil {
		delete(s.places, name)
		return
	}
	s.places[name] = p
}

// inherit returns the actors of children that an earlier incarnation has left, and
// the number of the new one. From now on nobody kills them on behalf of an earlier
// one.
func (s *Supervisor) inherit() (left map[string]place, term int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left = s.places
	s.places, s.limits, s.mail = map[string]place{}, nil, nil
	s.term++
	return left, s.term
}

// tell gives the supervisor, which has the given PID, a command of one below it. It
// is carried out also while the supervisor is suspended.
func (s *Supervisor) tell(id actor.PID, c command) {
	s.mu.Lock()
	s.mail = append(s.mail, c)
	s.mu.Unlock()
	_ = s.sys.Wake(id) // Else it has ended, and so will the one below.
}

// takeMail returns what tell has left.
func (s *Supervisor) takeMail() []command {
	s.mu.Lock()
	defer s.mu.Unlock()
	mail := s.mail
	s.mail = nil
	return mail
}
