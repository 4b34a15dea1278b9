package router

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

// broadcast hands a copy of m to each routee: first to those that have room, so
// that a slow one keeps none of the others from it, then to those that are
// waited for.
func (r *route[M]) broadcast(ctx context.Context, m M, wait bool) error {
	c := r.core
	for {
		t := c.members.Load()
		if len(t.refs) == 0 {
			if err := c.awaitRoutees(ctx, t, wait); err != nil {
				return err
			}
			continue
		}
		got, err := r.toAll(ctx, t, m, wait)
		if got || err != nil {
			return err
		}
	}
}

// toAll reports whether anybody has got m, and joins the errors of those that
// have not.
func (r *route[M]) toAll(ctx context.Context, t *members[M], m M, wait bool) (got bool, err error) {
	var full []actor.Ref[M]
	var errs []error
	note := func(ref actor.Ref[M], err error) {
		switch {
		case err == nil:
			got = true
		case errors.Is(err, actor.ErrStopped):
			r.core.lost(ref.PID())
		default:
			errs = append(errs, fmt.Errorf("routee %s: %w", ref, r.core.refuse(err)))
		}
	}
	for _, ref := range t.refs {
		ref = ref.On(r.lane)
		err := ref.TryOffer(ctx, m)
		if wait && errors.Is(err, actor.ErrFull) {
			full = append(full, ref)
			continue
		}
		note(ref, err)
	}
	for _, ref := range full {
		note(ref, ref.Offer(ctx, m))
	}
	return got, errors.Join(errs...)
}
