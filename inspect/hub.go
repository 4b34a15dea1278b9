package inspect

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/inspect/internal/memory"
)

// ErrClosed is returned by Next when the subscription, or the inspector, was
// closed, and no events are left.
var ErrClosed = errors.New("inspect: the subscription is closed")

// defaultBuffer is how many events wait for a subscriber at most. Picked out of
// thin air.
const defaultBuffer = 256

// maxBuffer keeps a slip of the pen from asking for all memory.
const maxBuffer = 1 << 20

// Subscription says which events somebody wants.
type Subscription struct {
	// Kinds are those that are wanted. Defaults to all.
	Kinds []EventKind
	// Buffer is how many events wait to be taken; when there are more, the oldest
	// are dropped. Defaults to 256; at most 2^20.
	Buffer int
}

// hub hands events to subscribers. The goroutine that reports an event waits for nobody:
// each subscriber has a buffer of its own, whose lock is held for a copy.
type hub struct {
	logger *slog.Logger
	groups memory.Groups[cause, Event]

	mu     sync.Mutex
	number uint64
	all    []*Subscriber
	closed bool
}

// Subscribe returns a subscriber to the events from now on. A caller that does not need it
// any more calls Close. A negative Buffer counts as 0, since Subscribe
// returns no error.
func (i *Inspector) Subscribe(s Subscription) *Subscriber {
	if s.Buffer <= 0 {
		s.Buffer = defaultBuffer
	}
	sub := &Subscriber{
		hub: &i.hub, kinds: slices.Clone(s.Kinds), news: make(chan struct{}, 1), over: make(chan struct{}),
		waiting: backlog{limit: min(s.Buffer, maxBuffer)},
	}
	i.hub.mu.Lock()
	defer i.hub.mu.Unlock()
	if i.hub.closed {
		sub.end()
		return sub
	}
	i.hub.all = append(i.hub.all, sub)
	return sub
}

// tell hands the event to all that want it.
func (h *hub) tell(e Event) {
	e.Time = time.Now()
	h.mu.Lock()
	h.number++
	e.Number = h.number
	for _, s := range h.all {
		s.put(e)
	}
	h.mu.Unlock()
	if h.groups.Limit > 0 {
		h.groups.Add(causeOf(&e), max(1, e.Count), e.Time, e.short())
	}
	if h.logger != nil {
		e.log(h.logger)
	}
}

func (h *hub) end() {
	h.mu.Lock()
	h.closed = true
	all := h.all
	h.all = nil
	h.mu.Unlock()
	for _, s := range all {
		s.end()
	}
}

// Subscriber gets events. Its methods are safe for concurrent use.
type Subscriber struct {
	hub   *hub
	kinds []EventKind
	news  chan struct{} // Has one if there may be events.
	over  chan struct{} // Closed at the end.

	mu      sync.Mutex
	waiting backlog
	ended   bool
}

func (s *Subscriber) put(e Event) {
	if len(s.kinds) > 0 && !slices.Contains(s.kinds, e.Kind) {
		return
	}
	s.mu.Lock()
	s.waiting.put(e)
	s.mu.Unlock()
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// take returns the oldest event.
func (s *Subscriber) take() (Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting.take()
}

// Next returns the next event, and waits for it if need be. It returns
// [ErrClosed] when there will be none, and an error that wraps the cause of ctx
// when that ends first.
func (s *Subscriber) Next(ctx context.Context) (Event, error) {
	for {
		if e, ok := s.take(); ok {
			return e, nil
		}
		select {
		case <-s.news:
		case <-s.over:
			if e, ok := s.take(); ok {
				return e, nil
			}
			return Event{}, ErrClosed
		case <-ctx.Done():
			return Event{}, fmt.Errorf("inspect: wait for an event: %w", context.Cause(ctx))
		}
	}
}

// All returns the events until ctx ends or the subscription is closed, and then
// closes it.
func (s *Subscriber) All(ctx context.Context) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		defer s.Close()
		for {
			e, err := s.Next(ctx)
			if err != nil || !yield(e) {
				return
			}
		}
	}
}

// Dropped returns how many events were dropped since they were not taken in
// time.
func (s *Subscriber) Dropped() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting.dropped
}

// Close ends the subscription. Events that wait can still be taken. It may be
// called more than once.
func (s *Subscriber) Close() {
	s.hub.mu.Lock()
	s.hub.all = slices.DeleteFunc(s.hub.all, func(other *Subscriber) bool { return other == s })
	s.hub.mu.Unlock()
	s.end()
}

func (s *Subscriber) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		close(s.over)
	}
}
