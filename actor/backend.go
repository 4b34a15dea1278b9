package actor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/internal/kernel/hosts"
)

// Backend says on which goroutines an actor's handlers and hooks run. Everything
// else is the same wherever they run: lanes, order, asks, kills, restarts,
// links, timers, statistics.
//
// On all backends but the scheduler, a handler that waits by means of this
// module blocks its goroutine and may have called [runtime.LockOSThread];
// [Context.Checkpoint] gives way to nobody; and each time that the actor gets
// something to do costs the wake-up of a goroutine, some us, in place of 0.1 us.
//
// In a simulation (see simtest) all actors run on the scheduler, whatever their
// backend: it has to decide about the order.
type Backend uint8

// defaultMaxBlocking is tokio's, which is "somewhat arbitrary" there.
const defaultMaxBlocking = 512

// The backends. A [Pump] is one more.
const (
	// OnScheduler is for handlers that compute, and for those that wait by means
	// of this module. It is the default.
	OnScheduler Backend = iota
	// OnBlocking is for handlers that mostly block otherwise: in system calls, in
	// C, on a database without a context. They run on goroutines that come and go.
	// The system has up to Config.MaxBlocking of them; the workers of the
	// scheduler never notice. Which of them handles a message is left open.
	OnBlocking
	// OnOwnThread gives the actor an OS thread that runs nothing else, for as long
	// as it lives: for C libraries that keep state by thread. If a handler calls
	// runtime.Goexit or is killed, the next incarnation has a new thread.
	OnOwnThread
	// OnMainThread has the handlers run in [System.RunMain], which the main
	// function is to call: for user interfaces that insist on it.
	OnMainThread

	numBackends = 4
)

var backendNames = [numBackends]string{"scheduler", "blocking", "own thread", "main thread"}

// String returns the backend's name.
func (b Backend) String() string {
	if b < numBackends {
		return backendNames[b]
	}
	return fmt.Sprintf("Backend(%d)", uint8(b))
}

// ParseBackend returns the backend with the name that String returns: scheduler, blocking,
// own thread or main thread. Upper and lower case are the same, and between the words there
// may be a hyphen, an underscore, or nothing. So a configuration file can say where an actor
// runs.
func ParseBackend(name string) (Backend, error) {
	plain := func(s string) string {
		return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(s))
	}
	for b, own := range backendNames {
		if plain(name) == plain(own) {
			return Backend(b), nil
		}
	}
	return OnScheduler, fmt.Errorf("actor: %.40q is no backend; use scheduler, blocking, own thread or main thread", name)
}

// MarshalText writes the backend's name. It returns an error for one that does not exist.
func (b Backend) MarshalText() ([]byte, error) {
	if b >= numBackends {
		return nil, fmt.Errorf("actor: unknown backend %d has no name", b)
	}
	return []byte(backendNames[b]), nil
}

// UnmarshalText reads a name as ParseBackend does. On an error it changes nothing.
func (b *Backend) UnmarshalText(text []byte) error {
	read, err := ParseBackend(string(text))
	if err == nil {
		*b = read
	}
	return err
}

// WithBackend sets where the actor runs. Defaults to OnScheduler.
func WithBackend(b Backend) Option {
	return func(o *options) error {
		if b >= numBackends {
			return fmt.Errorf("actor: unknown backend %d; use OnScheduler, OnBlocking, OnOwnThread or OnMainThread", b)
		}
		o.backend, o.host, o.pump = b, nil, nil
		return nil
	}
}

// newHost returns the host of one actor with the backend, or nil.
func (s *System) newHost(o *options) (hosts.Host, error) {
	if p := o.pump; p != nil && p.sys != s {
		return nil, errors.New("actor: the pump belongs to another system; make one for this by NewPump")
	}
	switch {
	case s.simulated:
		return nil, nil
	case o.host != nil:
		return o.host, nil
	}
	switch o.backend {
	case OnBlocking:
		return s.blocking, nil
	case OnOwnThread:
		return hosts.NewThread(s.site), nil
	case OnMainThread:
		return s.mainLoop().Loop, nil
	default:
		return nil, nil
	}
}
