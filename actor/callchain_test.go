package actor_test

import (
	"context"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// The chain of askers is known with and without a context that is carried.
func TestCallChain(t *testing.T) {
	for name, ctx := range map[string]context.Context{"plain": context.Background(), "carried": guarded(t)} {
		t.Run(name, func(t *testing.T) {
			sys := newSystem(t, actor.Config{})
			var chain, onGoroutine, sent []actor.PID
			var refs []actor.PID
			first := chained(t, sys, 3, asIs, func(c *actor.Context[question], q question) error {
				chain = actor.CallChain(c)
				done := make(chan struct{})
				go func() {
					defer close(done)
					onGoroutine = actor.CallChain(c)
				}()
				<-done
				return q.reply.Send(c, 1)
			})
			refs = append(refs, first.PID())
			got, err := actor.Ask(ctx, first, asking(1))
			if got != 3 || err != nil {
				t.Fatal(got, err)
			}
			if len(chain) != 3 || chain[0] != refs[0] || chain[1] == chain[2] {
				t.Errorf("the chain is %v, and begins with %v", chain, refs)
			}
			if want := chain[2:]; name == "plain" && !slices.Equal(onGoroutine, want) {
				t.Errorf("on a goroutine it is %v, want %v", onGoroutine, want)
			} else if name != "plain" && !slices.Equal(onGoroutine, chain) {
				t.Errorf("on a goroutine it is %v, want %v", onGoroutine, chain)
			}
			done := make(chan struct{})
			ref := spawn(t, sys, func(c *actor.Context[int], _ int) error {
				sent = actor.CallChain(c)
				close(done)
				return nil
			})
			send(t, ctx, ref, 1)
			receive(t, guarded(t), done)
			if !slices.Equal(sent, []actor.PID{ref.PID()}) {
				t.Errorf("that of a sent message is %v, want %v alone", sent, ref.PID())
			}
			if c := actor.CallChain(ctx); c != nil {
				t.Errorf("outside there is a chain, %v", c)
			}
		})
	}
}
