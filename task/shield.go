package task

import (
	"context"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// NoLimit lets a [Shield] take for ever.
const NoLimit time.Duration = -1

// Shield calls fn with a context that does not end when ctx does, has ended, or
// is cancelled meanwhile: it is for clean-up. Instead it ends after limit, which
// is positive, or [NoLimit]; then its cause is [ErrDeadline]. The context has the
// values of ctx. Groups and scopes that fn opens are shielded too.
//
// Shield returns what fn returns. A cancellation outside still holds, and the next
// [Checkpoint] with ctx says so.
func Shield(ctx context.Context, limit time.Duration, fn func(ctx context.Context) error) error {
	switch {
	case ctx == nil:
		return errNilContext
	case fn == nil:
		return errNilFunction
	case limit <= 0 && limit != NoLimit:
		return fmt.Errorf("task: the limit of Shield is %v; it must be positive, or NoLimit", limit)
	}
	sc := &Scope{parent: ctx, shielded: true}
	defer sc.leave()
	if limit > 0 {
		sc.SetDeadline(time.Now().Add(limit))
	}
	return fn((*scopeContext)(sc))
}

// Checkpoint is called now and then by work that takes long: every 100 us or so.
// It returns the cause of ctx if that has ended, and nil otherwise; and it lets
// critical work of the scheduler go first, if there is any. It costs about 10 ns.
func Checkpoint(ctx context.Context) error {
	if ctx == nil {
		return errNilContext
	}
	workers.Checkpoint(ctx)
	if ctx.Err() != nil {
		return workers.Cause(ctx)
	}
	return nil
}

// Sleep waits for d, or for the end of ctx, whose cause it returns then. In a task, a job, a
// strand or a handler it holds no worker, whatever the context. If ctx has ended it returns at
// once, also if d is 0 or less.
func Sleep(ctx context.Context, d time.Duration) error {
	if ctx == nil || d <= 0 {
		return Checkpoint(ctx)
	}
	if ctx.Err() != nil { // No checkpoint is needed: critical work goes first anyway, at the next wait.
		return workers.Cause(ctx)
	}
	f := workers.CurrentOrHere(ctx)
	if f == nil {
		return sleepBlocked(ctx, d)
	}
	var w workers.Waiter
	w.Arm(ctx, f.Scheduler())
	defer w.Disarm()
	w.Explain(nil, func() string { return "for " + d.String() })
	until := time.Now().Add(d)
	f.SetAlarm(until)
	defer f.StopAlarm()
	for w.Wait(ctx) {
		if !time.Now().Before(until) {
			return nil
		}
	}
	return workers.Cause(ctx)
}

func sleepBlocked(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return workers.Cause(ctx)
	}
}
