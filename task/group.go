package task

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/gid"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Group is a set of tasks that are started, waited for and cancelled together.
// [NewGroup] makes one, and [Run] one that nothing outlives. Its methods may be
// called from any goroutine.
type Group[T any] struct {
	// # Protocol
	//
	// A task's end is an event in a list, the first of which that the joiner has not seen
	// is todo. A caller that finds nobody at it, and holds mu, hands the events to the joiner, one
	// after the other: so the joiner is asked in order and by one at a time, and a joiner
	// of the user's is asked without a lock. A task is left until the joiner has seen its
	// end. After a decision the others are cancelled at the end, without a lock, since that
	// brings more ends.
	scope  Scope
	s      *workers.Scheduler
	reg    *registry
	joiner Joiner[T]
	// builtin says that the joiner does not call back, calm that nothing follows
	// from a success or a cancellation but at the end.
	builtin, calm bool
	owner         workers.Keeper // The actor, say, with whose context it was opened, or nil.
	frame         *workers.Frame // Leads from the opener's context to its fiber; nil if there is none.
	opts          options
	turns         *turns // Of tasks that wait for each other to begin, or nil.
	opener        gid.ID // The goroutine that NewGroup was called on.
	// asking is the goroutine, a gid.ID, on which a joiner of the user's is being asked,
	// or 0. Written by that goroutine, and compared with its own by who waits.
	asking atomic.Uintptr

	_ [cacheLine]byte // The end of a task writes the fields below, and none above.
	// news are the tasks that have ended and are not in the list yet, the last one first.
	// Written where a task ends, taken by the holder of mu.
	news xatomic.Pointer[Task[T]]
	// left is how many are in the group and not in the news, and uncounted more until
	// counting. Except for the started tasks it is written where a task ends.
	left xatomic.Int64
	// watched says that somebody waits in takers. It pairs with news: a taker sets it, then
	// looks at the news; the end of a task adds to the news, then looks at it.
	watched xatomic.Bool
	// adopting holds up the ends of jobs. See anyRuns. Written under mu.
	adopting xatomic.Bool
	// over says that it is decided, and that nothing follows from any end but the
	// last. Written under mu.
	over xatomic.Bool
	_    [cacheLine]byte // And from here on, where a task is started.

	mu        xatomic.Mutex
	newest    *slab[T] // The one that the next task comes from.
	unused    *Task[T] // The ones that were given back.
	first     slab[T]
	only      [1]Task[T] // In the first slab: many groups have no more.
	loose     []*Task[T] // Tasks that are in no slab.
	queue     []*Task[T] // Tasks that wait for a place, the first one first.
	placed    int        // How many take a place.
	count     Count      // The joiner has seen the ends of as many.
	ended     list[T]    // In the order in which they ended.
	todo      *Task[T]
	ready     *Task[T] // The first that Next has not returned.
	listed    bool     // The registry has the group.
	listedAt  int      // Its place there. The registry's.
	kept      bool     // The end of owner waits for the tasks.
	everKept  bool     // It did at some time.
	counting  bool     // See beginCounting.
	joining   bool
	announced bool // The joiner wants to know of joining.
	urgent    int  // How many callers of Join, Next and All are; see awaited.
	settling  bool // Somebody hands events to the joiner.
	decided   bool
	acted     bool // The others were cancelled for it.
	decisive  *Task[T]
	cancelled bool
	closed    bool
	failure   error             // The joiner's own panic.
	joiners   []*workers.Waiter // The callers that wait for the end of all.
	takers    []*workers.Waiter // The callers that wait for the end of any.

	result xatomic.Once
	values []T
	err    error
}

// NewGroup returns a group without tasks. Their contexts have the values of ctx
// and its deadline, and end when it does. If ctx is the context of an actor, the
// end of the actor cancels them and waits for them. The tasks run on the scheduler
// on which ctx is at home, or on that given by [On], with no timeout but the
// deadline of ctx. A nil joiner means [FirstFailure].
//
// The maker of a group calls Join, or Cancel; [Run] cannot forget it.
func NewGroup[T any](ctx context.Context, j Joiner[T], opts ...Option) (*Group[T], error) {
	if ctx == nil {
		return nil, errNilContext
	}
	o, err := apply(opts)
	if err != nil {
		return nil, err
	}
	if j == nil {
		j = FirstFailure[T]()
	}
	g := &Group[T]{joiner: j, opts: o, turns: newTurns(o.stagger), opener: gid.Current()}
	g.frame, _ = ctx.Value(workers.FrameKey{}).(*workers.Frame)
	if own, ok := j.(builtin); ok {
		traits := own.traits()
		g.builtin, g.calm = true, traits.calm && !o.discard
		switch {
		case traits.wrong != nil:
			return nil, traits.wrong
		case traits.values && o.discard:
			return nil, fmt.Errorf("task: %s needs the values of its tasks, which Discard drops", traits.name)
		}
	}
	g.scope.parent, g.scope.shielded = ctx, o.detached
	if g.s = o.s; g.s == nil {
		if g.s = g.home(); g.s == nil {
			return nil, ErrNoScheduler
		}
	}
	g.scope.s = g.s
	g.reg = registryOf(g.s)
	g.scope.onEnd = g.cancelTasks
	if !o.detached {
		g.owner, _ = ctx.Value(workers.KeeperKey{}).(workers.Keeper)
	}
	g.left.Store(uncounted)
	if g.owner != nil || !g.calm {
		g.beginCounting() // Each end may be of interest.
	}
	if !o.discard {
		g.first.tasks = g.only[:]
		g.newest = &g.first
	}
	return g, nil
}

