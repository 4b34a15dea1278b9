package task

import (
	"context"
	"errors"
)

// Run opens a group, calls body with it, and returns when body and all tasks have
// ended, even if ctx has ended: nothing outlives the call but what was detached. Groups
// that were opened on the context of body, or below, and not joined are cancelled when the
// tasks have ended, and waited for too.
// The context of body ends with the group's scope: when the joiner has decided,
// say, or ctx has ended.
//
// If body returns an error, panics, or calls runtime.Goexit, the tasks are cancelled; Run
// waits for them, and then returns the error, joined with the error of the joiner if this
// is another, or goes on with the panic. An error of body that only says that the group was
// cancelled gives way to the error of the joiner. Otherwise Run returns what [Group.Join]
// does. Where tasks of the other groups fail as they end, and do not just say that they
// were cancelled, that error is joined to it.
func Run[T any](ctx context.Context, j Joiner[T], body func(ctx context.Context, g *Group[T]) error, opts ...Option) ([]T, error) {
	if body == nil {
		return nil, errNilFunction
	}
	g, err := NewGroup(ctx, j, opts...)
	if err != nil {
		return nil, err
	}
	keeper := &runKeeper{outer: g.owner}
	g.scope.keeper = keeper
	returned := false
	defer func() {
		if !returned { // A panic or a Goexit.
			g.Cancel(errLeft)
			_ = g.Wait() // The panic says more.
			_ = keeper.finish(context.WithoutCancel(ctx))
		}
	}()
	err = body((*scopeContext)(&g.scope), g)
	returned = true
	seen := err != nil && g.scope.state() != nil && (errors.Is(err, g.scope.state()) || errors.Is(err, g.scope.cause))
	if err != nil {
		g.Cancel(err)
	}
	values, joinErr := g.Join(context.WithoutCancel(ctx))
	left := keeper.finish(context.WithoutCancel(ctx))
	switch {
	case left != nil:
		return nil, errors.Join(err, joinErr, left)
	case err == nil || seen && joinErr != nil || errors.Is(joinErr, err):
		return values, joinErr
	case seen && g.decided: // Without an error.
		return values, nil
	default:
		return nil, errors.Join(err, joinErr)
	}
}

var errLeft = errors.New("task: the body of Run did not return")
