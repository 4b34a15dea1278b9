package task

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// AsDetached is the option by which Detach opens its group.
var AsDetached Option = asDetached

// Slots returns how many tasks the slabs of g have room for.
func Slots[T any](g *Group[T]) (n int) {
	for s := &g.first; s != nil; s = s.next {
		n += len(s.tasks)
	}
	return n
}

// Listed returns how many groups the registry of s has.
func Listed(s *sched.Scheduler) int {
	r := registryOf((*workers.Scheduler)(s))
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.groups)
}

// Kept returns how many detached tasks the registry of s has, ended ones too.
func Kept(s *sched.Scheduler) int {
	r := registryOf((*workers.Scheduler)(s))
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.detached)
}

// KeptByRun returns how many groups the Run keeps whose body, or what is below it, has ctx.
func KeptByRun(ctx context.Context) int {
	r := ctx.Value(workers.KeeperKey{}).(*runKeeper)
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.groups)
}

// Touch takes the locks that a list of the scheduler's tasks needs, one after the
// other, and gives them back.
func Touch[T any](s *sched.Scheduler, g *Group[T]) {
	r := registryOf((*workers.Scheduler)(s))
	r.mu.Lock()
	r.mu.Unlock() //nolint:staticcheck // To wait for who has it.
	g.mu.Lock()
	g.mu.Unlock() //nolint:staticcheck // As above.
}
