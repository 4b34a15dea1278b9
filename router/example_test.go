package router_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// greeting is asked for by name.
type greeting struct {
	name  string
	reply actor.Reply[string]
}

// greeters starts actors that greet, each in its own way.
func greeters(sys *actor.System, words ...string) []actor.Ref[greeting] {
	var refs []actor.Ref[greeting]
	for _, word := range words {
		ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[greeting], m greeting) error {
			return m.reply.Send(ctx, word+", "+m.name)
		}))
		if err != nil {
			log.Fatal(err)
		}
		refs = append(refs, ref)
	}
	return refs
}

func greet(ctx context.Context, r router.Router[greeting], name string) {
	fmt.Println(router.Ask(ctx, r, func(a actor.Reply[string]) greeting { return greeting{name, a} }))
}

func exampleSystem() *actor.System {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	return sys
}

func exampleRouter(sys *actor.System, cfg router.Config[greeting]) router.Router[greeting] {
	r, err := router.New(sys, cfg)
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// The routees answer in turn, and may change at any time.
func Example() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	refs := greeters(sys, "hello", "good morning", "ahoy")
	r, err := router.New(sys, router.Config[greeting]{Routees: refs[:2]})
	if err != nil {
		log.Fatal(err)
	}
	greet(ctx, r, "Ann")
	greet(ctx, r, "Bob")
	fmt.Println(r.Add(ctx, refs[2]), r.Remove(ctx, refs[0]))
	greet(ctx, r, "Cid")
	greet(ctx, r, "Dan")
	// Output:
	// hello, Ann <nil>
	// good morning, Bob <nil>
	// <nil> <nil>
	// good morning, Cid <nil>
	// ahoy, Dan <nil>
}

// Messages with the same name always go to the same routee.
func ExampleBy() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	r := exampleRouter(sys, router.Config[greeting]{
		Strategy: router.ConsistentHash,
		Key:      router.By(func(m greeting) (string, bool) { return m.name, m.name != "" }),
		Routees:  greeters(sys, "hello", "good morning", "ahoy", "hi"),
	})
	ask := func(name string) (string, error) {
		return router.Ask(ctx, r, func(a actor.Reply[string]) greeting { return greeting{name, a} })
	}
	first, _ := ask("Ann")
	again, _ := ask("Ann")
	fmt.Println(first == again)
	_, err := ask("")
	fmt.Println(errors.Is(err, router.ErrNoKey), err)
	// Output:
	// true
	// true router: the message has no key: router_test.greeting
}

// A message without an answer is copied to all.
func ExampleRouter_Send_broadcast() {
	ctx := context.Background()
	sys := exampleSystem()
	heard := make(chan string)
	var refs []actor.Ref[string]
	for _, who := range []string{"Ann", "Bob"} {
		ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[string], m string) error {
			heard <- who + " hears: " + m
			return nil
		}))
		if err != nil {
			log.Fatal(err)
		}
		refs = append(refs, ref)
	}
	r, err := router.New(sys, router.Config[string]{Strategy: router.Broadcast, Routees: refs})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Send(ctx, "the market is open"))
	fmt.Println(<-heard)
	fmt.Println(<-heard)
	fmt.Println(sys.Stop(ctx))
	// Unordered output:
	// <nil>
	// Ann hears: the market is open
	// Bob hears: the market is open
	// <nil>
}

// All mirrors are asked, and the first answer counts. Mirrors
// that fail are ignored unless all fail.
func ExampleAskFirst() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	broken, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[greeting], m greeting) error {
		return m.reply.Fail(ctx, errors.New("out of words"))
	}))
	if err != nil {
		log.Fatal(err)
	}
	r := exampleRouter(sys, router.Config[greeting]{Routees: append(greeters(sys, "hello"), broken)})
	fmt.Println(router.AskFirst(ctx, r, func(a actor.Reply[string]) greeting { return greeting{"Ann", a} }))
	// Output: hello, Ann <nil>
}

// Code that knows refs alone can be given one.
func ExampleRouter_Ref() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	r := exampleRouter(sys, router.Config[greeting]{Strategy: router.LeastOfTwo, Routees: greeters(sys, "hello", "hello")})
	ref, err := r.Ref(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(actor.Ask(ctx, ref, func(a actor.Reply[string]) greeting { return greeting{"Ann", a} }))
	// Output: hello, Ann <nil>
}

func stop(sys *actor.System) { _ = sys.Stop(context.Background()) }
