package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// Envelope is a stored event with where and when it was stored.
type Envelope[E any] struct {
	Record
	Event E
}

// Target is what a projection writes to: tables, an index, a queue.
type Target[E any] interface {
	// Position returns up to where the target has handled events, and 0 at first.
	Position(ctx context.Context) (Position, error)
	// Handle handles the events of a batch, in their order, and remembers the position,
	// which is the last event's. A target that does both in one transaction handles
	// each event exactly once, and another one at least once.
	Handle(ctx context.Context, batch []Envelope[E], position Position) error
}

// ProjectionConfig says what a projection reads and writes.
type ProjectionConfig[E any] struct {
	// Journal has the events. It is required.
	Journal *Journal
	// Events has all types of events that the filter selects. It is required: an event
	// that is not known stops the projection.
	Events *Set[E]
	// Filter selects the events. Defaults to all. If the set has an [Erasure], the Types
	// include it.
	Filter Filter
	// Target handles the events. It is required.
	Target Target[E]
	// Batch is how many events are handled at once, at most. Defaults to 100.
	Batch int
	// Poll is how often the projection looks for events that another process has
	// stored. It looks at once after each commit of its own Journal. Defaults to 1 s.
	Poll time.Duration
}

// Projection feeds a target with the events of a store, in their order and without
// gaps, from where the target was. It is safe for concurrent use.
type Projection[E any] struct {
	cfg ProjectionConfig[E]
	lag atomic.Pointer[Lag]
}

// Lag says how far a projection is behind its store.
type Lag struct {
	Position Position // Of the last event that was handled.
	Waiting  int      // How many events were seen that are not handled yet. There may be more.
	Behind   time.Duration
}

// NewProjection returns the projection that the configuration describes.
func NewProjection[E any](cfg ProjectionConfig[E]) (*Projection[E], error) {
	switch {
	case cfg.Journal == nil || cfg.Journal.store == nil:
		return nil, errors.New("journal: ProjectionConfig.Journal is nil; it comes from journal.New with a store")
	case cfg.Events == nil:
		return nil, errors.New("journal: ProjectionConfig.Events is nil; it comes from journal.Events")
	case cfg.Target == nil:
		return nil, errors.New("journal: ProjectionConfig.Target is nil")
	case cfg.Batch < 0 || cfg.Poll < 0:
		return nil, fmt.Errorf("journal: ProjectionConfig has the Batch %d and the Poll %v; they must not be negative", cfg.Batch, cfg.Poll)
	case cfg.Events.Err() != nil:
		return nil, cfg.Events.Err()
	}
	if _, sees := cfg.Events.byName[ErasedType]; sees && cfg.Filter.Types != nil {
		cfg.Filter.Types = append(slices.Clone(cfg.Filter.Types), ErasedType)
	}
	if cfg.Batch == 0 {
		cfg.Batch = 100
	}
	if cfg.Poll == 0 {
		cfg.Poll = time.Second
	}
	return &Projection[E]{cfg: cfg}, nil
}

// Lag returns how far the projection is behind. Behind is the age of the oldest event that
// it is handling or was last known to wait, and 0 if it has handled all.
func (p *Projection[E]) Lag() Lag {
	if l := p.lag.Load(); l != nil {
		return *l
	}
	return Lag{}
}

// CatchUp handles all events that are stored by now, and returns how many there were.
// After an error, the target has the batches before it.
func (p *Projection[E]) CatchUp(ctx context.Context) (n int, err error) {
	after, err := p.cfg.Target.Position(ctx)
	if err != nil {
		return 0, fmt.Errorf("journal: position of the projection: %w", err)
	}
	for {
		page, err := p.page(ctx, after)
		if err != nil {
			return n, err
		}
		if len(page) == 0 {
			p.lag.Store(&Lag{Position: after})
			return n, nil
		}
		p.lag.Store(&Lag{after, len(page), max(0, time.Since(page[0].Time))})
		last := page[len(page)-1].Position
		if err := p.cfg.Target.Handle(ctx, page, last); err != nil {
			return n, fmt.Errorf("journal: projection, events %d to %d: %w", page[0].Position, last, err)
		}
		after = last
		n += len(page)
	}
}

// page reads the next batch.
func (p *Projection[E]) page(ctx context.Context, after Position) (page []Envelope[E], err error) {
	for r, err := range p.cfg.Journal.store.Feed(ctx, after, p.cfg.Filter) {
		if err != nil {
			return nil, fmt.Errorf("journal: projection, feed after %d: %w", after, err)
		}
		event, err := p.cfg.Events.Decode(r)
		if err != nil {
			return nil, fmt.Errorf("journal: projection: %w", err)
		}
		if page = append(page, Envelope[E]{r, event}); len(page) == p.cfg.Batch {
			break
		}
	}
	return page, nil
}
