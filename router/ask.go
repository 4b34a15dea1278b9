package router

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

// Ask sends the message that msg makes to the routee that the strategy chooses,
// and waits for the answer; its errors are the errors of [actor.Ask] and
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

// AskFirst asks all routees at the same time, whatever the strategy, and
// returns the answer that comes first. The other asks end; their answers are
// late, see [actor.ErrLateReply], and do no harm. A routee that answers by
// Reply.Fail, that fails or that has stopped leaves it to the others; if all do,
// the error joins theirs. With no routees it is like Ask.
//
// AskFirst calls msg once for each routee, one call after the other. In a handler
// it waits for all routees, as far as rings are concerned: see [actor.AskQuorum],
// which it is for one answer, also for its cost.
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
		limited, cancel := c.sys.LimitAsk(ctx)
		err := c.awaitRoutees(limited, t, true)
		if cancel(); err != nil {
			return zero, err
		}
		t = c.members.Load()
	}
	return askAll(ctx, c, t.refs, r.route.lane, msg)
}

// askAll asks all of them and returns the first answer.
func askAll[M, T any](ctx context.Context, c *core[M], refs []actor.Ref[M], lane actor.Lane, msg func(actor.Reply[T]) M) (T, error) {
	on := make([]actor.Ref[M], len(refs))
	for i, ref := range refs {
		on[i] = ref.On(lane)
	}
	answers, err := actor.AskQuorum(ctx, on, 1, msg)
	var errs []error
	for i, a := range answers {
		if err == nil && a.Err == nil {
			return a.Value, nil
		}
		errs = append(errs, fmt.Errorf("routee %s: %w", on[i], a.Err))
	}
	var zero T
	return zero, c.refuse(errors.Join(errs...))
}
