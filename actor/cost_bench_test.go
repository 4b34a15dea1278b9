package actor_test

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

// BenchmarkCheckpointInHandler is one checkpoint of a handler, with nothing urgent.
func BenchmarkCheckpointInHandler(b *testing.B) {
	ctx := guarded(b)
	sys := newSystem(b, actor.Config{Workers: 1})
	ref := spawn(b, sys, func(ctx *actor.Context[int], n int) error {
		for range n {
			sched.Checkpoint(ctx)
		}
		return nil
	})
	b.ReportAllocs()
	b.ResetTimer()
	send(b, ctx, ref, b.N)
	wantNoErr(b, ref.Drain(ctx))
}

// BenchmarkKeyedTimersStart replaces a timer again and again.
func BenchmarkKeyedTimersStart(b *testing.B) {
	ctx := guarded(b)
	sys := newSystem(b, actor.Config{Workers: 1})
	ref := spawn(b, sys, func(ctx *actor.Context[int], n int) error {
		var timers actor.KeyedTimers[string, int]
		defer timers.StopAll()
		for range n {
			if err := timers.Start(ctx, "key", time.Hour, 0); err != nil {
				return err
			}
		}
		return nil
	})
	b.ReportAllocs()
	b.ResetTimer()
	send(b, ctx, ref, b.N)
	wantNoErr(b, ref.Drain(ctx))
}

// BenchmarkReceiveTimeout is a message to an actor with a receive time-out, and to one
// without.
func BenchmarkReceiveTimeout(b *testing.B) {
	plain := actor.Func(func(*actor.Context[int], int) error { return nil })
	for name, a := range map[string]actor.Actor[int]{"without": plain, "with": actor.ReceiveTimeout(plain, time.Hour, 0)} {
		b.Run(name, func(b *testing.B) {
			ctx := guarded(b)
			sys := newSystem(b, actor.Config{Workers: 1})
			ref := spawnActor(b, sys, a)
			source := spawn(b, sys, func(ctx *actor.Context[int], n int) error {
				for range n {
					if err := ref.Send(ctx, 1); err != nil {
						return err
					}
				}
				return nil
			})
			b.ReportAllocs()
			b.ResetTimer()
			send(b, ctx, source, b.N)
			wantNoErr(b, source.Drain(ctx))
			wantNoErr(b, ref.Drain(ctx))
		})
	}
}
