package task

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Staggered has the functions of a group's tasks begin one after the other, in the order of
// Go: the next one when the one before has failed, or has run for delay. Together with
// [FirstSuccess] that is a race for which no more is tried than necessary, as in Happy
// Eyeballs, by which a client connects to the addresses of a server (RFC 8305, section 5,
// which recommends 250 ms): the first success cancels the tasks that run, and those that have
// not begun never do.
//
// A task that waits for its turn is a task that waits, with a place if there is a [Limit],
// and holds no worker. One that is cancelled meanwhile is passed over. The default, also for
// 0, is that no task waits for another.
func Staggered(delay time.Duration) Option { return func(o *options) { o.stagger = delay } }

// turns are the turns of a group's tasks to begin. They hold up the task rather than its
// entry in the group's queue: so it is the task's own fiber that waits for the time, without
// a timer besides, and the end of the group ends that wait like any other.
type turns struct {
	delay time.Duration

	mu     xatomic.Mutex
	last   *turn
	member map[any]*turn // By the task, until that has ended.
}

// turn is the turn of one task. Its fields are guarded by the mu of turns.
type turn struct {
	before *turn // The task before, until this one begins.
	after  *turn
	waiter *workers.Waiter // The task, while it waits.
	began  time.Time
	ended  bool
	failed bool
}

// newTurns returns the turns of a group, or nil if its tasks don't wait for each other.
func newTurns(delay time.Duration) *turns {
	if delay == 0 {
		return nil
	}
	return &turns{delay: delay, member: map[any]*turn{}}
}

// enter puts a task behind those that have come before.
func (ts *turns) enter(task any) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	own := &turn{before: ts.last}
	if ts.last != nil {
		ts.last.after = own
	}
	ts.last, ts.member[task] = own, own
}

// await waits for the turn of a task, which calls it with its own context. It returns the
// cause if that ends first.
//
//go:noinline
func (ts *turns) await(ctx context.Context, task any) error {
	f := workers.Current(ctx)
	var w workers.Waiter
	w.ArmOn(f, f.Scheduler())
	defer w.Disarm()
	defer f.StopAlarm()
	f.Explain(func() string { return "for its turn" })
	for {
		at, now := ts.begin(task, &w, f)
		if now {
			return nil
		}
		if !at.IsZero() {
			f.SetAlarm(at)
		}
		if !w.Wait(ctx) {
			return workers.Cause(ctx)
		}
	}
}

// begin begins a task if it is its turn. Otherwise it returns when that will be, if that is
// known, and w is woken when something has changed.
func (ts *turns) begin(task any, w *workers.Waiter, f *workers.Fiber) (at time.Time, now bool) {
	ts.mu.Lock()
	own := ts.member[task]
	for own.before != nil && own.before.ended && own.before.began.IsZero() {
		own.before = own.before.before // That one was cancelled, and is passed over.
	}
	clock, before := time.Now(), own.before
	if before != nil && !before.failed {
		if !before.began.IsZero() {
			at = before.began.Add(ts.delay)
		}
		if at.IsZero() || clock.Before(at) {
			known := *w
			own.waiter = &known
			ts.mu.Unlock()
			return at, false
		}
	}
	own.began, own.before, own.waiter = clock, nil, nil
	next := own.waiting()
	ts.mu.Unlock()
	next.Wake(f, workers.Normal)
	return at, true
}

// end takes note of the end of a task.
func (ts *turns) end(task any, failed bool, f *workers.Fiber) {
	ts.mu.Lock()
	own := ts.member[task]
	if own == nil {
		ts.mu.Unlock()
		return
	}
	delete(ts.member, task)
	own.ended, own.failed, own.waiter = true, failed && !own.began.IsZero(), nil
	next := own.waiting()
	ts.mu.Unlock()
	next.Wake(f, workers.Normal)
}

// waiting returns the next task, if it waits, by which it is woken. The caller holds mu.
func (t *turn) waiting() (w workers.Waiter) {
	next := t.after
	for next != nil && next.ended && next.began.IsZero() {
		next = next.after
	}
	if next != nil && next.waiter != nil {
		w = *next.waiter
	}
	return w
}
