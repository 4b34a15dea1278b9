package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// The actors with the fullest mailboxes come first.
func ExampleInspector_Actors() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	insp, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer insp.Close()
	open, entered := make(chan struct{}), make(chan struct{}, 3)
	busy := actor.Func(func(*actor.Context[string], string) error {
		entered <- struct{}{}
		<-open
		return nil
	})
	for _, name := range []string{"idle", "busy"} {
		ref, err := actor.Spawn(sys, busy, actor.WithName(name))
		if err != nil {
			log.Fatal(err)
		}
		if name == "busy" {
			for n := range 3 {
				if err := ref.Send(ctx, "job"); err != nil {
					log.Fatal(err)
				}
				if n == 0 {
					<-entered // It is being handled.
				}
			}
		}
	}
	page, err := insp.Actors(inspect.Query{Sort: inspect.ByMailbox, Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range page.Actors {
		fmt.Println(a.Name, a.PID, a.State, a.Mailbox)
	}
	close(open)
	fmt.Println(sys.Stop(ctx))
	// Output:
	// busy <1.1> running 2
	// <nil>
}

// Events tell of what somebody may want to look at.
func ExampleInspector_Subscribe() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	insp, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer insp.Close()
	failures := insp.Subscribe(inspect.Subscription{Kinds: []inspect.EventKind{inspect.Failed}})
	ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error {
		return errors.New("the disk is full")
	}), actor.WithName("store"))
	if err != nil {
		log.Fatal(err)
	}
	if err := ref.Send(ctx, 1); err != nil {
		log.Fatal(err)
	}
	e, err := failures.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e)
	fmt.Println(sys.Stop(ctx))
	// Output:
	// ERROR failed: store<0.1> has failed: the disk is full
	// <nil>
}
