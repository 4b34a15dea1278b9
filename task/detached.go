package task

import (
	"cmp"
	"context"
	"slices"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/sched"
)

// Detach starts a task that belongs to nobody: it is not waited for, outlives the
// caller, and does not end with ctx, of which it has only the values. It is
// listed by [Detached]; a Stop of its scheduler waits for it, and cancels it, with
// the cause [sched.ErrStopped], when the Stop's context ends.
//
// It is the one way to let work run on by itself, so that a reader finds it by
// searching for the word. An error that nobody looks at is lost: look at the
// handle, or have fn report it.
func Detach[T any](ctx context.Context, fn func(ctx context.Context) (T, error), opts ...Option) (*Task[T], error) {
	g, err := NewGroup[T](ctx, AllCompleted[T](), append(opts[:len(opts):len(opts)], asDetached)...)
	if err != nil {
		return nil, err
	}
	t, err := g.Go(fn)
	if err != nil {
		return nil, err
	}
	invariants.Yield()
	t.Detach()
	return t, nil
}

func asDetached(o *options) { o.detached = true }

// Detached returns the detached tasks of a scheduler that have not ended, by id.
func Detached(s *sched.Scheduler) []Info {
	if s == nil {
		return nil
	}
	return byID(registryOf(s).detachedTasks())
}

// List returns all tasks of a scheduler that have not ended, by id. It takes about
// 1 us a task and holds up each group for as long as its part takes.
func List(s *sched.Scheduler) []Info {
	if s == nil {
		return nil
	}
	r := registryOf(s)
	r.mu.Lock()
	groups := slices.Clone(r.groups)
	r.mu.Unlock()
	var infos []Info
	for _, g := range groups {
		infos = g.appendLive(infos)
	}
	return byID(append(infos, r.detachedTasks()...))
}

func (r *registry) detachedTasks() (infos []Info) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for t := range r.detached {
		infos = append(infos, t.about())
	}
	return infos
}

func byID(infos []Info) []Info {
	slices.SortFunc(infos, func(a, b Info) int { return cmp.Compare(a.ID, b.ID) })
	return infos
}
