package actor_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/troupe-go/troupe/actor"
)

// TestSystemInABubble uses a system inside a bubble of testing/synctest, and
// another one outside afterwards: no channel may get from one to the other.
func TestSystemInABubble(t *testing.T) {
	ask := func(t *testing.T) {
		sys, err := actor.NewSystem(actor.Config{})
		if err != nil {
			t.Fatal(err)
		}
		ref := spawn(t, sys, answer)
		for range 10 {
			got, err := actor.Ask(context.Background(), ref, func(r actor.Reply[int]) question { return question{1, r} })
			if got != 2 || err != nil {
				t.Fatalf("got %d, %v; want 2", got, err)
			}
		}
		if err := sys.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		synctest.Test(t, ask)
		ask(t)
	}
}
