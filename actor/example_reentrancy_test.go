package actor_test

import (
	"context"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
)

// An order asks the store for goods, and the store asks the order where to: that
// works since the order lets calls back in. Without it, the store would get a
// CycleError.
func ExampleWithReentrancy() {
	type order struct {
		addressWanted actor.Reply[string]
		deliver       actor.Reply[string]
	}
	type goods struct {
		For   actor.Ref[order]
		reply actor.Reply[string]
	}
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	store, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[goods], g goods) error {
		address, err := actor.Ask(c, g.For, func(r actor.Reply[string]) order { return order{addressWanted: r} })
		if err != nil {
			return g.reply.Fail(c, err)
		}
		return g.reply.Send(c, "a parcel to "+address)
	}))
	if err != nil {
		log.Fatal(err)
	}
	orders, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[order], o order) error {
		if o.deliver == (actor.Reply[string]{}) {
			return o.addressWanted.Send(c, "Elm Street 9")
		}
		parcel, err := actor.Ask(c, store, func(r actor.Reply[string]) goods { return goods{c.Self(), r} })
		if err != nil {
			return o.deliver.Fail(c, err)
		}
		return o.deliver.Send(c, parcel)
	}), actor.WithReentrancy(actor.CallChainReentrancy))
	if err != nil {
		log.Fatal(err)
	}
	parcel, err := actor.Ask(ctx, orders, func(r actor.Reply[string]) order { return order{deliver: r} })
	fmt.Println(parcel, err)
	if err := sys.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: a parcel to Elm Street 9 <nil>
}

// A gateway asks something slow for each of its callers, and must not be held up by it. After
// the wait it reads its own state again.
func ExampleWithReentrancy_full() {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	type request struct {
		n     int
		reply actor.Reply[int]
	}
	open := make(chan actor.Reply[int], 2)
	slow, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[request], q request) error {
		open <- q.reply // It is answered when the second one has come, too.
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	served := 0
	gateway, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[request], q request) error {
		answer, err := actor.Ask(c, slow, func(r actor.Reply[int]) request { return request{q.n, r} })
		if err != nil {
			return q.reply.Fail(c, err)
		}
		served++ // Nobody else writes to it meanwhile.
		return q.reply.Send(c, answer)
	}), actor.WithReentrancy(actor.FullReentrancy))
	if err != nil {
		log.Fatal(err)
	}
	answers := make(chan int)
	for n := range 2 {
		go func() {
			answer, err := actor.Ask(ctx, gateway, func(r actor.Reply[int]) request { return request{n, r} })
			if err != nil {
				log.Print(err)
			}
			answers <- answer
		}()
	}
	first, second := <-open, <-open
	for _, r := range []actor.Reply[int]{first, second} {
		if err := r.Send(ctx, 7); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(<-answers, <-answers)
	if err := sys.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(served)
	// Output:
	// 7 7
	// 2
}

// A catalogue is read by many and seldom written to. Its readers run on several
// workers at once, without a lock.
func ExampleWithReadOnly() {
	type entry struct {
		key, value string
		reply      actor.Reply[string] // Of the readers.
	}
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	entries := map[string]string{}
	catalogue, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[entry], e entry) error {
		if e.value != "" {
			entries[e.key] = e.value
			return nil
		}
		return e.reply.Send(c, entries[e.key])
	}), actor.WithReadOnly(func(e entry) bool { return e.value == "" }))
	if err != nil {
		log.Fatal(err)
	}
	if err := catalogue.Send(ctx, entry{key: "go", value: "1.26"}); err != nil {
		log.Fatal(err)
	}
	version, err := actor.Ask(ctx, catalogue, func(r actor.Reply[string]) entry { return entry{key: "go", reply: r} })
	fmt.Println(version, err)
	if err := sys.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: 1.26 <nil>
}
