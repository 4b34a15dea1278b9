package actor_test

import (
	"context"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// An actor with OnOwnThread or OnMainThread has the thread to itself, as C libraries and user
// interfaces need it. Other actors must not keep threads from each other.
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
