package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
)

// slowly returns a function that handles messages after the channel was closed, so
// that they wait meanwhile.
func slowly(open <-chan struct{}) func(*actor.Context[string], string) error {
	return func(_ *actor.Context[string], m string) error {
		<-open
		fmt.Println(m)
		return nil
	}
}

// Management goes before Data, but after two of its messages it is the turn of one
// of Data.
func ExampleWithBurst() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	open := make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Func(slowly(open)), actor.WithBurst(actor.Management, 2), actor.WithBurst(actor.Data, 1))
	if err != nil {
		log.Fatal(err)
	}
	_ = ref.On(actor.Control).Send(ctx, "begin")
	for _, m := range []string{"data 1", "data 2", "data 3"} {
		_ = ref.Send(ctx, m)
	}
	for _, m := range []string{"management 1", "management 2", "management 3"} {
		_ = ref.On(actor.Management).Send(ctx, m)
	}
	close(open)
	_ = ref.Drain(ctx)
	// Output:
	// begin
	// management 1
	// management 2
	// data 1
	// management 3
	// data 2
	// data 3
}

// The author of a message type knows best how much a message holds.
func ExampleWithSizeOf() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
		fmt.Println("dropped:", *d.Message.(*string))
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer stop(sys)
	begun, open := make(chan struct{}, 3), make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[*string], m *string) error {
		begun <- struct{}{}
		<-open
		fmt.Println("handled:", *m)
		return nil
	}),
		actor.WithMailboxLimit(actor.MailboxLimit{Bytes: 20}),
		actor.WithSizeOf(func(m *string) int { return len(*m) }))
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []string{"the first is at work", "the second waits", "the third is too much"} {
		_ = ref.Send(ctx, &m)
		if m == "the first is at work" {
			<-begun
		}
	}
	close(open)
	_ = ref.Drain(ctx)
	// Output:
	// dropped: the third is too much
	// handled: the first is at work
	// handled: the second waits
}

// A message that can't be put aside needs another treatment.
func ExampleWithStash() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], m string) error {
		if m == "open" {
			n, err := ctx.Unstash()
			fmt.Println(n, "can come in")
			return errors.Join(err, ctx.Become(func(_ *actor.Context[string], m string) error {
				fmt.Println("welcome,", m)
				return nil
			}))
		}
		if err := ctx.Stash(m); errors.Is(err, actor.ErrStashFull) {
			fmt.Println("sorry,", m)
		}
		return nil
	}), actor.WithStash(2))
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []string{"Ada", "Grace", "Barbara", "open"} {
		_ = ref.Send(ctx, m)
	}
	_ = ref.Drain(ctx)
	// Output:
	// sorry, Barbara
	// 2 can come in
	// welcome, Ada
	// welcome, Grace
}

// A lamp is dark or bright: each state is a function.
func ExampleContext_Become() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	bright := func(ctx *actor.Context[string], m string) error {
		fmt.Println("bright:", m)
		return ctx.Unbecome()
	}
	lamp, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], m string) error {
		fmt.Println("dark:", m)
		return ctx.Become(bright)
	}))
	if err != nil {
		log.Fatal(err)
	}
	for range 3 {
		_ = lamp.Send(ctx, "switch")
	}
	_ = lamp.Drain(ctx)
	// Output:
	// dark: switch
	// bright: switch
	// dark: switch
}