// home returns the scheduler on which the opener's context is at home, or nil.
// Unlike workers.Current it is found also by goroutines to which that was passed, and
// by the body of a Run that was given one.
func (g *Group[T]) home() *workers.Scheduler {
	if g.frame != nil {
		if f := g.frame.Fiber(); f != nil {
			return f.Scheduler()
		}
	}
	for sc := scopeOf(g.scope.parent); sc != nil; sc = scopeOf(sc.parent) {
		if sc.s != nil {
			return sc.s
		}
	}
	return nil
}

// caller returns the fiber that the caller runs on if it is the one that the opener's
// context leads to, and else nil.
func (g *Group[T]) caller() *workers.Fiber {
	if g.frame != nil {
		if f := g.frame.Current(); f != nil {
			return f
		}
	}
	return workers.Current(g.scope.parent) // It may lead elsewhere by now, where an actor asks.
}

// Go starts fn as a task. It never waits, with two exceptions: if
// Config.MaxQueued of the scheduler says so, and on the goroutine that made the
// group. It may be called by the group's tasks, also while Join waits. In a group that was
// cancelled or decided, the task ends at once with that cause, and fn is not
// called. Go returns [ErrClosed] after Join has returned a result,
// [sched.ErrStopped] if the scheduler is stopping and it is no task of the group
// that calls, and to a joiner's Decide the cause if the group was cancelled.
func (g *Group[T]) Go(fn func(ctx context.Context) (T, error)) (*Task[T], error) {
	return g.GoNamed("", fn)
}

// GoNamed is Go for a task with a name, which is told in listings and errors.
func (g *Group[T]) GoNamed(name string, fn func(ctx context.Context) (T, error)) (*Task[T], error) {
	switch {
	case g == nil || g.s == nil:
		return nil, errNoGroup
	case fn == nil:
		return nil, errNilFunction
	}
	if name == "" {
		return g.start(fn, reflect.ValueOf(fn).Pointer(), nil)
	}
	own := name // So that only a name that is given is on the heap.
	return g.start(fn, reflect.ValueOf(fn).Pointer(), &own)
}

// Do is Go for a function without a value, as errgroup has it. Its result is the
// zero value.
func (g *Group[T]) Do(fn func(ctx context.Context) error) (*Task[T], error) {
	switch {
	case g == nil || g.s == nil:
		return nil, errNoGroup
	case fn == nil:
		return nil, errNilFunction
	}
	return g.start(fn, reflect.ValueOf(fn).Pointer(), nil)
}

// start has a new task run. The scheduler takes it on under the group's lock, so that
// a task takes one lock, and no atomic operation for its place in a slab.
func (g *Group[T]) start(work any, code uintptr, name *string) (*Task[T], error) {
	if err := g.mayStart(); err != nil {
		return nil, err
	}
	a := workers.Admission{Kind: g.opts.name, Priority: g.opts.priority, From: g.caller()}
	// A task that starts others must not wait for room, since what is queued may
	// wait for it. Whether the caller is one is not known, unless it is the opener.
	a.Wait = a.From == nil && g.opener == gid.Current()
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return nil, ErrClosed
	}
	t := g.newTask()
	t.work, t.code, t.name = work, code, name
	from, err := g.adopt(t, a)
	if err != nil {
		g.giveBack(t)
		g.mu.Unlock()
		return nil, err
	}
	if err := g.add(t, from); err != nil {
		return nil, err
	}
	return t, nil
}

// mayStart refuses a joiner that starts a task in a group which has ended: that task
// would end at once, the joiner be asked again, and so on.
func (g *Group[T]) mayStart() error {
	if !g.asksHere() {
		return nil
	}
	if cause := g.scope.Cause(); cause != nil {
		return fmt.Errorf("task: a joiner starts a task in a group that has been cancelled: %w", cause)
	}
	return nil
}

