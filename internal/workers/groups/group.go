package groups

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/internal/workers"
)

// Group runs many functions for which a handle each would be too much, and waits for all of
// them. See sched.Group.
//
// # Protocol
//
// The functions lie in batches, which are filled under the group's mutex. The first to be
// put into an empty group rings: it queues the group's node. The worker that runs the node
// takes the oldest batch, and rings again if there is another. So there is a queued node as
// long as there are functions, and a worker passes the lock once for up to 64 of them. A
// batch that is being run is queued as well, on the worker that runs it: should one of its
// functions hold the worker, or others have nothing to do, they steal the batch and call
// the rest of it. Each function of a batch is claimed by adding to the batch's counter.
type Group struct {
	s    *workers.Scheduler
	ctx  context.Context // For the functions.
	node workers.Node    // The bell.

	mu           sync.Mutex
	oldest, last *batch
	left         int // Functions that have not returned.
	free         *batch
	freeN        int
	err          error
	waiters      []*groupWaiter
	rung         bool // The bell is queued, or about to be.
}

// keepBatches is how many empty batches a group keeps, so that one which is
// filled as fast as it is emptied does not allocate: 9 KB.
const keepBatches = 16

var (
	errNilGroupContext  = errors.New("sched: NewGroup was given a nil context; use context.Background()")
	errNilGroupFunction = errors.New("sched: Group.Go was given a nil function")
	errNilWait          = errors.New("sched: Wait was given a nil context; use context.Background()")
	errNoGroup          = errors.New("sched: the group has no scheduler; use the one that NewGroup returns")
)

// New returns an empty group, whose functions are given a context derived
// from ctx that also knows the worker, as [workers.Scheduler.Go] has it.
func New(ctx context.Context, s *workers.Scheduler) (*Group, error) {
	if ctx == nil {
		return nil, errNilGroupContext
	}
	g := &Group{s: s, ctx: ctx}
	g.node.Init(g)
	return g, nil
}

// Go has fn run. See sched.Group.Go.
func (g *Group) Go(fn func(ctx context.Context) error) error {
	switch {
	case fn == nil:
		return errNilGroupFunction
	case g == nil || g.s == nil:
		return errNoGroup
	}
	g.mu.Lock()
	if g.s.Stopping() && workers.Current(g.ctx) == nil {
		g.mu.Unlock()
		return workers.ErrStopped
	}
	if g.last == nil || g.last.n == batchSize {
		g.append(g.newBatch())
	}
	g.last.fns[g.last.n] = fn
	g.last.n++
	g.left++
	ring := !g.rung
	g.rung = true
	g.mu.Unlock()
	if ring {
		return g.ring()
	}
	return nil
}

// ring queues the group for the first of its functions, or takes them back.
func (g *Group) ring() error {
	s := g.s
	if from := workers.Current(g.ctx).Within(s); from != nil {
		from.Counters().Accepted++
		from.Submit(&g.node, workers.Normal)
		return nil
	}
	// As where a job is accepted: a Stop in between either sees the group or is seen here.
	s.Comes()
	if s.Stopping() {
		g.drop()
		s.Goes()
		return workers.ErrStopped
	}
	s.Share(&g.node, workers.Normal)
	return nil
}

func (g *Group) append(b *batch) {
	if g.last == nil {
		g.oldest = b
	} else {
		g.last.next = b
	}
	g.last = b
}

// newBatch returns an empty batch. The caller holds mu.
func (g *Group) newBatch() *batch {
	b := g.free
	if b == nil {
		b = &batch{group: g}
		b.node.Init(b)
		return b
	}
	g.free, b.next = b.next, nil
	g.freeN--
	return b
}

// Run takes a batch and runs it. It is called by the scheduler.
func (g *Group) Run(f *workers.Fiber, _ workers.Priority) {
	g.mu.Lock()
	b := g.oldest
	g.oldest, b.next = b.next, nil
	more := g.oldest != nil
	if !more {
		g.last = nil
	}
	g.rung = more
	g.mu.Unlock()
	if more {
		f.Counters().Accepted++
		g.s.Share(&g.node, workers.Normal)
	}
	f.Counters().Ended++ // The bell; what follows counts for itself.
	b.users.Store(1)
	b.Run(f, workers.Normal)
}

// Abandon gives up what has not been taken.
func (g *Group) Abandon() {
	g.drop()
	g.s.Goes()
}

func (g *Group) drop() {
	g.mu.Lock()
	dropped := 0
	for b := g.oldest; b != nil; b = b.next {
		dropped += b.n
	}
	g.oldest, g.last, g.rung = nil, nil, false
	g.mu.Unlock()
	g.ended(nil, dropped, workers.ErrStopped)
}

// ended counts functions to their end. f is the caller's fiber, or nil.
func (g *Group) ended(f *workers.Fiber, n int, err error) {
	g.mu.Lock()
	if g.err == nil {
		g.err = err
	}
	var waiters []*groupWaiter
	if g.left -= n; g.left == 0 {
		waiters, g.waiters = g.waiters, nil
	}
	for _, w := range waiters {
		w.over = true
	}
	g.mu.Unlock()
	for _, w := range waiters {
		w.Wake(f, workers.Normal)
	}
}

// groupWaiter is somebody who waits for a group's functions.
type groupWaiter struct {
	workers.Waiter
	over bool // All have returned. Guarded by the group's mutex.
}

// Wait waits until all functions that were given to Go have returned, and returns the first
// error among theirs, as [workers.Job.Wait] has it; one that fails does not stop the others. See
// sched.Group.Wait.
func (g *Group) Wait(ctx context.Context) error {
	switch {
	case g == nil || g.s == nil:
		return errNoGroup
	case ctx == nil:
		return errNilWait
	}
	if isPartOf(ctx, g) {
		return workers.ErrSelfWait
	}
	var w workers.Waiter
	g.mu.Lock()
	if g.left == 0 {
		defer g.mu.Unlock()
		return g.err
	}
	w.Arm(ctx, g.s)
	known := &groupWaiter{Waiter: w} // The caller that ends the last function has a copy of its own.
	g.waiters = append(g.waiters, known)
	g.mu.Unlock()
	defer w.Disarm()
	w.Explain(g.s, func() string { return "for the functions of a group" })
	for {
		goOn := w.Wait(ctx)
		g.mu.Lock()
		over, err := known.over, g.err
		if !over && !goOn {
			g.waiters = slices.DeleteFunc(g.waiters, func(w *groupWaiter) bool { return w == known })
		}
		g.mu.Unlock()
		switch {
		case over:
			return err
		case !goOn:
			return context.Cause(ctx)
		}
	}
}
