package router

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

// Ask sends the message that msg makes to the routee that the strategy chooses,
// and waits for the answer; see [actor.Ask] for the errors besides those of
// [Router.Send]. Under [Broadcast] it is [AskFirst]. A handler of a routee that
// asks its own router does not get itself, or gets [actor.ErrAskCycle] if there
// is no other, or the key leads to it.
//
// An ask is not repeated: if the routee fails or stops before it has answered,
// Ask returns [actor.ErrNoReply]. In steady state it allocates nothing.
func Ask[M, T any](ctx context.Context, r Router[M], msg func(actor.Reply[T]) M) (T, error) {
	if r.route == nil {
		var zero T
		return zero, ErrNoRouter
	}
	if r.route.core.cfg.Strategy == Broadcast {
		return AskFirst(ctx, r, msg)
	}
	return actor.AskBy(ctx, r.route.core.sys, r.route, msg)
}

// errAnswered ends the asks that were too slow.
var errAnswered = errors.New("router: another routee has answered")

// AskFirst asks all routees at the same time, whatever the strategy, and
// returns the answer that comes first. The other asks end; their answers are
// late, see [actor.ErrLateReply], and do no harm. A routee that answers by
// Reply.Fail, that fails or that has stopped leaves it to the others; if all do,
// the error joins theirs. With no routees it is like Ask.
//
// AskFirst calls msg once for each routee, one call after the other. It costs a
// job of the scheduler for each.
func AskFirst[M, T any](ctx context.Context, r Router[M], msg func(actor.Reply[T]) M) (T, error) {
	var zero T
	if r.route == nil {
		return zero, ErrNoRouter
	}
	if msg == nil {
		return zero, errors.New("router: ask: the function that makes the message is nil")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	c := r.route.core
	t := c.members.Load()
	for len(t.refs) == 0 {
		if err := c.awaitRoutees(ctx, t, true); err != nil {
			return zero, err
		}
		t = c.members.Load()
	}
	return askAll(ctx, c, t.refs, r.route.lane, msg)
}

// askAll asks by one job for each routee. The jobs end before it returns.
func askAll[M, T any](ctx context.Context, c *core[M], refs []actor.Ref[M], lane actor.Lane, msg func(actor.Reply[T]) M) (T, error) {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(errAnswered)
	var first T
	var answered atomic.Bool
	var errs []error
	var making sync.Mutex
	inTurn := func(reply actor.Reply[T]) M {
		making.Lock()
		defer making.Unlock()
		return msg(reply)
	}
	jobs := make([]asking, 0, len(refs))
	for _, ref := range refs {
		ref = ref.On(lane)
		job, err := c.sys.Scheduler().Go(inner, func(ctx context.Context) error {
			v, err := actor.Ask(ctx, ref, inTurn)
			if err == nil && answered.CompareAndSwap(false, true) {
				first = v
				cancel(errAnswered)
			}
			return err
		}, sched.WithKind("router.AskFirst"), sched.WithTimeout(0))
		if err != nil {
			errs = append(errs, fmt.Errorf("routee %s: %w", ref, err))
			continue
		}
		jobs = append(jobs, asking{job, ref.String()})
	}
	for _, a := range jobs {
		if err := a.job.Wait(patient{ctx}); err != nil { // It ends soon after ctx has.
			errs = append(errs, fmt.Errorf("routee %s: %w", a.of, err))
		}
	}
	if answered.Load() {
		return first, nil
	}
	return first, c.refuse(errors.Join(errs...))
}

// asking is the job that asks a routee.
type asking struct {
	job *sched.Job
	of  string
}
