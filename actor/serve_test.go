package actor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

type servedKey struct{}

// tagging is a Probe that adds its name to the value of the context, and notes the
// error of each handler.
func tagging(name string, ends chan error) *actor.Probe {
	return &actor.Probe{Serving: func(ctx context.Context, s actor.Serving) (context.Context, func(error)) {
		if s.Message != "actor_test.instruction" || s.PID == (actor.PID{}) || ctx.Err() != nil {
			return nil, func(error) { ends <- fmt.Errorf("served %+v", s) }
		}
		before, _ := ctx.Value(servedKey{}).(string)
		return context.WithValue(ctx, servedKey{}, before+name), func(err error) { ends <- err }
	}}
}

// The handler of an ask has what the probes have added to its context, and passes it on, and
// no other message does; also where readers handle it.
func TestServing(t *testing.T) {
	for _, opts := range [][]actor.Option{nil, {actor.WithReadOnly(func(instruction) bool { return true })}} {
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{})
		ends := make(chan error, 10)
		for _, name := range []string{"a", "b"} {
			stop, err := sys.Observe(tagging(name, ends))
			wantNoErr(t, err)
			defer stop()
		}
		stop, err := sys.Observe(&actor.Probe{Serving: func(context.Context, actor.Serving) (context.Context, func(error)) {
			panic("as wanted")
		}})
		wantNoErr(t, err)
		defer stop()
		x, y := spawn(t, sys, run, opts...), spawn(t, sys, run, opts...)
		var got []any
		note := func(c *actor.Context[instruction]) error { got = append(got, c.Value(servedKey{})); return nil }
		outer := context.WithValue(ctx, servedKey{}, "-")
		wantNoErr(t, let(outer, x, func(c *actor.Context[instruction]) error { return errors.Join(note(c), let(c, y, note)) }))
		wantNoErr(t, let(context.Background(), x, note))
		if want := []any{"-ab", "-abab", nil}; !slices.Equal(got, want) {
			t.Errorf("the values are %v, want %v", got, want)
		}
		for range 4 {
			wantNoErr(t, receive(t, ctx, ends))
		}
		if len(ends) != 0 {
			t.Errorf("an ask that says nothing was served: %v", <-ends)
		}
	}
}

// The end has the handler's result, and reports a handler that has not returned.
func TestServingOfFailures(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ends := make(chan error, 10)
	stop, err := sys.Observe(tagging("a", ends))
	wantNoErr(t, err)
	asked := context.WithValue(ctx, servedKey{}, "-")
	reads := actor.WithReadOnly(func(instruction) bool { return true })
	ask := func(receive func(*actor.Context[instruction], instruction) error, opts ...actor.Option) {
		wantErr(t, let(asked, spawn(t, sys, receive, opts...), nil), actor.ErrNoReply)
	}
	ask(func(*actor.Context[instruction], instruction) error { return errHook })
	wantErr(t, receive(t, ctx, ends), errHook)
	for _, opts := range [][]actor.Option{nil, {reads}} {
		ask(func(*actor.Context[instruction], instruction) error { panic("as wanted") }, opts...)
		if receive(t, ctx, ends) == nil {
			t.Error("a panic has no error")
		}
		ask(func(*actor.Context[instruction], instruction) error { runtime.Goexit(); return nil }, opts...)
		if receive(t, ctx, ends) == nil {
			t.Error("a Goexit has no error")
		}
	}
	stop()
	wantNoErr(t, let(asked, spawn(t, sys, run), nil))
	wantNoErr(t, sys.Stop(ctx)) // All handlers have returned.
	if len(ends) != 0 {
		t.Error("who has gone is told")
	}
}
