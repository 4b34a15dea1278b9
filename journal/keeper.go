package journal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// ErasedType is the type of the event that takes the place of an erased stream; see
// [Journal.Erase].
const ErasedType = reserved + "erased"

// reserved is how the types begin that the journal itself stores.
const reserved = "journal."

// Retention says which events [Journal.Trim] must leave. The zero Retention removes all
// that may be removed.
type Retention struct {
	// Keep is how many events below the snapshot stay. Defaults to none.
	Keep uint64
	// Before has events stay that were stored at this time or later. Defaults to no limit.
	Before time.Time
	// Position has events after it stay. It is for projections whose position the store
	// does not have: give it the lowest one. Defaults to no limit.
	Position Position
}

// Limit is for stores: it returns the position of the last event that may be removed, of
// those that projections have reached, and that no outbox has set aside. Positions are as in [Keeper].
func (r Retention) Limit(positions map[string]Position) Position {
	limit := Position(math.MaxInt64)
	if r.Position > 0 {
		limit = min(limit, r.Position)
	}
	for name, p := range positions {
		if strings.HasPrefix(name, asidePrefix) {
			p-- // The event itself stays.
		}
		limit = min(limit, p)
	}
	return limit
}

// Keeper is implemented by a [Store] that deletes events and keeps the positions of
// projections. The stores of this project do. Programs call [Journal.Erase] and
// [Journal.Trim], which check what a store can't see.
type Keeper interface {
	// Erase deletes all events of the stream and its snapshot, and stores one event of the
	// type [ErasedType] at the next version, in one transaction. Fence and version stay. It
	// does nothing to a stream that has no other event than that one. It returns the
	// stream's version, or [ErrNoStream].
	Erase(ctx context.Context, stream string, at time.Time) (version uint64, err error)
	// Trim deletes the first events of the stream in one transaction, and returns how many.
	// The event with the snapshot's version stays, and all after it; so do those after the
	// lowest position that the store has of a projection, and those that the retention
	// keeps. It returns [ErrNoStream] or [ErrNoSnapshot] for a stream without.
	Trim(ctx context.Context, stream string, r Retention) (removed uint64, err error)
	// Begin makes a stream that has a version, and no events up to it, as after Trim. It is
	// for copies. A stream that has a version already is a [*ConflictError].
	Begin(ctx context.Context, stream string, version uint64) error
	// Positions returns the positions of all projections by their names. Outboxes have names that
	// begin with "journal." besides, for events that they have set aside.
	Positions(ctx context.Context) (map[string]Position, error)
	// MovePosition moves the position of a projection, and returns [ErrMoved] if it is not
	// at from. A projection that is not known is at 0. At 0 it is forgotten, and holds up
	// no Trim.
	MovePosition(ctx context.Context, name string, from, to Position) error
}

// Erased returns the event that takes the place of an erased stream: the stores have it
// in common.
func Erased() Encoded {
	return Encoded{Type: ErasedType, Schema: 1, Codec: JSON.Name(), Data: []byte("{}")}
}

// Erase deletes all events of a stream, its snapshot and its command ids, for good. In their
// place is one event of the type [ErasedType], at the next version. So the version and the
// fence of the stream go on: another process that still has the actor gets a
// [*ConflictError] at its next Persist, and projections see the event if their set has an
// [Erasure]. An actor that begins on the stream is as new, with that version.
//
// It returns [ErrAlive] while an actor of this Journal has the stream, [ErrNoStream] for a
// stream that has no events, and [ErrNoKeeper] if the store can't delete. To erase a stream again
// does nothing. After [ErrUnknownOutcome], call it again.
//
// Copies are the caller's to find: backups, exports, the tables of projections.
func (j *Journal) Erase(ctx context.Context, stream string) error {
	k, err := j.keeper(stream)
	if err != nil {
		return err
	}
	if pid, alive := j.who(stream); alive {
		return fmt.Errorf("%w: stream %q, actor %v; stop it first", ErrAlive, stream, pid)
	}
	if _, err := k.Erase(ctx, stream, time.Now()); err != nil {
		return fmt.Errorf("journal: erase stream %q: %w", stream, err)
	}
	j.changed(ctx)
	return nil
}

// Trim deletes the first events of a stream, for good, and returns how many. The
// snapshot's own event and all after it stay: they make the state, with the snapshot. Events that a
// projection has not handled stay, too, if the store has its position: see
// [Keeper].Positions. A projection that begins later does not see what was deleted.
//
// The command ids of deleted events are gone: give [Retention].Before a time at which no
// client repeats a command any more. When the layout of snapshots changes, raise their
// version only while all events are there: an actor that has neither all events nor a
// snapshot of the present layout does not start, and its error wraps [ErrGap].
//
// It returns [ErrNoStream], [ErrNoSnapshot], and [ErrNoKeeper] if the store can't delete. Actors
// may live and write meanwhile.
func (j *Journal) Trim(ctx context.Context, stream string, r Retention) (removed uint64, err error) {
	k, err := j.keeper(stream)
	if err != nil {
		return 0, err
	}
	if removed, err = k.Trim(ctx, stream, r); err != nil {
		return removed, fmt.Errorf("journal: trim stream %q: %w", stream, err)
	}
	return removed, nil
}

// TrimAll trims all streams whose names begin with the prefix, one after the other, and
// returns how many events were deleted. Streams without a snapshot are left alone. After an
// error some streams are trimmed. The store must be a [Catalog], too.
func (j *Journal) TrimAll(ctx context.Context, prefix string, r Retention) (removed uint64, err error) {
	if j == nil || j.store == nil {
		return 0, errNoStore
	}
	list, ok := j.store.(Catalog)
	if !ok {
		return 0, fmt.Errorf("%w: %T does not list its streams", ErrNoKeeper, j.store)
	}
	for info, err := range list.Streams(ctx, prefix, "") {
		if err != nil {
			return removed, fmt.Errorf("journal: trim the streams with the prefix %q: %w", prefix, err)
		}
		if info.Snapshot == 0 {
			continue
		}
		n, err := j.Trim(ctx, info.Name, r)
		if errors.Is(err, ErrNoSnapshot) { // The stream was erased meanwhile.
			continue
		}
		if removed += n; err != nil {
			return removed, err
		}
	}
	return removed, nil
}

var errNoStore = errors.New("journal: no store; a Journal comes from journal.New with a store")

// keeper returns the store, if it can delete.
func (j *Journal) keeper(stream string) (Keeper, error) {
	if j == nil || j.store == nil {
		return nil, errNoStore
	}
	k, ok := j.store.(Keeper)
	if !ok {
		return nil, fmt.Errorf("%w: %T", ErrNoKeeper, j.store)
	}
	return k, CheckStream(stream)
}

// changed wakes the projections: an event was stored beside the committer.
func (j *Journal) changed(ctx context.Context) {
	j.mu.Lock()
	j.beside++
	watch := j.watch
	j.watch = nil
	j.mu.Unlock()
	for _, w := range watch {
		w.told(ctx)
	}
}

// checkType returns an error for a type that the journal stores itself.
func checkType(name string) error {
	if strings.HasPrefix(name, reserved) {
		return fmt.Errorf("journal: the type %q of an event: names that begin with %q are the journal's own; give it another one", name, reserved)
	}
	return nil
}