// adopt makes t a job, and returns the fiber on which it is to be queued. The caller
// holds mu, without which this may wait.
func (g *Group[T]) adopt(t *Task[T], a workers.Admission) (*workers.Fiber, error) {
	if a.Wait {
		g.mu.Unlock()
	}
	err := g.s.Adopt((*body[T])(t), a)
	if a.Wait {
		g.mu.Lock()
	}
	if err == nil || !errors.Is(err, workers.ErrStopped) {
		return a.From, err
	}
	g.adopting.Store(true)
	defer g.adopting.Store(false)
	if a.Nested = g.anyRuns(); a.Nested {
		err = g.s.Adopt((*body[T])(t), a)
	}
	return nil, err
}

// anyRuns reports whether a task of the group has begun and not ended. Its job
// does not end while adopting is set and the caller holds mu: it looks at that
// after its state has changed.
func (g *Group[T]) anyRuns() bool {
	for t := range g.all {
		switch t.State() {
		case workers.JobRunning, workers.JobPreempted, workers.JobWaiting:
			return true
		}
	}
	return false
}

// add takes t into the group, unlocks mu, and queues t if there is a place.
func (g *Group[T]) add(t *Task[T], from *workers.Fiber) error {
	if g.closed { // While it waited for room.
		g.mu.Unlock()
		t.standing.transitionTo(refused)
		t.Cancel(ErrClosed)
		g.s.Enqueue(from, (*body[T])(t)) // Its entry is void.
		return ErrClosed
	}
	g.enter(t)
	g.started(1)
	if g.turns != nil {
		g.turns.enter(t)
	}
	t.lifted = g.urgent > 0
	lifted, cancelled := t.lifted, g.cancelled
	start := g.opts.limit == 0 || g.placed < g.opts.limit || cancelled
	switch {
	case g.opts.limit == 0:
	case start:
		t.placed = true
		g.placed++
	default:
		g.queue = append(g.queue, t)
	}
	list := !g.listed
	if list {
		g.listed = true
		g.reg.enter(g)
	}
	if g.owner != nil && !g.kept {
		g.kept = g.owner.Keep((*kept[T])(g))
		g.everKept = g.everKept || g.kept
	}
	g.mu.Unlock()
	if list {
		g.reg.entered(g)
	}
	if cancelled {
		t.Cancel(g.scope.Cause())
	}
	if lifted {
		workers.Lift((*body[T])(t), 1)
	}
	if start {
		g.s.Enqueue(from, (*body[T])(t))
	}
	return nil
}

// Cancel ends the contexts of all tasks with a cause; nil means
// [context.Canceled]. Tasks that have not begun never do. It reports whether the
// group had not ended. It never waits; Join does.
func (g *Group[T]) Cancel(cause error) bool {
	return g != nil && g.s != nil && g.scope.Cancel(cause)
}

// Scope returns the group's scope, by which its deadline can be moved.
func (g *Group[T]) Scope() *Scope {
	if g == nil {
		return nil
	}
	return &g.scope
}

// Tasks returns the tasks in the order of Go; with [Discard] those that have not
// succeeded, in no order.
func (g *Group[T]) Tasks() []*Task[T] {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(g.all)
}

// cancelTasks is called when the scope has ended.
func (g *Group[T]) cancelTasks(cause error) {
	g.mu.Lock()
	if g.cancelled || g.closed {
		g.mu.Unlock()
		return
	}
	g.cancelled = true
	tasks := make([]*Task[T], 0, g.count.Started)
	for t := range g.all {
		tasks = append(tasks, t)
	}
	queue := g.queue
	g.queue = nil
	g.mu.Unlock()
	for _, t := range tasks {
		if !workers.ParentEnded((*body[T])(t)) {
			t.Cancel(cause)
		}
	}
	for _, t := range queue {
		g.s.Enqueue(nil, (*body[T])(t)) // Void, but counted.
	}
}

// detach takes t out of the group.
func (g *Group[T]) detach(t *Task[T]) bool {
	_ = g.scope.state() // From here on the scope knows whether its surroundings have ended.
	g.mu.Lock()
	if t.State().Ended() || g.scope.ended.Load() || !g.reg.detach(t, &t.standing) {
		g.mu.Unlock()
		return false
	}
	g.remove(t)
	lifted := t.lifted
	t.lifted = false
	g.started(-1)
	g.announced = g.joining // The joiner may see that too few are left.
	g.drain()
	g.release(nil)
	if lifted {
		workers.Lift((*body[T])(t), -1)
	}
	return true
}
