package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
)

// userKey is the key of a value that goes with a request.
type userKey struct{}

// A deadline, a cancellation and values go along with the asks that are made for
// an ask, down to the last handler, which learns why it need not go on.
func ExampleContext_deadline() {
	errGone := errors.New("the browser was closed")
	request, cancel := context.WithCancelCause(context.WithValue(context.Background(), userKey{}, "Ada"))
	sys := exampleSystem()
	defer stop(sys)
	store, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[square], _ square) error {
		fmt.Println("a query of", ctx.Value(userKey{}))
		cancel(errGone) // Meanwhile, far away.
		<-ctx.Done()    // In place of a database, which is given ctx.
		fmt.Println("stopped:", context.Cause(ctx))
		return ctx.Err() // The actor has not failed: nobody waits for its answer.
	}))
	if err != nil {
		log.Fatal(err)
	}
	front, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[square], m square) error {
		fmt.Println("asked by", len(actor.CallChain(ctx))-1, "actors")
		n, err := actor.Ask(ctx, store, func(r actor.Reply[int]) square { return square{m.n, r} })
		if err != nil {
			return err
		}
		return m.reply.Send(ctx, n)
	}))
	if err != nil {
		log.Fatal(err)
	}
	_, err = actor.Ask(request, front, func(r actor.Reply[int]) square { return square{7, r} })
	fmt.Println(errors.Is(err, errGone))
	// Drained, both have returned.
	fmt.Println(front.Drain(context.Background()), store.Drain(context.Background()))
	// Unordered output:
	// asked by 0 actors
	// a query of Ada
	// stopped: the browser was closed
	// true
	// <nil> <nil>
}
