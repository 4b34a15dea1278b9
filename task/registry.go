package task

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/internal/xatomic"
	"github.com/troupe-go/troupe/sched"
)

// registry is what is kept with a scheduler to list its tasks and to end them
// when a stop would wait no longer. Groups are entered, not tasks, once when the
// first task comes; they are swept out, when there are twice as many as were left
// by the last sweep, if they have no tasks. So starting a task costs it nothing.
type registry struct {
	forced xatomic.Bool // A stop has not waited.

	mu       xatomic.Mutex
	groups   []listed
	sweepAt  int
	detached map[detachedTask]struct{}
}

// listed is a group, whatever its type.
type listed interface {
	appendLive(infos []Info) []Info
	retire() bool
	Cancel(cause error) bool
}

// detachedTask is a task that has left its group.
type detachedTask interface {
	about() Info
	Cancel(cause error) bool
}

// sweepMin is how many groups are entered before the first sweep. Picked out of
// thin air.
const sweepMin = 64

type registryKey struct{}

func registryOf(s *sched.Scheduler) *registry {
	return s.Extension(registryKey{}, func() sched.Extension {
		return &registry{sweepAt: sweepMin, detached: make(map[detachedTask]struct{})}
	}).(*registry)
}

// add enters a group that has a task.
func (r *registry) add(g listed) {
	r.mu.Lock()
	r.groups = append(r.groups, g)
	var all []listed
	if len(r.groups) >= r.sweepAt {
		all, r.sweepAt = slices.Clone(r.groups), math.MaxInt // One sweep at a time.
	}
	r.mu.Unlock()
	if all != nil {
		r.sweep(all)
	}
	if r.forced.Load() {
		g.Cancel(sched.ErrStopped)
	}
}

// sweep takes those out that have no tasks. It holds no lock while it asks them,
// since they enter detached tasks with theirs. A group that is entered again
// meanwhile is in the list twice, and loses the first entry.
func (r *registry) sweep(all []listed) {
	retired := make(map[listed]bool)
	for _, g := range all {
		if g.retire() {
			retired[g] = true
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.groups = slices.DeleteFunc(r.groups, func(g listed) bool {
		drop := retired[g]
		delete(retired, g)
		return drop
	})
	r.sweepAt = max(sweepMin, 2*len(r.groups))
}

// retire takes a group without tasks out of the list. It returns false if it has
// any.
func (g *Group[T]) retire() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.listed = g.remaining() > 0
	return !g.listed
}

func (g *Group[T]) appendLive(infos []Info) []Info {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append(infos, g.unfinished()...)
}

// detach enters a task that leaves its group, unless it has ended.
func (r *registry) detach(t detachedTask, s *standing) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !s.transitionTo(detached) {
		return false
	}
	r.detached[t] = struct{}{}
	return true
}

func (r *registry) removeDetached(t detachedTask) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.detached, t)
}

// Forced ends all tasks. It is called by the scheduler.
func (r *registry) Forced() {
	r.forced.Store(true)
	r.mu.Lock()
	groups := slices.Clone(r.groups)
	var detached []detachedTask
	for t := range r.detached {
		detached = append(detached, t)
	}
	r.mu.Unlock()
	for _, g := range groups {
		g.Cancel(sched.ErrStopped)
	}
	for _, t := range detached {
		t.Cancel(sched.ErrStopped)
	}
}
