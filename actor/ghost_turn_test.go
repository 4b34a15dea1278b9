package actor_test

import (
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// Actors whose handlers take turns are killed at any moment, and restart. Each message is
// handled or becomes a dead letter, and no ghost keeps the turn of later handlers.
func TestKillsAndTurns(t *testing.T) {
	for _, opt := range []actor.Option{actor.WithReentrancy(actor.FullReentrancy), actor.WithReadOnly(func(int) bool { return false })} {
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{Workers: 4})
		var handled atomic.Int64
		begun := make(chan struct{}, 1)
		_, child := restarting(t, sys, func() actor.Actor[int] {
			begun <- struct{}{}
			return actor.Func(func(*actor.Context[int], int) error { handled.Add(1); return nil })
		}, restart, opt)
		const kills, each = 100, 3
		receive(t, ctx, begun)
		for range kills {
			send(t, ctx, child, make([]int, each)...)
			wantNoErr(t, child.Kill())
			receive(t, ctx, begun)
		}
		wantNoErr(t, child.Drain(ctx))
		until(t, ctx, func() bool {
			return handled.Load()+int64(sys.Stats().DeadLetters) == kills*each && sys.Stats().Ghosts == 0
		})
	}
}
