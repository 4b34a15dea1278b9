package task

import (
	"github.com/troupe-go/troupe/internal/gid"
	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// list is a queue of tasks, linked by their next.
type list[T any] struct{ first, last *Task[T] }

// add adds the tasks from first to last, which are linked.
func (l *list[T]) add(first, last *Task[T]) {
	if l.last == nil {
		l.first = first
	} else {
		l.last.next = first
	}
	l.last = last
}

// taskEnded is called for each task when its job has its result, by the job, and by callers
// that have seen the result before. f is the job's fiber, or nil.
func (g *Group[T]) taskEnded(t *Task[T], f *workers.Fiber) {
	if g.opts.limit != 0 {
		g.giveUpPlace(t, f)
	}
	if !t.standing.transitionTo(ending) {
		if t.standing.is(detached) {
			g.reg.removeDetached(t)
		}
		return
	}
	calm := g.decidesNothing(t) || g.over.Load()
	for {
		t.next = g.news.Load()
		if g.news.CompareAndSwap(t.next, t) {
			break
		}
	}
	xatomic.Release(&t.standing.word, ended)
	invariants.Yield()
	if g.left.Add(-1) != 0 && calm && !g.watched.Load() {
		return
	}
	g.mu.Lock()
	g.drain()
	g.release(f)
}

// uncounted is more than there can be tasks.
const uncounted = 1 << 40

// beginCounting adds the tasks that were started to left, and takes uncounted off.
// From now on, left is 0 when the last task ends. Before Join only a keeper needs
// that, and the goroutine that starts tasks would pay a cache line for each task that
// ends meanwhile. The caller holds mu.
func (g *Group[T]) beginCounting() {
	if !g.counting {
		g.counting = true
		g.left.Add(int64(g.count.Started) - uncounted)
	}
}

// started counts n new tasks. The caller holds mu.
func (g *Group[T]) started(n int) {
	g.count.Started += n
	if g.counting {
		g.left.Add(int64(n))
	}
}

// remaining returns how many tasks are in the group and not in the news. The
// caller holds mu.
func (g *Group[T]) remaining() int64 {
	if g.counting {
		return g.left.Load()
	}
	return g.left.Load() + int64(g.count.Started) - uncounted
}

// lendPlace gives the place of a task that waits for another of its group to
// others, and returns a function by which it takes one again, if need be beyond
// the limit.
func (g *Group[T]) lendPlace(t *Task[T]) (back func()) {
	if !g.giveUpPlace(t, nil) {
		return func() {}
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		t.placed = true
		g.placed++
	}
}

// giveUpPlace gives the place of a task to another one, if it has one.
func (g *Group[T]) giveUpPlace(t *Task[T], f *workers.Fiber) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	had := t.placed
	if had {
		t.placed = false
		g.placed--
	}
	for len(g.queue) > 0 && g.placed < g.opts.limit {
		next := g.queue[0]
		g.queue[0] = nil
		g.queue = g.queue[1:]
		if !next.State().Ended() { // Else its entry is void.
			next.placed = true
			g.placed++
		}
		g.s.Enqueue(f, (*body[T])(next))
	}
	return had
}

// drain hands the tasks that have ended to the joiner. If another goroutine is at it, that
// one hands these over, too. The caller holds mu; drain unlocks it while a joiner of the
// user's runs.
func (g *Group[T]) drain() {
	if g.settling {
		return
	}
	g.settling = true
	for g.announced || g.collect() {
		g.step()
	}
	g.settling = false
}

// collect moves the news to the end of the list, and reports whether there is
// an end that the joiner has not seen. The caller holds mu.
func (g *Group[T]) collect() bool {
	for g.todo == nil {
		newest := g.news.Swap(nil)
		if newest == nil {
			return false
		}
		oldest, seen := g.inOrder(newest)
		g.ended.add(oldest, newest)
		if g.ready == nil {
			g.ready = oldest
		}
		if !seen {
			g.todo = oldest
		}
	}
	return true
}

// inOrder reverses the news, a list that begins with the task that ended last. If none of
// these ends decides anything for the joiner, inOrder also counts them and returns seen
// as true. A second pass over the list would cost as much as all other work here.
func (g *Group[T]) inOrder(newest *Task[T]) (oldest *Task[T], seen bool) {
	succeeded, cancelled, seen := 0, 0, g.calm
	for t := newest; t != nil; {
		seen = seen && !failed(t)
		if t.State() == workers.JobCompleted {
			succeeded++
		} else {
			cancelled++ // It did not fail, if seen stays true.
		}
		next := t.next
		t.next, oldest = oldest, t
		t = next
	}
	if seen {
		g.count.Succeeded += succeeded
		g.count.Cancelled += cancelled
	}
	return oldest, seen
}

