package actor_test

import (
	"context"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Who runs OnOwnThread or OnMainThread has the thread to itself, as C libraries and
// user interfaces need it; others must not keep threads from each other.
func TestHandlersAreLockedToTheirThread(t *testing.T) {
	onEachBackend(t, func(t *testing.T, ctx context.Context, sys *actor.System, on actor.Option) {
		stacks := make(chan string, 1)
		ref := spawn(t, sys, func(*actor.Context[int], int) error { stacks <- string(debug.Stack()); return nil }, on)
		send(t, ctx, ref, 1)
		first, _, _ := strings.Cut(receive(t, ctx, stacks), "\n")
		_, name, _ := strings.Cut(t.Name(), "/")
		want := name == "own_thread" || name == "main_thread"
		if got := strings.Contains(first, "locked to thread"); got != want {
			t.Errorf("the handler runs on %s", first)
		}
	})
}

// What was submitted before a kill deprived the thread of its actor is run by the thread that
// comes in its place, while the handler that was killed goes on.
func TestThreadThatIsAbandoned(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	came := make(chan struct{})
	over := make(chan struct{})
	actor.AbandonThread(sys, func(abandon func()) {
		defer close(over)
		abandon()
		receive(t, ctx, came)
	}, func() { close(came) })
	receive(t, ctx, over)
}

// A kill that comes late abandons a thread which has nothing to do any more. Its goroutine ends nevertheless: the stop of the
// system waits for it.
func TestThreadThatIsAbandonedWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys, err := actor.NewSystem(actor.Config{})
		wantNoErr(t, err)
		ran := false
		actor.AbandonIdleThread(sys, func() { ran = true }, synctest.Wait)
		if !ran {
			t.Error("the thread was idle before it has run anything")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		wantNoErr(t, sys.Stop(ctx))
	})
}
