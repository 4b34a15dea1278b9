package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// fileKeeper closes its open files before it stops.
type fileKeeper struct {
	open   int
	opened chan struct{}
}

func (c *fileKeeper) Receive(ctx *actor.Context[string], m string) error {
	switch m {
	case "open":
		c.open++
		c.opened <- struct{}{}
	case "close":
		if c.open--; c.open == 0 {
			fmt.Println("the last file is closed")
			ctx.Stop()
		}
	}
	return nil
}

// Leave makes it a GracefulStopper: it is called instead of the stop.
func (c *fileKeeper) Leave(ctx *actor.Context[string]) error {
	fmt.Println("asked to leave, with", c.open, "open")
	for range c.open {
		if err := ctx.Self().Send(ctx, "close"); err != nil {
			return err
		}
	}
	return nil
}

// A GracefulStopper decides itself when it has come to an end.
func ExampleGracefulStopper() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	opened := make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Actor[string](&fileKeeper{opened: opened}))
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		if err := ref.Send(ctx, "open"); err != nil {
			log.Fatal(err)
		}
		<-opened
	}
	fmt.Println(ref.Stop(ctx))
	// Output:
	// asked to leave, with 2 open
	// the last file is closed
	// <nil>
}

// A process that traps exits is told by a message of the ends of those that it is linked
// to.
func ExampleProcess_TrapExits() {
	sys := exampleSystem()
	defer stop(sys)
	keeper, err := actor.SpawnProcess(sys, func(p *actor.Process[string]) error {
		err := p.TrapExits(func(e actor.Exit) string { return fmt.Sprintf("%s: %v", e.Kind(), e.Reason) })
		if err != nil {
			return err
		}
		worker, err := actor.Spawn(p, actor.Func(work))
		if err != nil {
			return err
		}
		if err := p.Link(worker.PID()); err != nil {
			return err
		}
		if err := worker.Send(p, job{fails: true}); err != nil {
			return err
		}
		m, err := p.Receive(p)
		fmt.Println(m)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	<-keeper.Done()
	fmt.Println(keeper.Err())
	// Output:
	// failed: out of paper
	// <nil>
}

// An actor that takes too long over the answer does not keep its asker waiting.
func ExampleWithAskTimeout() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[square], _ square) error {
		<-ctx.Done() // It never has an answer.
		return context.Cause(ctx)
	}), actor.WithAskTimeout(10*time.Millisecond, actor.TimeoutStop))
	if err != nil {
		log.Fatal(err)
	}
	_, err = actor.Ask(ctx, ref, func(r actor.Reply[int]) square { return square{7, r} })
	fmt.Println(errors.Is(err, actor.ErrNoReply))
	var late *actor.TimeoutError
	fmt.Println(errors.As(err, &late) && late.Limit == 10*time.Millisecond)
	// Output:
	// true
	// true
}
