package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
)

// theatre is a Parent that opens when its lamp is lit.
type theatre struct {
	lamp   chan<- actor.Ref[string]
	opened chan<- struct{}
	child  actor.PID
}

func (s *theatre) Started(ctx *actor.Context[string]) error {
	lamp, err := actor.SpawnHeld(ctx, func() actor.Actor[string] {
		return actor.Func(func(ctx *actor.Context[string], m string) error {
			if m == "fuse" {
				return errors.New("blown")
			}
			fmt.Println(ctx.Name(), "shows", m)
			return nil
		})
	}, actor.WithName("lamp"))
	s.child = lamp.PID()
	s.lamp <- lamp
	return err
}

func (s *theatre) Receive(ctx *actor.Context[string], m string) error {
	fmt.Println(m)
	return ctx.Restart(s.child)
}

// ChildStarted makes it a ChildStartedHandler.
func (s *theatre) ChildStarted(*actor.Context[string], actor.PID) error {
	fmt.Println("lit")
	return nil
}

func (s *theatre) ChildExited(ctx *actor.Context[string], e actor.Exit) error {
	if !e.Held {
		fmt.Println(e.Name, "is gone")
		close(s.opened)
		return nil
	}
	fmt.Println(e.Name, "is", e.Reason)
	return ctx.Release(e.PID) // Instead of another restart.
}

// A child that is spawned held takes messages and handles them when its parent
// begins it. A ChildStartedHandler is told when it is ready.
func ExampleChildStartedHandler() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	lit, gone := make(chan actor.Ref[string], 1), make(chan struct{})
	hall, err := actor.Spawn(sys, actor.Actor[string](&theatre{lamp: lit, opened: gone}))
	if err != nil {
		log.Fatal(err)
	}
	lamp := <-lit
	_ = lamp.Send(ctx, "a tree") // It waits.
	info, err := lamp.Info()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("lamp is", info.State, "with", info.Mailbox[actor.Data])
	_ = hall.Send(ctx, "curtain")
	_ = lamp.Send(ctx, "fuse")
	<-gone
	// Unordered output:
	// lamp is held with 1
	// curtain
	// lit
	// lamp shows a tree
	// lamp is blown
	// lamp is gone
}
