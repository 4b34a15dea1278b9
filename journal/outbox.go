package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// Delivery is an event that an outbox hands over.
type Delivery[E any] struct {
	Envelope[E]
	// ID names the event: it is the same each time the event is delivered, and no other
	// event of the store has it. It is printable ASCII, and the receiver tells by it what it has
	// done already.
	ID string
	// Attempt counts from 1. A new process begins with 1.
	Attempt int
}

// OutboxConfig says what an outbox delivers, and how.
type OutboxConfig[E any] struct {
	// Name names the position in the store. It is required, and no projection may have the
	// same one.
	Name string
	// Journal has the events. It is required, and its store must be a [Keeper].
	Journal *Journal
	// Events has all types of events that the filter selects. It is required: an event that
	// is not known stops the outbox.
	Events *Set[E]
	// Filter selects the events. Defaults to all, past ones included.
	Filter Filter
	// Deliver has the effect outside: it calls a server, or sends an e-mail. It is required. It
	// returns when the effect is certain. After an error or a panic the event is delivered
	// again.
	Deliver func(ctx context.Context, d Delivery[E]) error
	// Backoff is the pause after the first failure of an event. Each further failure doubles
	// it, up to MaxBackoff. Defaults to 1 s.
	Backoff time.Duration
	// MaxBackoff defaults to 1 minute, or to Backoff if that is longer.
	MaxBackoff time.Duration
	// Attempts is after how many failures an event is set aside. The outbox then goes on with other
	// streams, and sets aside later events of the same stream, which keep their order; see
	// [Outbox.Aside]. Defaults to no limit, as -1 is: no event is set aside, and all others wait
	// behind one that fails.
	Attempts int
	// Report is called for each failure, and for each event that is set aside. Defaults to a
	// warning of [slog.Default]. It must not wait.
	Report func(d Delivery[E], aside bool, err error)
	// Batch is after how many events the position is stored, at most. So many are delivered
	// twice, at most, after a crash. Defaults to 100.
	Batch int
	// Poll is how often the outbox looks for events that another process has stored. It
	// looks at once after each commit of its own Journal. Defaults to 1 s.
	Poll time.Duration
}

// Outbox delivers the events of a store to the outside, each at least once, in the order
// of their positions. An event that was set aside is passed over, with the later ones of its stream, so
// that the order of a stream always holds. The events are the outbox: there is no second table, and what is stored is
// delivered, also after a crash. It is safe for concurrent use; run one of a name at a time.
type Outbox[E any] struct {
	cfg    OutboxConfig[E]
	keeper Keeper
	reader *Projection[E]

	turn   chan struct{} // Held by the one that delivers. It guards what follows.
	loaded bool
	held   map[string]int // How many events are aside of each stream that has any.
	failed Position       // The event that has failed last.
	tries  int            // How often it has.
}

// ErrHeld is reported for an event that was set aside since an earlier one of its stream
// was.
var ErrHeld = errors.New("journal: an earlier event of the stream was set aside")

// NewOutbox returns the outbox that the configuration describes. [Outbox.Process] and
// [Outbox.Run] deliver.
func NewOutbox[E any](cfg OutboxConfig[E]) (*Outbox[E], error) {
	switch {
	case cfg.Name == "" || checkType(cfg.Name) != nil:
		return nil, fmt.Errorf("journal: OutboxConfig.Name is %q; it must not be empty, or begin with %q", cfg.Name, reserved)
	case cfg.Deliver == nil:
		return nil, errors.New("journal: OutboxConfig.Deliver is nil")
	case cfg.Backoff < 0:
		return nil, fmt.Errorf("journal: OutboxConfig.Backoff is %v; it must be positive, or 0 for 1 s", cfg.Backoff)
	case cfg.MaxBackoff < 0:
		return nil, fmt.Errorf("journal: OutboxConfig.MaxBackoff is %v; it must be positive, or 0 for 1 minute", cfg.MaxBackoff)
	case cfg.Attempts < -1:
		return nil, fmt.Errorf("journal: OutboxConfig.Attempts is %d; it must be positive, or 0 or -1 for no limit", cfg.Attempts)
	}
	o := &Outbox[E]{cfg: cfg, turn: make(chan struct{}, 1), held: map[string]int{}}
	var err error
	o.reader, err = NewProjection(ProjectionConfig[E]{Journal: cfg.Journal, Events: cfg.Events, Filter: cfg.Filter,
		Batch: cfg.Batch, Poll: cfg.Poll, Target: noTarget[E]{}})
	if err != nil {
		return nil, fmt.Errorf("journal: the outbox %q: %w", cfg.Name, err)
	}
	var ok bool
	if o.keeper, ok = cfg.Journal.store.(Keeper); !ok {
		return nil, fmt.Errorf("journal: the outbox %q: %w, and has no place for positions: %T", cfg.Name, ErrNoKeeper, cfg.Journal.store)
	}
	if o.cfg.Backoff == 0 {
		o.cfg.Backoff = time.Second
	}
	if o.cfg.MaxBackoff == 0 {
		o.cfg.MaxBackoff = time.Minute
	}
	o.cfg.MaxBackoff = max(o.cfg.MaxBackoff, o.cfg.Backoff)
	if o.cfg.Report == nil {
		o.cfg.Report = func(d Delivery[E], aside bool, err error) {
			slog.Warn("journal: an event was not delivered", "outbox", cfg.Name, "id", d.ID, "type", d.Type, "attempt", d.Attempt, "aside", aside, "error", err)
		}
	}
	return o, nil
}

