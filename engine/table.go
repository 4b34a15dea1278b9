package engine

import (
	"context"
	"iter"
	"time"
)

// Limits of a [Table].
const (
	// MaxKey is the length in bytes of the longest key: 200.
	MaxKey = 200
	// MaxValue is the length in bytes of the largest value of a [Table], and of the largest
	// [Record] of a [Log]: 512 KiB.
	MaxValue = 512 << 10
	// MinTTL is the shortest time after which an entry may end: 1 s.
	MinTTL = time.Second
	// MaxTTL is the longest time after which an entry may end: 10 years.
	MaxTTL = 10 * 365 * 24 * time.Hour
	// DeletionsKept says how long a Table remembers at least that a key was deleted. A Watch
	// that goes on from an older revision may miss deletions.
	DeletionsKept = time.Hour
)

// Expected revisions with a meaning of their own.
const (
	// Absent is the expected revision of a key that has no value.
	Absent uint64 = 0
	// Any accepts each revision, and keys without a value.
	Any uint64 = 1<<64 - 1
)

// An Entry is a key with its value. The revision of an entry is the number of the write
// that made it. A later write of the same table has a greater revision.
type Entry struct {
	Key      string
	Value    []byte
	Revision uint64
}

// A Change is what [Table.Watch] yields.
type Change struct {
	Entry
	// Deleted says that the key has no value any more: it was deleted, or its time is over.
	Deleted bool
	// Current says that the watch has now yielded all that was in the table when it began.
	// Such a change has no key and comes once.
	Current bool
}

// A Table holds values by key. The writes of one key are linearizable: of several writes
// that expect one revision, one succeeds. A read may return an earlier value for some
// seconds after a failure of a node, so a read is a hint. A program decides by a Put or
// Delete that expects the revision that it has read.
//
// A key has the form of a subject; see [Bus].
//
// A call whose context ends, or whose answer is lost, returns an error that is
// [ErrUnknownOutcome]: the write may be made, or may still be made. A call whose context
// has ended before returns the cause, and writes nothing. Further errors are
// [*ConflictError], [ErrNotFound], [ErrUnavailable], [ErrInvalid], [ErrTooLong],
// [ErrAmnesia] and [ErrClosed].
//
// All methods may be called by several goroutines.
type Table interface {
	// Get returns the entry of a key, or [ErrNotFound].
	Get(ctx context.Context, key string) (Entry, error)

	// Put stores a value, of up to [MaxValue] bytes, if the key has the expected revision,
	// and returns the new one. The key may be [Absent], or have [Any] revision. The entry
	// ends after ttl, which is rounded up to whole seconds; 0 means never. Each Put of a
	// key replaces its ttl. The value is not kept after the return.
	Put(ctx context.Context, key string, value []byte, expected uint64, ttl time.Duration) (uint64, error)

	// Delete removes the value of a key that has the expected revision, and returns the
	// revision of the deletion. A key without a value is [ErrNotFound].
	Delete(ctx context.Context, key string, expected uint64) (uint64, error)

	// Watch yields the newest state of each key that was written after a revision, in the
	// order of revisions, and then each change, until ctx ends or the loop does. With after
	// 0 it begins with all entries of the table. Once it has yielded what was there when it
	// began, it yields a change that is Current. A watch that is slower than the writers
	// may leave out states of a key that were replaced meanwhile. It never leaves out the
	// newest one. The last step of a watch that fails has an error. The value belongs to
	// the caller.
	Watch(ctx context.Context, after uint64) iter.Seq2[Change, error]
}
