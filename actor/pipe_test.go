package actor_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

// piped is the result of work, or what the handler is to do.
type piped struct {
	n   int
	err error
	do  func(c *actor.Context[piped]) error
}

func result(n int, err error) piped { return piped{n: n, err: err} }

type piping = func(ctx context.Context) (int, error)

// pipe has the actor pipe the work to itself.
func pipe(tb testing.TB, ref actor.Ref[piped], w piping) {
	tb.Helper()
	back := make(chan error, 1)
	send(tb, guarded(tb), ref, piped{do: func(c *actor.Context[piped]) error {
		back <- actor.PipeToSelf(c, w, result)
		return nil
	}})
	wantNoErr(tb, receive(tb, guarded(tb), back))
}

// The result of work comes as a message, also a panic and a Goexit; the handler does not wait.
func TestPipeToSelf(t *testing.T) {
	ctx, sys := guarded(t), newSystem(t, actor.Config{})
	got := make(chan piped, 1)
	ref := spawn(t, sys, func(c *actor.Context[piped], m piped) error {
		if m.do != nil {
			return m.do(c)
		}
		got <- m
		return nil
	}, actor.WithCapacity(actor.Data, 1))
	asked := spawn(t, sys, answer)
	for name, c := range map[string]struct {
		work piping
		n    int
		err  error
	}{
		"value":  {func(context.Context) (int, error) { return 7, nil }, 7, nil},
		"error":  {func(context.Context) (int, error) { return 0, errOdd }, 0, errOdd},
		"panic":  {func(context.Context) (int, error) { panic(errOdd) }, 0, errOdd},
		"Goexit": {func(context.Context) (int, error) { runtime.Goexit(); return 1, nil }, 0, actor.ErrGoexit},
		"ask":    {func(ctx context.Context) (int, error) { return actor.Ask(ctx, asked, asking(41)) }, 42, nil},
	} {
		pipe(t, ref, c.work)
		m := receive(t, ctx, got)
		var p *sched.PanicError
		if m.n != c.n || !errors.Is(m.err, c.err) || (name == "panic") != errors.As(m.err, &p) {
			t.Errorf("%s: it got %d, %v", name, m.n, m.err)
		}
	}
	open := make(chan struct{})
	for range 10 { // More than there is room for, all at the same time.
		pipe(t, ref, func(context.Context) (int, error) { <-open; return 1, nil })
	}
	close(open)
	for range 10 {
		if m := receive(t, ctx, got); m.n != 1 {
			t.Errorf("it got %+v", m)
		}
	}
}

// The end of the incarnation ends the context of the work and waits for it; the next one does
// not get the result.
func TestPipeToSelfEndsWithTheIncarnation(t *testing.T) {
	ctx, sys := guarded(t), newSystem(t, actor.Config{})
	for _, restarts := range []bool{false, true} {
		got, ends := make(chan piped, 10), make(chan error, 1)
		_, ref := keptChild(t, sys, func() actor.Actor[piped] {
			return actor.Func(func(c *actor.Context[piped], m piped) error {
				if m.do != nil {
					return m.do(c)
				}
				got <- m
				return nil
			})
		}, restarts)
		begun := make(chan struct{})
		pipe(t, ref, func(ctx context.Context) (int, error) {
			close(begun)
			<-ctx.Done()
			ends <- context.Cause(ctx)
			return 5, nil
		})
		<-begun
		if restarts {
			send(t, ctx, ref, piped{do: func(*actor.Context[piped]) error { return errOdd }})
		} else {
			wantNoErr(t, ref.Stop(ctx))
			select {
			case err := <-ends:
				ends <- err
			default:
				t.Error("the stop has not waited for the work")
			}
		}
		wantErr(t, receive(t, ctx, ends), actor.ErrStopped)
		if restarts {
			pipe(t, ref, func(context.Context) (int, error) { return 6, nil })
			if m := receive(t, ctx, got); m.n != 6 {
				t.Errorf("the next incarnation got %+v", m)
			}
		}
	}
}

// A panic of wrap ends the actor, as one of a handler does, and so does its Goexit.
func TestPipeToSelfWhereWrapFails(t *testing.T) {
	ctx, sys := guarded(t), newSystem(t, actor.Config{})
	for want, wrap := range map[error]func(int, error) int{
		errOdd:          func(int, error) int { panic(errOdd) },
		actor.ErrGoexit: func(int, error) int { runtime.Goexit(); return 1 },
	} {
		ref := spawn(t, sys, func(c *actor.Context[int], _ int) error {
			return actor.PipeToSelf(c, func(context.Context) (int, error) { return 1, nil }, wrap)
		})
		send(t, ctx, ref, 1)
		receive(t, ctx, ref.Done())
		i, err := ref.Info()
		wantNoErr(t, err)
		wantErr(t, i.Reason, want)
	}
}

func TestBadPipes(t *testing.T) {
	ctx, sys := guarded(t), newSystem(t, actor.Config{})
	var kept *actor.Context[piped]
	ref := spawn(t, sys, func(c *actor.Context[piped], m piped) error { kept = c; return m.do(c) })
	errs := make(chan error, 2)
	send(t, ctx, ref, piped{do: func(c *actor.Context[piped]) error {
		errs <- actor.PipeToSelf(c, nil, result)
		errs <- actor.PipeToSelf[piped, int](c, func(context.Context) (int, error) { return 0, nil }, nil)
		return nil
	}})
	for range 2 {
		if receive(t, ctx, errs) == nil {
			t.Error("a nil function is accepted")
		}
	}
	wantNoErr(t, ref.Stop(ctx))
	wantErr(t, actor.PipeToSelf(kept, func(context.Context) (int, error) { t.Error("it ran"); return 0, nil }, result), actor.ErrStopped)
}