// noTarget is for a projection that only reads.
type noTarget[E any] struct{}

func (noTarget[E]) Position(context.Context) (Position, error) { return 0, nil }

func (noTarget[E]) Handle(context.Context, []Envelope[E], Position) error { return nil }

// Lag returns how far the outbox is behind. Events that were set aside are not waited for.
func (o *Outbox[E]) Lag() Lag { return o.reader.Lag() }

// take waits for the turn to deliver.
func (o *Outbox[E]) take(ctx context.Context) error {
	select {
	case o.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (o *Outbox[E]) give() { <-o.turn }

// deliverAll delivers until nothing is left, or something fails. It returns after how long
// it wants to be called again, or 0.
func (o *Outbox[E]) deliverAll(ctx context.Context) (pause time.Duration, err error) {
	if err := o.take(ctx); err != nil {
		return 0, err
	}
	defer o.give()
	if err := o.load(ctx); err != nil {
		return 0, err
	}
	all, err := o.keeper.Positions(ctx)
	if err != nil {
		return 0, fmt.Errorf("journal: position of the outbox %q: %w", o.cfg.Name, err)
	}
	for at := all[o.cfg.Name]; ; {
		page, err := o.reader.page(ctx, at)
		if err != nil {
			return 0, fmt.Errorf("journal: the outbox %q: %w", o.cfg.Name, err)
		}
		if len(page) == 0 {
			o.reader.lag.Store(&Lag{Position: at})
			return 0, nil
		}
		o.reader.lag.Store(&Lag{at, len(page), max(0, time.Since(page[0].Time))})
		done, pause, err := o.deliverPage(ctx, page, at)
		// The effects come first: after a crash here the events are delivered again.
		if done != at {
			// The deliveries are noted even if ctx has ended.
			moved := o.keeper.MovePosition(context.WithoutCancel(ctx), o.cfg.Name, at, done)
			if moved != nil {
				return 0, errors.Join(err, fmt.Errorf("journal: move the outbox %q: %w", o.cfg.Name, moved))
			}
		}
		if err != nil || pause > 0 {
			return pause, err
		}
		at = done
	}
}

// deliverPage delivers events until one fails that has to be tried again. It returns the
// position of the last one that is dealt with.
func (o *Outbox[E]) deliverPage(ctx context.Context, page []Envelope[E], at Position) (done Position, pause time.Duration, err error) {
	for _, e := range page {
		if err := context.Cause(ctx); err != nil {
			return at, 0, err
		}
		d := Delivery[E]{Envelope: e, ID: deliveryID(e.Record), Attempt: 1}
		if o.failed == e.Position {
			d.Attempt += o.tries
		}
		held, failure := o.held[e.Stream] != 0, ErrHeld
		if !held {
			failure = o.deliver(ctx, d)
		}
		if failure != nil {
			if cause := context.Cause(ctx); cause != nil {
				return at, 0, cause // That is no failure of the event.
			}
			o.failed, o.tries = e.Position, d.Attempt
			aside := held || o.cfg.Attempts > 0 && d.Attempt >= o.cfg.Attempts
			if aside {
				if err := o.setAside(ctx, e.Record); err != nil {
					return at, 0, err
				}
			}
			o.cfg.Report(d, aside, failure)
			if !aside {
				return at, o.pause(d.Attempt), nil
			}
		}
		at = e.Position
	}
	return at, 0, nil
}

// pause returns how long to wait after a number of failures.
func (o *Outbox[E]) pause(failures int) time.Duration {
	pause := o.cfg.Backoff
	for n := 1; n < failures && pause < o.cfg.MaxBackoff; n++ {
		pause *= 2
	}
	return min(pause, o.cfg.MaxBackoff)
}

// deliver calls Deliver. A panic is an error.
func (o *Outbox[E]) deliver(ctx context.Context, d Delivery[E]) (err error) {
	returned := false
	defer func() {
		if !returned {
			err = workers.NewPanicError(recover())
		}
	}()
	err = o.cfg.Deliver(ctx, d)
	returned = true
	return err
}

// deliveryID returns the name of an event among all of a store. Versions are kept by a restore, and
// positions are not.
func deliveryID(r Record) string { return fmt.Sprintf("%s@%d", url.PathEscape(r.Stream), r.Version) }
