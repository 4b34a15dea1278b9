package supervise

import "errors"

var (
	// ErrIntensity is the reason of a supervisor that has stopped because its
	// children failed more often than its restart intensity allows. The error also
	// wraps the reason of the child that failed last.
	ErrIntensity = errors.New("supervise: restart intensity exceeded")

	// ErrTooFew is the reason of a supervisor that has stopped because for too long
	// fewer children were healthy than its minimum.
	ErrTooFew = errors.New("supervise: too few healthy children")

	// ErrStart is the reason of a supervisor that has stopped because one of its children
	// could not be started at first. The error names that child and wraps its reason. A
	// caller that has tried to start a child gets it, too.
	ErrStart = errors.New("supervise: the start failed")

	// ErrStartLimit is wrapped by the reason of a child that was killed because it
	// took longer to start than it may.
	ErrStartLimit = errors.New("supervise: the start took too long")

	// ErrIgnore is returned by a child's Started hook to say that there is nothing
	// to do: the child ends, which is no failure, and is not restarted by itself.
	ErrIgnore = errors.New("supervise: the child need not run")

	// ErrExists is returned when a child is added under the name of another one,
	// be that running or not.
	ErrExists = errors.New("supervise: there is a child of this name")

	// ErrNoChild is returned when a supervisor has no child of the given name or PID.
	ErrNoChild = errors.New("supervise: no such child")

	// ErrNotDown is returned when a child is to be started or deleted that has not
	// ended, or is about to be restarted.
	ErrNotDown = errors.New("supervise: the child is not down")

	// ErrTerminated is returned to a caller that waits for the start of a child that was
	// terminated meanwhile.
	ErrTerminated = errors.New("supervise: the child was terminated")

	// ErrWrongType is returned when a child takes other messages than was asked
	// for.
	ErrWrongType = errors.New("supervise: the child takes messages of another type")
)
