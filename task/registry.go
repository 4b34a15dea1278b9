package task

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// registry is what is kept with a scheduler to list its tasks and to end them when a stop
// would wait no longer. Groups are entered, not tasks, once when the first task comes, so
// starting a task costs it nothing. A group leaves when Join closes it: what is listed is
// alive, and a program that opens one group after the other would have the collector go
// through the last 64 again and again. Groups that nobody joins are swept out if they have
// no tasks, when there are twice as many groups as the last sweep has left.
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
	retire()
	ownerID() uint64
	Cancel(cause error) bool
	// entry returns where the group's place in the list is kept, one more than its
	// index, and 0 while it has none: guarded by the registry's mu.
	entry() *int
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

func registryOf(s *workers.Scheduler) *registry {
	return s.Extension(registryKey{}, func() workers.Extension {
		return &registry{sweepAt: sweepMin, detached: make(map[detachedTask]struct{})}
	}).(*registry)
}

// enter enters a group that has a task, and is not entered. The caller holds the group's
// mu, and then, without that, calls entered.
func (r *registry) enter(g listed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.groups = append(r.groups, g)
	*g.entry() = len(r.groups)
}

// entered does what may follow from an entry.
func (r *registry) entered(g listed) {
	r.mu.Lock()
	var all []listed
	if len(r.groups) >= r.sweepAt {
		all, r.sweepAt = slices.Clone(r.groups), math.MaxInt // One sweep at a time.
	}
	r.mu.Unlock()
	if all != nil {
		r.sweep(all)
	}
	if r.forced.Load() {
		g.Cancel(workers.ErrStopped)
	}
}

// remove takes a group out, whose mu the caller holds.
func (r *registry) remove(g listed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.groups) - 1
	moved := r.groups[last]
	r.groups[*g.entry()-1], *moved.entry() = moved, *g.entry()
	r.groups[last] = nil
	r.groups = r.groups[:last]
	*g.entry() = 0
}

// sweep takes those out that have no tasks. It holds no lock while it asks them,
// since they enter and leave with theirs.
func (r *registry) sweep(all []listed) {
	for _, g := range all {
		g.retire()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweepAt = max(sweepMin, 2*len(r.groups))
}

// retire takes a group without tasks out of the list.
func (g *Group[T]) retire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.remaining() == 0 {
		g.unlist()
	}
}

// unlist takes the group out of the list if it is there. The caller holds mu.
func (g *Group[T]) unlist() {
	if g.listed {
		g.listed = false
		g.reg.remove(g)
	}
}

func (g *Group[T]) entry() *int { return &g.listedAt }

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
		g.Cancel(workers.ErrStopped)
	}
	for _, t := range detached {
		t.Cancel(workers.ErrStopped)
	}
}
