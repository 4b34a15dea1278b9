package actor_test

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// The last handler goes on with the end of its incarnation, also when it was the
// last that its actor could handle before others have their turn.
func TestEndAfterTheLastHandler(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 100}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		mute := spawn(s, sys, func(*actor.Context[question], question) error { return nil })
		ref := spawn(s, sys, func(c *actor.Context[int], m int) error {
			if m == 1 {
				return errHook
			}
			_, _ = actor.Ask(c, mute, asking(1))
			return nil
		}, actor.WithReentrancy(actor.FullReentrancy), actor.WithThroughput(1))
		send(s, s.Context(), ref, 0, 0, 1)
		s.Advance(time.Second)
		wantErr(s, ref.Err(), errHook)
	})
}
