package journal

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// Context is what a handler of an event-sourced actor knows. It is the actor's
// [actor.Context], and stores events besides.
type Context[M, E any] struct {
	*actor.Context[M]
	in *incarnation[M, E]
}

// Persist stores the events, all or none, and applies them. It returns when they are on
// disk, in a commit with the events of other actors; until then the handler holds no
// worker, and the actor handles nothing else.
//
// If Persist returns an error, nothing was applied. An event that is not in the set, or
// can't be encoded, or a context that has ended before the commit began, are the
// handler's to deal with: nothing is stored. After all other errors, the incarnation
// ends with the error when the handler returns, whatever it returns, and its supervisor
// begins another, which reads the truth from the store:
//
//   - [*ConflictError] and [*FencedError]: nothing is stored, since another writer was
//     first;
//   - [ErrUnknownOutcome]: nobody knows;
//   - an error of the store: nothing is stored.
//
// Without events Persist does nothing. It must not be called by two goroutines at a
// time, see [ErrBusy].
func (c *Context[M, E]) Persist(events ...E) error {
	if len(events) == 0 {
		return nil
	}
	return c.in.persist(c.Context, "", events)
}

// Once is Persist for the events of a command with an id. It returns false, and stores
// nothing, if the stream has that id already. A handler that first looks whether it can
// do the command asks [Context.WasDone] before. There must be an event, since the id is
// stored with it. An id has 1 to [MaxOnce] bytes.
func (c *Context[M, E]) Once(id string, events ...E) (first bool, err error) {
	if id == "" || len(events) == 0 {
		return false, fmt.Errorf("journal: Once with the id %q and %d events; it needs both", id, len(events))
	}
	err = c.in.persist(c.Context, id, events)
	if errors.Is(err, ErrDone) {
		return false, nil
	}
	return err == nil, err
}

// WasDone reports whether the stream has the events of the command with the id. It asks the
// store, together with the next commit. An error ends the incarnation as one of Persist
// does.
func (c *Context[M, E]) WasDone(id string) (bool, error) {
	if id == "" {
		return false, errors.New("journal: WasDone with an empty id")
	}
	err := c.in.persist(c.Context, id, nil)
	if errors.Is(err, ErrDone) {
		return true, nil
	}
	return false, err
}

// ID returns the id of the actor, as it was given to For.
func (c *Context[M, E]) ID() string { return c.in.self.id }

// Version returns how many events the stream has: the version of the state.
func (c *Context[M, E]) Version() uint64 { return c.in.self.version }

// Fence returns the fence of this incarnation, or 0. It is for calls of systems outside
// that check fences, too.
func (c *Context[M, E]) Fence() uint64 { return c.in.fence }

// Replaying is [Self.Replaying]. In a handler it is always false.
func (c *Context[M, E]) Replaying() bool { return c.in.self.replaying }

// schedulerOf returns the scheduler on which the actors of a system run.
func schedulerOf(sys *actor.System) *workers.Scheduler { return (*workers.Scheduler)(sys.Scheduler()) }
