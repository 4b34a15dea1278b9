package actor_test

import (
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// TestATurnIsShortWhereMessagesTakeLong counts how many messages busy actors handle, one
// after the other, before it is another one's turn: 1 ms has room for ten of them, where
// their throughput is a hundred. A message of 100 us may take longer, never less, so a
// busy machine makes turns shorter.
func TestATurnIsShortWhereMessagesTakeLong(t *testing.T) {
	const actors, messages, each = 3, 150, 100 * time.Microsecond
	// At first a worker looks at the clock once in 16 messages.
	const most = 11 + 16
	ctx := guarded(t)
	sys := oneWorker(t)
	last, turn, longest := -1, 0, 0 // All handlers run on one worker.
	left := slices.Repeat([]int{messages}, actors)
	done := make(chan struct{})
	refs := make([]actor.Ref[int], actors)
	for i := range refs {
		refs[i] = spawn(t, sys, func(*actor.Context[int], int) error {
			for began := time.Now(); time.Since(began) < each; {
			}
			if last != i {
				last, turn = i, 0
			}
			turn++
			left[i]--
			if slices.Min(left) > 0 { // Else this may be the only one with messages.
				longest = max(longest, turn)
			}
			if slices.Max(left) == 0 {
				close(done)
			}
			return nil
		})
	}
	start := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		for _, ref := range refs {
			for m := range messages {
				if err := ref.Send(c, m); err != nil {
					return err
				}
			}
		}
		return nil
	})
	send(t, ctx, start, 1)
	receive(t, ctx, done) // A drain would be urgent, and give an actor one more turn at once.
	if longest > most {
		t.Errorf("an actor has handled %d messages of %v in one turn, want at most %d", longest, each, most)
	}
}
