package entity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// MaxID is how many bytes an id has at most. It may have any bytes, and has one at least.
const MaxID = 1 << 10

const maxName = 255

// Config says how the virtual actors of one kind are.
type Config[M any] struct {
	// New returns the function that makes the actor with an id, for each of its incarnations, as actor.SpawnNew wants it: the
	// method For of a journal.Kind is one. Both functions are called in the actor: if they panic, return nil or take long, no
	// other id waits for them. It is required.
	New func(id string) func() actor.Actor[M]
	// Options are given to each activation. Without any, an activation takes less memory. Defaults to none.
	Options []actor.Option
	// Idle is for how long an activation has no message, in hand or in its lanes, until it is passivated. It may take a quarter
	// longer. Defaults to 300 s; -1 is never.
	Idle time.Duration
	// MaxActive is how many activations there are before those are passivated that have had no message for longest. It is
	// passed by those that are about to end, and if all have messages to handle. Defaults to no limit, as does -1.
	MaxActive int
	// StartLimit is for how long an activation may take to start, from the call of New to the end of its Started hook. After
	// that it is killed, which counts as a failure. Defaults to 10 s; -1 is no limit.
	StartLimit time.Duration
	// Restarts is how often in a row an activation that fails is begun again for the messages that wait. Failures that
	// are 30 s apart are not in a row. Defaults to 5; -1 is never. A singleton is begun again without a limit.
	Restarts int
	// Backoff is how long the first of these waits. Each further one waits twice as long, up to 30 s. Defaults to 100 ms.
	Backoff time.Duration
	// OnFailure is called with each failure of an activation. It must not wait. Defaults to nil.
	OnFailure func(id string, reason error)
}

const (
	defaultIdle       = 300 * time.Second
	defaultStartLimit = 10 * time.Second
	defaultRestarts   = 5
	defaultBackoff    = 100 * time.Millisecond
	maxBackoff        = 30 * time.Second
	inARow            = 30 * time.Second // Failures that are further apart are not in a row. Picked out of thin air, as all of these.
)

// spec is what there is to a Config apart from the type of the messages.
type spec struct {
	name       string
	single     bool
	spawn      spawner
	begin      func(ctx context.Context, h *Host) error // Of a singleton.
	idle       time.Duration                            // 0 is never.
	maxActive  int
	startLimit time.Duration // 0 is no limit.
	restarts   int
	backoff    time.Duration
	onFailure  func(id string, reason error)
	err        error // A mistake in the Config, or nil.
}

func newSpec[M any](name string, cfg Config[M], single bool) *spec {
	s := &spec{
		name: name, single: single, spawn: spawnerOf(cfg), idle: cfg.Idle, maxActive: cfg.MaxActive, startLimit: cfg.StartLimit,
		restarts: cfg.Restarts, backoff: cfg.Backoff, onFailure: cfg.OnFailure,
	}
	if s.idle == 0 {
		s.idle = defaultIdle
		if single {
			s.idle = -1
		}
	}
	if s.startLimit == 0 {
		s.startLimit = defaultStartLimit
	}
	if s.restarts == 0 {
		s.restarts = defaultRestarts
	}
	if s.backoff == 0 {
		s.backoff = defaultBackoff
	}
	s.err = s.check(cfg.New == nil)
	s.idle, s.maxActive, s.startLimit, s.restarts = max(0, s.idle), max(0, s.maxActive), max(0, s.startLimit), max(0, s.restarts)
	return s
}

// check says what is wrong with the settings.
func (s *spec) check(noNew bool) error {
	switch {
	case s.name == "" || len(s.name) > maxName:
		return fmt.Errorf("entity: a kind has a name of %d bytes; it must have 1 to %d", len(s.name), maxName)
	case noNew:
		return fmt.Errorf("entity: the kind %q has no New, which makes its actors", s.name)
	case s.idle < 0 && s.idle != -1:
		return fmt.Errorf("entity: the kind %q has Idle %v; it must be positive, 0 for %v, or -1 for never", s.name, s.idle, defaultIdle)
	case s.maxActive < -1:
		return fmt.Errorf("entity: the kind %q has MaxActive %d; it must be positive, or 0 or -1 for no limit", s.name, s.maxActive)
	case s.startLimit < 0 && s.startLimit != -1:
		return fmt.Errorf("entity: the kind %q has StartLimit %v; it must be positive, 0 for %v, or -1 for no limit", s.name, s.startLimit, defaultStartLimit)
	case s.restarts < -1:
		return fmt.Errorf("entity: the kind %q has Restarts %d; it must be positive, 0 for %d, or -1 for never", s.name, s.restarts, defaultRestarts)
	case s.backoff < 0 || s.backoff > maxBackoff:
		return fmt.Errorf("entity: the kind %q has Backoff %v; it must be positive and at most %v, or 0 for %v", s.name, s.backoff, maxBackoff, defaultBackoff)
	}
	return nil
}

// wait returns how long to wait after so many failures in a row.
func (s *spec) wait(failures int) time.Duration {
	d := s.backoff
	for ; failures > 1 && d < maxBackoff; failures-- {
		d *= 2
	}
	return min(d, maxBackoff)
}

// every returns how often the keeper looks at its activations, or 0 for never.
func (s *spec) every() time.Duration {
	d := s.idle / 8
	if n := s.startLimit / 4; n > 0 && (d == 0 || n < d) {
		d = n
	}
	if d > 0 {
		d = max(d, time.Millisecond)
	}
	return d
}

func checkID(id string) error {
	if id == "" || len(id) > MaxID {
		return fmt.Errorf("%w: it has %d bytes, and must have 1 to %d", ErrID, len(id), MaxID)
	}
	return nil
}

var errNilHost = errors.New("entity: the host is nil; a valid one comes from Start")
