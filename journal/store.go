package journal

import (
	"context"
	"iter"
	"math"
	"time"
)

// Position is the place of an event among all events of a store. Later events have
// larger positions, and the first event has a position above 0. Positions need not be
// consecutive.
type Position uint64

// AnyVersion is the expected version of a [Write] that appends at whatever version the
// stream has.
const AnyVersion uint64 = math.MaxUint64

const (
	// MaxEvent is how many bytes one encoded event may have.
	MaxEvent = 16 << 20
	// MaxStream is how many bytes the name of a stream may have.
	MaxStream = 1024
	// MaxOnce is how many bytes the id of a command may have; see Context.Once.
	MaxOnce = 255
	// MaxFence is the highest fence. Databases have signed integers.
	MaxFence uint64 = math.MaxInt64
)

// Encoded is an event, or a snapshot, as it is stored.
type Encoded struct {
	Type   string // The name by which it was registered.
	Schema int    // The version of its layout, from 1.
	Codec  string // The name of the codec that wrote Data.
	Data   []byte
}

// Write appends events to one stream, all or none. Stores fill in the results.
type Write struct {
	Stream string
	// Expected is the version that the stream must have: the number of its events. 0
	// means that there must be none, and AnyVersion that it does not matter.
	Expected uint64
	// Fence must not be lower than the highest fence that the stream has seen. A
	// higher one is remembered, even if the write is refused for another reason.
	Fence uint64
	// Once, if it is not empty, is the id of the command behind the events. A stream
	// accepts each id once.
	Once string
	// Time is stored with the events.
	Time time.Time
	// Events may be empty: such a write stores nothing but its fence, and its
	// results say how the stream stands.
	Events []Encoded

	// Version is a result: the version of the stream after the write.
	Version uint64
	// Err is a result: a [*ConflictError], a [*FencedError], [ErrDone], or nil if
	// the write is stored.
	Err error
}

// Record is an event as it was stored.
type Record struct {
	Stream   string
	Version  uint64 // From 1 in each stream, without gaps.
	Position Position
	Time     time.Time
	Once     string // The id of the command, with the first of its events only.
	Encoded
}

// Snapshot is the state after the event of the given version. The zero Snapshot stands
// for none.
type Snapshot struct {
	Stream  string
	Version uint64
	Encoded
}

// Filter selects events. The zero Filter selects all.
type Filter struct {
	Prefix string   // The stream's name begins with it.
	Types  []string // The event has one of these types. Nil selects all.
}

// Matches reports whether the filter selects the record.
func (f Filter) Matches(r Record) bool {
	if len(r.Stream) < len(f.Prefix) || r.Stream[:len(f.Prefix)] != f.Prefix {
		return false
	}
	for _, t := range f.Types {
		if t == r.Type {
			return true
		}
	}
	return f.Types == nil
}

// Store keeps streams of events. Package journaltest has a suite that says, case by
// case, what a store has to do. All methods may be called by several goroutines.
//
// A store refuses the empty stream name, and takes every other one of up to
// [MaxStream] bytes, whatever the bytes are.
type Store interface {
	// Append makes one durable commit of the batch. The writes are checked in their
	// order, each against the writes before it. A write that is refused has its Err
	// set and does not keep the others from being stored.
	//
	// When Append returns nil, all writes without an Err are on disk. When it returns
	// an error, nothing of the batch is stored, unless the error wraps
	// [ErrUnknownOutcome].
	Append(ctx context.Context, batch []*Write) error
	// Read yields the events of a stream above a version, in order. A stream that was
	// never written to is empty.
	Read(ctx context.Context, stream string, after uint64) iter.Seq2[Record, error]
	// Feed yields the events of all streams that lie after a position and match the
	// filter, in the order of their positions, and ends at the last one. It never
	// yields an event while one with a lower position may still be committed, so that
	// a reader that goes on from the last position misses none.
	Feed(ctx context.Context, after Position, f Filter) iter.Seq2[Record, error]
	// SaveSnapshot stores the snapshot in place of an older one. One that is older
	// than the stored one is dropped. It returns [ErrSnapshotAhead] if the stream
	// does not have the snapshot's version yet.
	SaveSnapshot(ctx context.Context, s Snapshot) error
	// LoadSnapshot returns the stream's snapshot, or the zero Snapshot.
	LoadSnapshot(ctx context.Context, stream string) (Snapshot, error)
}
