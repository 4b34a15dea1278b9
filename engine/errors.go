package engine

import (
	"errors"
	"fmt"
)

// Errors of a [Table], a [Log] and an [Engine]. The errors that calls return wrap these, and
// say what was asked for, and what to do.
var (
	// ErrNotFound is returned for a key without a value, and for a group that does not exist.
	ErrNotFound = errors.New("not found")
	// ErrExists is returned by an Open or Group of a name that has another configuration.
	ErrExists = errors.New("exists with another configuration")
	// ErrUnavailable is returned when nothing was written, since the engine has no leader,
	// no quorum, or no connection. The call may be made again later.
	ErrUnavailable = errors.New("the engine is unavailable, and nothing was written; call again later")
	// ErrUnknownOutcome is returned when a write may have been made. A program learns
	// more by a Get or Read, or writes again with an expected revision.
	ErrUnknownOutcome = errors.New("the write may or may not be made; read, then write with the expected revision")
	// ErrInvalid is returned for a name, key or setting that is not allowed.
	ErrInvalid = errors.New("not allowed")
	// ErrTooLong is returned for a value, record or batch over its limit.
	ErrTooLong = errors.New("too long")
	// ErrFull is returned by an Append to a log at its limit that refuses, and by writes
	// for which the disk has no room.
	ErrFull = errors.New("full")
	// ErrAmnesia is returned when the engine has acknowledged a write with a revision that
	// is not above one that it acknowledged before: it has lost what it stored. All
	// further writes of this table or log fail with it. See `troupe cluster repair`.
	ErrAmnesia = errors.New("the engine has lost acknowledged writes; stop what owns anything by it, and restore a backup")
)

// A ConflictError is returned by a write that expects another revision than there is.
type ConflictError struct {
	Where    string // Such as `table "members"`, or `log "orders"`.
	Key      string // Empty for a log.
	Expected uint64
	// Actual is the revision, or the last sequence of the log, as far as the engine tells
	// it. 0 means that the key has no value.
	Actual uint64
}

// Error says what was expected and what is there.
func (e *ConflictError) Error() string {
	what := "last sequence"
	where := e.Where
	if e.Key != "" {
		where, what = fmt.Sprintf("%s, key %q", e.Where, e.Key), "revision"
	}
	return fmt.Sprintf("engine: %s: the write expects the %s %d, and it is %d; read again, and decide anew", where, what, e.Expected, e.Actual)
}
