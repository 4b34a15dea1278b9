package actor_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// The price of an ask of several actors: one after the other, together, and by a
// goroutine for each. All are asked by a handler, whose actors answer at once.
func BenchmarkGather(b *testing.B) {
	type asker func(c *actor.Context[instruction], refs []actor.Ref[question])
	ways := []struct {
		name string
		ask  asker
	}{
		{"in turn", func(c *actor.Context[instruction], refs []actor.Ref[question]) {
			for _, ref := range refs {
				if _, err := actor.Ask(c, ref, asking(1)); err != nil {
					b.Error(err)
				}
			}
		}},
		{"together", func(c *actor.Context[instruction], refs []actor.Ref[question]) {
			for _, a := range actor.AskAll(c, refs, asking(1)) {
				if a.Err != nil {
					b.Error(a.Err)
				}
			}
		}},
		{"goroutines", func(c *actor.Context[instruction], refs []actor.Ref[question]) {
			var all sync.WaitGroup
			for _, ref := range refs {
				all.Go(func() {
					if _, err := actor.Ask(c, ref, asking(1)); err != nil {
						b.Error(err)
					}
				})
			}
			all.Wait()
		}},
	}
	for _, n := range []int{3, 100} {
		for _, way := range ways {
			b.Run(fmt.Sprint(n, " ", way.name), func(b *testing.B) {
				b.ReportAllocs()
				sys := newSystem(b, actor.Config{})
				refs := make([]actor.Ref[question], n)
				for i := range refs {
					refs[i] = spawn(b, sys, answer)
				}
				all := spawn(b, sys, run)
				b.ResetTimer()
				err := let(context.Background(), all, func(c *actor.Context[instruction]) error {
					for i := 0; i < b.N; i += n { // So that all figures are of one ask.
						way.ask(c, refs)
					}
					return nil
				})
				wantNoErr(b, err)
			})
		}
	}
}
