package task

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/workers"
)

// Join waits until all tasks have ended and returns what the joiner makes of
// them. Once the result is decided, or the group was cancelled, tasks are asked
// to end by their contexts, and Join still waits until they have. Later calls,
// and others at the same time, return the same; the slice is shared.
//
// If ctx ends first Join returns an [*UnfinishedError], which names the tasks
// that have not ended; they go on, and Join may be called again. A task that
// calls it for its own group gets [ErrSelfJoin], and so does the group's joiner.
// Inside a task of another group, or an actor, with that context, Join holds no
// worker.
func (g *Group[T]) Join(ctx context.Context) ([]T, error) {
	switch {
	case g == nil || g.s == nil:
		return nil, errNoGroup
	case ctx == nil:
		return nil, errNilContext
	case g.asksHere():
		return nil, ErrSelfJoin
	}
	g.mu.Lock()
	if g.joining {
		g.mu.Unlock()
	} else {
		g.joining, g.announced = true, true
		g.beginCounting()
		g.drain()
		g.release(workers.Current(ctx))
	}
	if err := g.wait(ctx, &g.joiners, g.finished); err != nil {
		return nil, err
	}
	g.result.Do(g.conclude)
	return g.values, g.err
}

// Wait is Join for errgroup-style code: it returns the error alone, and waits
// for as long as it takes.
func (g *Group[T]) Wait() error {
	if g == nil || g.s == nil {
		return errNoGroup
	}
	_, err := g.Join(context.WithoutCancel(g.scope.parent))
	return err
}

// finished closes the group if nothing is left. The caller holds mu.
func (g *Group[T]) finished() bool {
	if !g.closed && g.quiet() {
		g.closed = true
		g.unlist()
		if r, ok := g.owner.(*runKeeper); ok && g.everKept {
			r.forget((*kept[T])(g))
		}
	}
	return g.closed
}

// conclude has the joiner make the result.
func (g *Group[T]) conclude() {
	g.scope.leave()
	o := Outcome[T]{Decided: g.decisive, Count: g.count, group: g}
	if g.builtin {
		g.values, g.err = g.joiner.Result(o)
	} else if g.err = g.failure; g.err == nil {
		o.Tasks = slices.Collect(g.all)
		if failure := g.apart(func() { g.values, g.err = g.joiner.Result(o) }); failure != nil {
			g.values, g.err = nil, failure
		}
	}
	if g.opts.discard {
		g.values = nil
	}
}

// Next waits for a task to end and returns it: each one once, in the order in
// which they end. It returns [ErrNoMore] if all that were started have been
// returned, and an [*UnfinishedError] if ctx ends first. A task of the group, or a
// method of its joiner, gets tasks that have ended already, and [ErrSelfJoin] where
// it would have to wait.
func (g *Group[T]) Next(ctx context.Context) (*Task[T], error) {
	switch {
	case g == nil || g.s == nil:
		return nil, errNoGroup
	case ctx == nil:
		return nil, errNilContext
	case g.opts.discard:
		return nil, errDiscarded
	}
	var next *Task[T]
	err := g.wait(ctx, &g.takers, func() bool {
		if next = g.ready; next != nil && next != g.todo {
			g.ready = next.next
			return true
		}
		next = nil
		return g.quiet()
	})
	if err == nil && next == nil {
		err = ErrNoMore
	}
	return next, err
}

// All returns an iterator over the results of the tasks, in the order in which
// they end; see [Group.Next]. If ctx ends first, its last error is an
// [*UnfinishedError], and where Next returns [ErrSelfJoin], that.
func (g *Group[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			t, err := g.Next(ctx)
			if errors.Is(err, ErrNoMore) {
				return
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			if !yield(t.Result()) {
				return
			}
		}
	}
}

// wait waits, in one of the group's lists, until ok, which is called with mu
// held, returns true.
func (g *Group[T]) wait(ctx context.Context, where *[]*workers.Waiter, ok func() bool) error {
	if g.look(where, nil, ok) {
		return nil
	}
	if ctx.Value(memberKey{g}) != nil || g.asksHere() {
		return ErrSelfJoin
	}
	var w workers.Waiter
	w.Arm(ctx, g.s)
	defer w.Disarm()
	known := &joining{Waiter: w} // The caller that wakes it has a copy of its own.
	if f := w.Fiber(); f != nil {
		known.edge.Begin(f, (*awaited[T])(g))
		defer known.edge.End()
		known.edge.Raise()
	}
	w.Explain(g.s, func() string { return "for the tasks of a group" })
	invariants.Yield()
	for {
		if g.look(where, known, ok) {
			if known.lifts {
				g.lift(known.edge.Step)
			}
			return nil
		}
		if w.Wait(ctx) {
			continue
		}
		g.lift(known.edge.Leave)
		if g.look(where, nil, ok) {
			return nil
		}
		cause := workers.Cause(ctx) // Without the lock: it may ask the scope of this group.
		g.mu.Lock()
		defer g.mu.Unlock()
		forget(where, &known.Waiter)
		return &UnfinishedError{Cause: cause, Tasks: g.unfinished()}
	}
}

// joining is a caller of Join, Next or All that waits.
type joining struct {
	workers.Waiter
	edge  workers.Edge
	lifts bool // The edge counts although the wait is over.
}

// look returns the result of ok. If that is false and w is not nil, it adds w to the
// waiters at where.
func (g *Group[T]) look(where *[]*workers.Waiter, w *joining, ok func() bool) bool {
	g.mu.Lock()
	for {
		if w != nil {
			forget(where, &w.Waiter)
		}
		if where == &g.takers {
			g.watched.Store(true) // Then drain: the end of a task looks in the opposite order.
		}
		g.drain()
		done := ok()
		if done || w == nil {
			if w != nil {
				w.lifts = w.edge.Retire()
			}
			g.release(nil)
			return done
		}
		if g.settling || !g.decided || g.acted {
			*where = append(*where, &w.Waiter)
			g.mu.Unlock()
			return false
		}
		// The others are to be cancelled, which is done without the lock. A task that ends
		// meanwhile finds nobody to wake, so look again.
		g.release(nil)
		g.mu.Lock()
	}
}

// forget removes a waiter that was not woken.
func forget(where *[]*workers.Waiter, w *workers.Waiter) {
	if i := slices.Index(*where, w); i >= 0 {
		*where = slices.Delete(*where, i, i+1)
	}
}

// unfinished returns the tasks that have not ended. The caller holds mu.
func (g *Group[T]) unfinished() (infos []Info) {
	for t := range g.all {
		if !t.State().Ended() {
			info := t.about()
			info.Queued = g.opts.limit != 0 && info.State == workers.JobPending && !t.placed
			infos = append(infos, info)
		}
	}
	return infos
}
