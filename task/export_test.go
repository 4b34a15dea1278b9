package task

import "github.com/troupe-go/troupe/sched"

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
	r := registryOf(s)
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.groups)
}
