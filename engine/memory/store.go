package memory

import (
	"errors"
	"sync"
	"time"
)

// An Op is a call of a table, log or group, for [Store.Inject].
type Op struct {
	Node string // Whose engine makes the call.
	Kind string // "get", "put", "delete", "append", "trim", "read" or "ack".
	Name string // Of the table or log.
	Key  string // Empty for a log.
}

// Kind is what happens to one call.
type Kind uint8

// The kinds.
const (
	None       Kind = iota // The call is made.
	Refuse                 // It returns engine.ErrUnavailable, and nothing is stored.
	LoseAnswer             // A put, delete or append is made, and returns engine.ErrUnknownOutcome.
	Unsynced               // A put, delete or append is acknowledged, and [Store.Crash] undoes it.
)

// A Fault is what [Store.Inject] decides for one call. The zero value is none.
type Fault struct {
	Kind  Kind
	Delay time.Duration // How long the call is under way. It is made then even if its caller has left.
}

var (
	errRefused  = errors.New("an injected failure")
	errNoLeader = errors.New("there is no leader")
)

// A Store is what several engines share. Its methods may be called by several goroutines.
type Store struct {
	mu       sync.Mutex
	tables   map[string]*tableData
	logs     map[string]*logData
	inject   func(Op) Fault
	headless bool
	undo     []func()      // Takes back what was not synced, the last first.
	changed  chan struct{} // Closed at the next change.
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{tables: map[string]*tableData{}, logs: map[string]*logData{}, changed: make(chan struct{})}
}

// Inject has f decide what happens to each call that follows. It may be called by several
// goroutines. A nil f ends that.
func (s *Store) Inject(f func(Op) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inject = f
}

// Lead says whether the store has a leader, which it has at first. Without one all calls
// return [engine.ErrUnavailable], and watches and groups wait.
func (s *Store) Lead(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.headless = !yes
	s.wake()
}

// Crash takes back the writes that were [Unsynced] since the last one that was not. Engines
// that have seen them return [engine.ErrAmnesia] at their next write of that table or log.
func (s *Store) Crash() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
	s.undo = nil
	s.wake()
}

// fault decides what happens to a call.
func (s *Store) fault(op Op) (Fault, error) {
	s.mu.Lock()
	inject, headless := s.inject, s.headless
	s.mu.Unlock()
	if headless {
		return Fault{}, errNoLeader
	}
	if inject == nil {
		return Fault{}, nil
	}
	f := inject(op)
	if f.Kind == Refuse {
		return f, errRefused
	}
	return f, nil
}

// commit makes a write. Apply notes how to undo it.
func (s *Store) commit(f Fault, apply func() result) result {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := apply()
	if f.Kind != Unsynced {
		s.undo = nil // A sync is one of all that was written before.
	}
	s.wake()
	return r
}

// undoable notes how to undo a write. The caller holds mu.
func (s *Store) undoable(f func()) { s.undo = append(s.undo, f) }

// wake wakes all who wait for a change. The caller holds mu.
func (s *Store) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}
