package actor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

// wantEnded fails unless a send and an ask say ErrStopped, and all of this.
func wantEnded(t testing.TB, ctx context.Context, to actor.Ref[question], says ...string) {
	t.Helper()
	receive(t, ctx, to.Done())
	_, asked := actor.Ask(ctx, to, asking(1))
	for _, err := range []error{to.Send(ctx, question{}), to.TrySend(ctx, question{}), to.Offer(ctx, question{}), asked} {
		wantErr(t, err, actor.ErrStopped)
		for _, s := range says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%q does not say %q", err, s)
			}
		}
		if len(err.Error()) > 500 || !utf8.ValidString(err.Error()) {
			t.Errorf("the error has %d bytes: %q", len(err.Error()), err)
		}
	}
}

// A send to an actor that had ended did not say why.
func TestSendSaysWhyTheActorHasEnded(t *testing.T) {
	simulated.Too(t, testSendSaysWhyTheActorHasEnded)
}

func testSendSaysWhyTheActorHasEnded(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	fails := func(reason error) func(*actor.Context[question], question) error {
		return func(*actor.Context[question], question) error { return reason }
	}
	quiet := spawn(t, sys, answer, actor.WithName("quiet"))
	wantNoErr(t, quiet.Stop(ctx))
	wantEnded(t, ctx, quiet, "send to quiet<")
	if err := quiet.Send(ctx, question{}); !strings.HasSuffix(err.Error(), "the actor has stopped") {
		t.Errorf("an actor that was asked to stop has a reason: %v", err)
	}
	odd := spawn(t, sys, fails(errOdd), actor.WithName("odd"))
	send(t, ctx, odd, question{})
	wantEnded(t, ctx, odd, "send to odd<", "has stopped: odd")
	long := spawn(t, sys, fails(errors.New(strings.Repeat("\u00e9", 1000))))
	send(t, ctx, long, question{})
	wantEnded(t, ctx, long, "\u00e9...")
	panics := spawn(t, sys, func(*actor.Context[question], question) error { panic("no luck") })
	send(t, ctx, panics, question{})
	wantEnded(t, ctx, panics, "no luck")
	killed := spawn(t, sys, answer)
	wantNoErr(t, killed.Kill())
	wantEnded(t, ctx, killed, actor.ErrKilled.Error())

	// A child that was asked to stop has no reason, but its parent has.
	child := make(chan actor.Ref[question], 1)
	parent := spawn(t, sys, func(c *actor.Context[int], n int) error {
		if n == 0 {
			ref, err := actor.Spawn(c, actor.Func(answer), actor.WithName("child"))
			child <- ref
			return err
		}
		return fmt.Errorf("gave up after %d", n)
	}, actor.WithName("parent"))
	send(t, ctx, parent, 0, 3)
	receive(t, ctx, parent.Done())
	wantEnded(t, ctx, <-child, "send to child<", "parent<", "above it, ended: gave up after 3")
}

func TestSendAfterTheEndOfTheSystem(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, answer)
	wantNoErr(t, sys.Stop(ctx))
	wantEnded(t, ctx, ref, "its system stops, or has stopped")
}
