package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// A handler that takes too long is warned about first, then its context ends,
// and at last the actor is stopped, or restarted by its supervisor.
func ExampleWithHandlerTimeout() {
	ctx := context.Background()
	reported := make(chan struct{})
	sys, err := actor.NewSystem(actor.Config{OnTimeout: func(r actor.HandlerReport) {
		fmt.Println(r.Name, "takes too long:", r.Action)
		close(reported)
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer stop(sys)
	upload, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], file string) error {
		<-ctx.Done() // In place of a slow network, which is given ctx.
		fmt.Println("gave up:", errors.Is(context.Cause(ctx), actor.ErrHandlerTimeout))
		return nil
	}), actor.WithName("upload"),
		actor.WithHandlerTimeout(10*time.Millisecond, actor.TimeoutCancel),
		actor.WithHandlerTimeout(time.Minute, actor.TimeoutStop))
	if err != nil {
		log.Fatal(err)
	}
	if err := upload.Send(ctx, "holiday.mov"); err != nil {
		log.Fatal(err)
	}
	if err := upload.Drain(ctx); err != nil {
		log.Fatal(err)
	}
	<-reported // The observer reports after it has acted.
	// Unordered output:
	// upload takes too long: cancel
	// gave up: true
}

// Messages of one type may be of several kinds, each with its time.
func ExampleWithTimeoutFor() {
	type order struct {
		large bool
		reply actor.Reply[string]
	}
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	shop, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[order], o order) error {
		if o.large {
			return o.reply.Send(ctx, "packed")
		}
		<-ctx.Done() // The small ones are out of stock.
		return o.reply.Fail(ctx, context.Cause(ctx))
	}), actor.WithTimeoutFor(actor.TimeoutCancel, func(o order) time.Duration {
		if o.large {
			return time.Minute
		}
		return 10 * time.Millisecond
	}))
	if err != nil {
		log.Fatal(err)
	}
	for _, large := range []bool{true, false} {
		answer, err := actor.Ask(ctx, shop, func(r actor.Reply[string]) order { return order{large, r} })
		fmt.Printf("%q %v\n", answer, errors.Is(err, actor.ErrHandlerTimeout))
	}
	// Output:
	// "packed" false
	// "" true
}

// OnBlocked reports slow handlers while they run, and OnSlow reports them when they have
// returned.
func ExampleConfig_slow() {
	ctx := context.Background()
	blocked := make(chan struct{})
	sys, err := actor.NewSystem(actor.Config{
		SlowAfter: 5 * time.Millisecond,
		OnBlocked: func(r actor.HandlerReport) {
			fmt.Println(r.Name, "is slow with a", r.Message)
			close(blocked) // The network has answered at last.
		},
		OnSlow: func(r actor.HandlerReport) {
			fmt.Println("it took longer than 5 ms:", r.For > 5*time.Millisecond)
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer stop(sys)
	resolver, err := actor.Spawn(sys, actor.Func(func(*actor.Context[string], string) error {
		<-blocked
		return nil
	}), actor.WithName("resolver"))
	if err != nil {
		log.Fatal(err)
	}
	if err := resolver.Send(ctx, "example.org"); err != nil {
		log.Fatal(err)
	}
	if err := resolver.Drain(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// resolver is slow with a string
	// it took longer than 5 ms: true
}
