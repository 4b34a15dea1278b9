package engine

import (
	"context"
	"iter"
	"time"
)

// Limits of a [Log].
const (
	// MaxBatch is the number of records that one Append may have: 1,000.
	MaxBatch = 1000
	// MaxBatchBytes is the size in bytes of the data that one Append may have: 8 MiB.
	MaxBatchBytes = 8 << 20
	// MaxInFlight is the largest number of unsettled records of a [Group]: 10,000.
	MaxInFlight = 10000
)

// A Record is an element of a [Log].
type Record struct {
	// Sequence is the number of the record. The first has 1. Append ignores it.
	Sequence uint64
	// Time is when the engine stored the record, by its clock. Append ignores it.
	Time time.Time
	// Key is empty, or has the form of a subject; see [Bus]. A [Group] may select it.
	Key string
	// ID is empty, or a name of up to 200 bytes without control characters. A log stores one
	// record with an ID only: an Append of the same ID within two minutes returns the
	// sequence of the first. A batch of several records must have no IDs.
	ID   string
	Data []byte
}

// LogConfig says what a log keeps. The zero value keeps everything.
type LogConfig struct {
	// MaxAge is how long a record is kept. 0 means for ever. It is at least 1 s.
	MaxAge time.Duration
	// MaxRecords is the number of records that are kept. 0 means no limit.
	MaxRecords int64
	// MaxBytes is the size of the records that are kept, as the engine counts it. 0 means no limit.
	MaxBytes int64
	// Refuse says what happens at MaxRecords and MaxBytes: Append returns [ErrFull].
	// Otherwise the oldest records are removed.
	Refuse bool
}

// LogInfo describes a log at one moment.
type LogInfo struct {
	First   uint64 // The sequence of the oldest record that is kept, or Last+1.
	Last    uint64 // The sequence of the newest record, also of one that was removed. 0 if there was none.
	Records uint64
	Bytes   uint64 // As the engine counts them.
}

// A Log is a sequence of records that is durable where the engine is. Records have
// ascending sequences, without gaps until some are removed.
//
// A call whose context ends, or whose answer is lost, returns an error that is
// [ErrUnknownOutcome]: the records may be stored, or may still be stored. A call whose
// context has ended before returns the cause, and stores nothing. Further errors are
// [*ConflictError], [ErrNotFound], [ErrUnavailable], [ErrInvalid], [ErrTooLong],
// [ErrFull], [ErrAmnesia] and [ErrClosed].
//
// All methods may be called by several goroutines.
type Log interface {
	// Append stores records, all or none, if the last record has the expected sequence, or
	// [Any]. It returns the sequence of the last record that it has stored. The records
	// are neighbours. They are not kept after the return. One record has up to [MaxValue]
	// bytes, a batch up to [MaxBatch] records and [MaxBatchBytes].
	Append(ctx context.Context, expected uint64, records ...Record) (uint64, error)

	// Read yields the records from a sequence on that are stored when it begins, and ends.
	// Removed ones are left out. The data belongs to the caller.
	Read(ctx context.Context, from uint64) iter.Seq2[Record, error]

	// Info returns what the log has.
	Info(ctx context.Context) (LogInfo, error)

	// Trim removes the records before a sequence. Groups do not see them again.
	Trim(ctx context.Context, before uint64) error

	// Group opens the named group, and makes it if there is none. A group that exists with
	// another configuration is [ErrExists].
	Group(ctx context.Context, name string, c GroupConfig) (Group, error)

	// Forget deletes the named group with its position. [ErrNotFound] means that there is
	// none. Calls of Next of such a group return [ErrNotFound].
	Forget(ctx context.Context, name string) error
}

// GroupConfig describes a group. It stays the same for the life of the group.
type GroupConfig struct {
	// From is the first sequence that the group receives. 0 means the first that is kept.
	From uint64
	// Key selects the records of one key. Empty means all.
	Key string
	// InFlight is how many records may be delivered and not settled, on all nodes
	// together. Defaults to 64. It is at most [MaxInFlight].
	InFlight int
	// Redeliver is how long a delivered record may stay unsettled until it is delivered
	// again. Defaults to 30 s. It is at least 100 ms.
	Redeliver time.Duration
}

// GroupInfo is the position of a group.
type GroupInfo struct {
	// Acked says that all records of the group up to this sequence are acknowledged.
	Acked uint64
	// InFlight is the number of records that are delivered and not settled.
	InFlight uint64
	// Waiting is the number of records that were never delivered.
	Waiting uint64
}

// A Group is a durable consumer of a [Log]. All who open a group by one name share its
// records: each is delivered to one of them, and again until it is acknowledged. A
// record is delivered again if it is refused, or not settled in time, so a program may
// see one twice. Records come in the order of the log, but for those that come again.
//
// All methods may be called by several goroutines.
type Group interface {
	// Next returns the next record. It waits for one until ctx ends, and returns the cause
	// then. No record is lost to a call that is cancelled.
	Next(ctx context.Context) (Delivery, error)
	// Info returns the position of the group. It may be a moment old.
	Info(ctx context.Context) (GroupInfo, error)
	// Close ends the use of the group here. Deliveries may still be settled.
	// The group keeps its position.
	Close() error
}

// A Delivery is a record that a [Group] has delivered. It has to be settled by Ack or Nack.
type Delivery struct {
	Record
	Attempt int // 1 when the record is delivered for the first time.
	Settler
}

// A Settler settles one delivery. After an error the record may be delivered again. The
// second settlement of one delivery has no effect and may return nil.
type Settler interface {
	// Ack says that the record is done. It waits until the engine has stored that.
	Ack(ctx context.Context) error
	// Nack has the record delivered again after the delay, which is 0 to 24 hours.
	Nack(ctx context.Context, delay time.Duration) error
}
