package actor_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

// wantText reports an error that is not of the kind, or whose text lacks something.
func wantText(t *testing.T, err, kind error, parts ...string) {
	t.Helper()
	wantErr(t, err, kind)
	for _, part := range parts {
		if err != nil && !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// A message that is refused for want of room says by whom, and how much room there is.
func TestFullSaysWhichLane(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	opts := []actor.Option{actor.WithName("desk")}
	for i, lane := range []actor.Lane{actor.Control, actor.Management, actor.Data} {
		opts = append(opts, actor.WithCapacity(lane, i+3))
	}
	ref := spawn(t, sys, func(*actor.Context[int], int) error { return nil }, opts...)
	wantNoErr(t, sys.Suspend(ref.PID()))
	for i, lane := range []actor.Lane{actor.Control, actor.Management, actor.Data} {
		for m := range i + 3 {
			wantNoErr(t, ref.On(lane).Send(ctx, m))
		}
		for _, try := range []func(actor.Ref[int]) error{
			func(r actor.Ref[int]) error { return r.TrySend(ctx, 9) },
			func(r actor.Ref[int]) error { return r.TryOffer(ctx, 9) },
		} {
			wantText(t, try(ref.On(lane)), actor.ErrFull, "desk"+ref.PID().String(), lane.String()+" lane", string(rune('3'+i))+" messages")
		}
	}
	dropping := spawn(t, sys, func(*actor.Context[int], int) error { return nil }, actor.WithName("shelf"),
		actor.WithCapacity(actor.Data, 1), actor.WithBuffer(actor.Data, actor.Dropping))
	wantNoErr(t, sys.Suspend(dropping.PID()))
	wantNoErr(t, dropping.Send(ctx, 1))
	wantText(t, dropping.TryOffer(ctx, 2), actor.ErrFull, "shelf"+dropping.PID().String(), "WithBuffer")
	wantNoErr(t, sys.Resume(ref.PID()))
}

// An answer that is refused says whose it was.
func TestRefusedAnswerSaysWhose(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	kept := make(chan actor.Reply[int], 1)
	errs := make(chan error, 1)
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		switch q.n {
		case 0:
			kept <- q.reply
		case 1:
			errs <- (<-kept).Send(c, 1)
		case 2:
			wantNoErr(t, q.reply.Send(c, 2))
			errs <- q.reply.Fail(c, errHook)
		}
		return nil
	}, actor.WithName("desk"))
	_, err := actor.Ask(ended(), ref, asking(0))
	wantErr(t, err, ended().Err())
	send(t, ctx, ref, question{n: 1})
	wantText(t, receive(t, ctx, errs), actor.ErrLateReply, "desk"+ref.PID().String())
	if n := sys.Stats().LateReplies; n != 1 {
		t.Errorf("%d late replies, want 1", n)
	}
	_, err = actor.Ask(ctx, ref, asking(2))
	wantNoErr(t, err)
	wantText(t, receive(t, ctx, errs), actor.ErrReplied, "desk"+ref.PID().String())

	_, err = actor.Ask(ended(), ref, asking(0))
	wantErr(t, err, ended().Err())
	if err := (<-kept).Send(ctx, 1); err != actor.ErrLateReply { //nolint:errorlint // Nobody is known to have sent it.
		t.Errorf("a late answer by nobody: %v", err)
	}
}

// An actor that ends by Goexit does not speak of jobs, and is told apart from them.
func TestGoexitOfAnActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, func(*actor.Context[int], int) error { runtime.Goexit(); return nil })
	send(t, ctx, ref, 1)
	<-ref.Done()
	wantText(t, ref.Err(), actor.ErrGoexit, "actor: ", "runtime.Goexit")
	wantErr(t, ref.Err(), sched.ErrGoexit)
	if errors.Is(sched.ErrGoexit, actor.ErrGoexit) {
		t.Error("the end of a job is that of an actor")
	}
}
