package strand

import "errors"

// ErrNoScheduler is returned when it is not known where a strand shall run: the
// context is of no strand, job, task or actor, and [On] is not given.
var ErrNoScheduler = errors.New("strand: no scheduler; pass the context of a strand, a job, a task or an actor, or the option On")

// ErrNotRunning is returned when what only the strand itself may do, on its own
// goroutine, is done by somebody else, or after its end.
var ErrNotRunning = errors.New("strand: only the strand itself can do this, while it runs")

// ErrClosed is returned by operations on a channel that was closed: at once to senders, and
// to receivers when nothing is left in it. It is not about connections; those say
// net.ErrClosed.
var ErrClosed = errors.New("strand: the channel is closed")

// ErrNotLocked is returned by Unlock of a mutex that is not locked.
var ErrNotLocked = errors.New("strand: Unlock of a mutex that is not locked")

// ErrNegative is returned when the counter of a wait group would fall below
// zero: Done was called more often than Add said.
var ErrNegative = errors.New("strand: the counter of the wait group would be negative")

// ErrMainEnded is the cause with which strands end when the main strand of [Run]
// has returned.
var ErrMainEnded = errors.New("strand: the main strand has ended")

var (
	errNilContext  = errors.New("strand: the context is nil; use context.Background()")
	errNilFunction = errors.New("strand: the function is nil")
	errNilChan     = errors.New("strand: the channel is nil; make one with NewChan")
)