// quiet reports whether all tasks have ended and the joiner has seen it. The
// caller holds mu.
func (g *Group[T]) quiet() bool {
	return g.remaining() == 0 && !g.settling && g.todo == nil && g.news.Load() == nil
}

// release unlocks mu after a drain, wakes the waiters for what has happened,
// and cancels what is no longer needed.
func (g *Group[T]) release(f *workers.Fiber) {
	if _, run := g.owner.(*runKeeper); run && g.kept && !g.settling && g.quiet() && !g.scope.ended.Load() {
		// The Run wants to know whether what surrounds the group has ended. To ask is to end this group, and those
		// around it, whose joiners may ask anything of this one: so the lock is not held.
		g.mu.Unlock()
		_ = g.scope.state()
		g.mu.Lock()
	}
	var joiners, takers []*workers.Waiter
	cancels := false
	if !g.settling {
		if g.quiet() {
			joiners, g.joiners = g.joiners, nil
			g.beLetGo(f)
		}
		takers, g.takers = g.takers, nil
		g.watched.Store(false)
		cancels = g.decided && !g.acted
		g.acted = g.decided
	}
	failure := g.failure
	g.mu.Unlock()
	wake(joiners, f)
	wake(takers, f)
	if cancels {
		if failure == nil {
			failure = ErrDecided
		}
		g.scope.Cancel(failure)
		invariants.Yield()
	}
}

func wake(waiters []*workers.Waiter, f *workers.Fiber) {
	for _, w := range waiters {
		w.Wake(f, workers.Own)
	}
}

// step hands one event to the joiner. The caller holds mu.
func (g *Group[T]) step() {
	var t *Task[T]
	if g.announced {
		g.announced = false
	} else {
		t = g.todo
		g.todo = t.next
		g.tally(t)
	}
	known := g.decided || t != nil && g.decidesNothing(t)
	if !known && g.asks(t) {
		g.decided, g.decisive = true, t
		g.over.Store(!g.opts.discard)
	}
	if t == nil {
		return
	}
	if g.opts.discard {
		g.discard(t)
	}
}

// decidesNothing reports whether the end of t is of no interest to the joiner.
func (g *Group[T]) decidesNothing(t *Task[T]) bool {
	return g.calm && !failed(t)
}

// discard lets go of a task that the joiner has seen.
func (g *Group[T]) discard(t *Task[T]) {
	if g.ended.first = t.next; t.next == nil {
		g.ended.last = nil
	}
	g.ready = nil
	t.next = nil // A kept handle does not keep all later ones.
	if t.State() == workers.JobCompleted {
		g.remove(t)
	}
}

// tally counts the end of t.
func (g *Group[T]) tally(t *Task[T]) {
	switch t.State() {
	case workers.JobCompleted:
		g.count.Succeeded++
	case workers.JobCancelled:
		g.count.Cancelled++
	default:
		g.count.Failed++
	}
}

// asks asks the joiner. The caller holds mu.
func (g *Group[T]) asks(t *Task[T]) bool {
	count := g.count
	count.Joining = g.joining
	if g.builtin {
		return g.joiner.Decide(t, count)
	}
	g.mu.Unlock()
	decided, failure := g.asksApart(t, count)
	g.mu.Lock()
	if failure != nil {
		g.failure = failure
	}
	return decided || failure != nil
}

func (g *Group[T]) asksApart(t *Task[T], count Count) (decided bool, failure error) {
	failure = g.apart(func() { decided = g.joiner.Decide(t, count) })
	return decided, failure
}

// apart calls a joiner's method on a goroutine of its own, since neither a panic nor a
// Goexit of it must end the caller that has brought the event. It returns what happened as
// an error. It costs about 500 ns.
func (g *Group[T]) apart(call func()) (failure error) {
	done := make(chan struct{})
	go func() {
		returned := false
		g.asking.Store(uintptr(gid.Current()))
		defer func() {
			g.asking.Store(0)
			if v := recover(); v != nil {
				failure = workers.NewPanicError(v)
			} else if !returned {
				failure = workers.ErrGoexit
			}
			close(done)
		}()
		call()
		returned = true
	}()
	<-done
	return failure
}

// asksHere reports whether the caller is a method of the group's joiner, for which the
// group waits.
func (g *Group[T]) asksHere() bool {
	asking := g.asking.Load()
	return asking != 0 && asking == uintptr(gid.Current())
}
