package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
)

type find struct {
	key   string
	reply actor.Reply[string]
}

// replicas are actors of which each knows all there is.
type replicas []actor.Ref[find]

// Deliver gives the message to the first that is there. It offers it, so that one that
// has stopped leaves it to the next.
func (r replicas) Deliver(ctx context.Context, m find) (actor.Ref[find], error) {
	err := errors.New("there are no replicas")
	for _, ref := range r {
		if err = ref.Offer(ctx, m); err == nil {
			return ref, nil
		}
	}
	return actor.Ref[find]{}, err
}

// A store has three replicas. An asker does not know which of them answers, nor that one is
// gone.
func ExampleAskBy() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	var store replicas
	for _, name := range []string{"replica 1", "replica 2", "replica 3"} {
		ref, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[find], m find) error {
			return m.reply.Send(c, m.key+" is known to "+c.Name())
		}), actor.WithName(name))
		if err != nil {
			log.Fatal(err)
		}
		store = append(store, ref)
	}
	ask := func() {
		s, err := actor.AskBy(ctx, sys, store, func(r actor.Reply[string]) find { return find{"gopher", r} })
		fmt.Println(s, err)
	}
	ask()
	_ = store[0].Stop(ctx)
	ask()
	_, err := actor.AskBy(ctx, sys, store[:1], func(r actor.Reply[string]) find { return find{"gopher", r} })
	fmt.Println(errors.Is(err, actor.ErrStopped))
	// Output:
	// gopher is known to replica 1 <nil>
	// gopher is known to replica 2 <nil>
	// true
}
