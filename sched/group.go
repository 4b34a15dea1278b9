package sched

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers/groups"
)

// Group runs many functions for which a handle each would be too much, and waits
// for all of them. It costs a third of what jobs do, and no allocation, so it is
// for work of less than a few microseconds. [Scheduler.NewGroup] makes one. Its
// methods are safe for concurrent use.
//
// The functions of a group have priority [Normal], no timeout, no kind, and don't
// count for Config.MaxQueued. Beyond that each is a piece of work like a job: it
// may wait or block and holds up no other, and a panic ends it alone.
type Group groups.Group

// Go has fn run. It never waits. It returns [ErrStopped] when the scheduler is
// stopping, unless the group has been given a context of running work, which is
// allowed to finish. The function sees what was written before Go.
func (g *Group) Go(fn func(ctx context.Context) error) error { return (*groups.Group)(g).Go(fn) }

// Wait waits until all functions that were given to Go have returned, and returns
// the first error among theirs, as [Job.Wait] has it; one that fails does not
// stop the others. If ctx ends first, Wait returns its cause. More functions may
// be given to the group meanwhile and afterwards. A function of the group, with
// its context, gets [ErrSelfWait].
func (g *Group) Wait(ctx context.Context) error { return (*groups.Group)(g).Wait(ctx) }
