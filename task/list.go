package task

import (
	"cmp"
	"runtime"
	"slices"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// listedAtOnce is how many tasks are looked at while their group is held up. They
// are described, for about 1 us each, when it has been let go.
const listedAtOnce = 256

// List returns all tasks of a scheduler that have not ended, by id. It takes about
// 1 us a task, holds up each group for 256 of its tasks at a time, and gives way
// between. A task that starts meanwhile may be missed.
func List(s *sched.Scheduler) []Info {
	if s == nil {
		return nil
	}
	r := registryOf((*workers.Scheduler)(s))
	r.mu.Lock()
	groups := slices.Clone(r.groups)
	r.mu.Unlock()
	var infos []Info
	for _, g := range groups {
		infos = g.appendLive(infos)
	}
	return byID(append(infos, r.detachedTasks()...))
}

// OwnedBy returns the tasks that List has with the given Info.Owner, by id. It looks
// at each group of the scheduler, and at each task of the owner.
func OwnedBy(s *sched.Scheduler, owner uint64) []Info {
	if s == nil || owner == 0 {
		return nil
	}
	r := registryOf((*workers.Scheduler)(s))
	r.mu.Lock()
	groups := slices.Clone(r.groups)
	r.mu.Unlock()
	var infos []Info
	for _, g := range groups {
		if g.ownerID() == owner {
			infos = g.appendLive(infos)
		}
	}
	// A task that was detached meanwhile has left its owner.
	return byID(slices.DeleteFunc(infos, func(i Info) bool { return i.Owner != owner }))
}

// Detached returns the detached tasks of a scheduler that have not ended, by id.
func Detached(s *sched.Scheduler) []Info {
	if s == nil {
		return nil
	}
	return byID(registryOf((*workers.Scheduler)(s)).detachedTasks())
}

func (r *registry) detachedTasks() (infos []Info) {
	var all []detachedTask
	r.mu.Lock()
	for t := range r.detached { // Others may change it at a pause: what they add may be missed.
		if all = append(all, t); len(all)%listedAtOnce == 0 {
			r.mu.Unlock()
			runtime.Gosched()
			r.mu.Lock()
		}
	}
	r.mu.Unlock()
	for n, t := range all {
		if info := t.about(); !info.State.Ended() {
			infos = append(infos, info)
		}
		if n%listedAtOnce == listedAtOnce-1 {
			runtime.Gosched()
		}
	}
	return infos
}

// byID returns each task once. While a list was made, one may have taken another
// place in its group, or have left it: then that it is detached is the latest.
func byID(infos []Info) []Info {
	slices.SortFunc(infos, func(a, b Info) int {
		switch {
		case a.ID != b.ID:
			return cmp.Compare(a.ID, b.ID)
		case a.Detached == b.Detached:
			return 0
		case a.Detached:
			return -1
		}
		return 1
	})
	return slices.CompactFunc(infos, func(a, b Info) bool { return a.ID == b.ID })
}

// liveTask is a task that had not ended.
type liveTask[T any] struct {
	*Task[T]
	placed bool
}

// listing is a place among the tasks of a group.
type listing[T any] struct {
	slab  *slab[T] // The next one; nil behind the last.
	loose int      // How many of loose are left. From the end: what takes the place of one that leaves was there.
}

func (g *Group[T]) appendLive(infos []Info) []Info {
	g.mu.Lock()
	at := listing[T]{&g.first, len(g.loose)}
	g.mu.Unlock()
	var some []liveTask[T]
	for at.loose > 0 || at.slab != nil {
		some = g.someLive(&at, some[:0])
		for _, t := range some {
			info := t.about()
			info.Queued = g.opts.limit != 0 && info.State == workers.JobPending && !t.placed
			if !info.State.Ended() {
				infos = append(infos, info)
			}
		}
		runtime.Gosched()
	}
	return infos
}

// someLive appends the live ones of the next tasks.
func (g *Group[T]) someLive(at *listing[T], some []liveTask[T]) []liveTask[T] {
	look := func(t *Task[T]) {
		if t.place != 0 && !t.State().Ended() {
			some = append(some, liveTask[T]{t, t.placed})
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	looked := 0
	for at.loose = min(at.loose, len(g.loose)); at.loose > 0 && looked < listedAtOnce; looked++ {
		at.loose--
		look(g.loose[at.loose])
	}
	for ; at.slab != nil && looked < listedAtOnce; at.slab = at.slab.next {
		for i := range at.slab.tasks {
			look(&at.slab.tasks[i])
		}
		looked += len(at.slab.tasks)
	}
	return some
}
