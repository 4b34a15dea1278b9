package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"slices"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// A PID is what can be written down: into a log, JSON or an address. Resolve leads back
// from it to the actor, as long as that lives.
func ExampleResolve() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	ref, err := actor.Spawn(sys, actor.Func(multiply))
	if err != nil {
		log.Fatal(err)
	}
	text, err := ref.PID().MarshalText()
	if err != nil {
		log.Fatal(err)
	}

	id, err := actor.ParsePID(string(text))
	if err != nil {
		log.Fatal(err)
	}
	found, err := actor.Resolve[square](sys, id)
	fmt.Println(found == ref, err)
	_, err = actor.Resolve[string](sys, id)
	fmt.Println("of another type:", err != nil)
	if err := ref.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	_, err = actor.Resolve[square](sys, id)
	fmt.Println("stale:", errors.Is(err, actor.ErrStalePID))
	// Output:
	// true <nil>
	// of another type: true
	// stale: true
}

func multiply(ctx *actor.Context[square], m square) error { return m.reply.Send(ctx, m.n*m.n) }

// Registered names are free again when their actor has stopped.
func ExampleSystem_Names() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	for _, name := range []string{"north", "south"} {
		if _, err := actor.Spawn(sys, actor.Func(multiply), actor.WithRegistration(name)); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(slices.Sorted(maps.Keys(maps.Collect(sys.Names()))))
	north, err := actor.Lookup[square](sys, "north")
	if err != nil {
		log.Fatal(err)
	}
	if err := north.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	_, err = sys.WhereIs("north")
	fmt.Println(errors.Is(err, actor.ErrNoName))
	// Output:
	// [north south]
	// true
}

// A reply takes one answer. A second answer is an error for its sender.
func ExampleReply_Send() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	again := make(chan error, 1)
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[square], m square) error {
		if err := m.reply.Send(ctx, m.n*m.n); err != nil {
			return err
		}
		again <- m.reply.Send(ctx, 0)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	n, err := actor.Ask(ctx, ref, func(r actor.Reply[int]) square { return square{7, r} })
	fmt.Println(n, err)
	fmt.Println(errors.Is(<-again, actor.ErrReplied))
	// Output:
	// 49 <nil>
	// true
}

// A handler that stops a timer gets no message of it any more, also not one that was
// sent before and waits.
func ExampleTimer_Stop() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	stopped := make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], m string) error {
		fmt.Println(m)
		if m != "work" {
			return nil
		}
		ticks, err := actor.Every(ctx, time.Millisecond, ctx.Self(), "tick")
		if err != nil {
			return err
		}
		for ticks.Missed() == 0 { // Else one waits, since which another was left out.
			if err := ctx.Checkpoint(); err != nil {
				return err
			}
		}
		ticks.Stop()
		close(stopped)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	if err := ref.Send(ctx, "work"); err != nil {
		log.Fatal(err)
	}
	<-stopped
	fmt.Println(ref.Drain(ctx))
	// Output:
	// work
	// <nil>
}
