package actor_test

import (
	"context"
	"fmt"
	"log"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
)

// A search that takes long lets what is urgent go first, here the judge who ends it:
// the system has one worker, which the search would keep from all others.
func ExampleContext_Checkpoint() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer stop(sys)
	var enough atomic.Bool
	judge, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[string], m string) error {
		fmt.Println("judge:", m)
		enough.Store(true)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	begun := make(chan struct{})
	search, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[int], best int) error {
		close(begun)
		for !enough.Load() {
			best++ // A step of some microseconds.
			if err := c.Checkpoint(); err != nil {
				return err // Somebody does not wait for it any longer.
			}
		}
		fmt.Println("search: it has found something:", best > 0)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	_ = search.Send(ctx, 0)
	<-begun
	_ = judge.On(actor.Control).Send(ctx, "that will do")
	_ = search.Drain(ctx)
	// Output:
	// judge: that will do
	// search: it has found something: true
}

// Two actors share a worker. Each handles two messages before it is the other one's
// turn, where by default it would be a hundred.
func ExampleWithThroughput() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	show := actor.Func(func(c *actor.Context[int], n int) error {
		fmt.Println(c.Name(), n)
		return nil
	})
	var refs []actor.Ref[int]
	for _, name := range []string{"red", "blue"} {
		ref, err := actor.Spawn(sys, show, actor.WithName(name), actor.WithThroughput(2), actor.WithWorker(0))
		if err != nil {
			log.Fatal(err)
		}
		refs = append(refs, ref)
	}
	// This one is on the same worker, so that all messages wait when it has returned.
	begin, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[int], n int) error {
		for _, ref := range refs {
			for i := range n {
				if err := ref.Send(c, i+1); err != nil {
					return err
				}
			}
		}
		return nil
	}), actor.WithWorker(0))
	if err != nil {
		log.Fatal(err)
	}
	_ = begin.Send(ctx, 4)
	_ = begin.Drain(ctx)
	for _, ref := range refs {
		_ = ref.Drain(ctx)
	}
	// In this order, unless the machine is so busy that a turn takes 1 ms, and ends at that.

	// Unordered output:
	// red 1
	// red 2
	// blue 1
	// blue 2
	// red 3
	// red 4
	// blue 3
	// blue 4
}
