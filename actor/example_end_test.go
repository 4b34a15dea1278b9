package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"runtime"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// An actor that does not stop in time is left behind.
func ExampleRef_StopWithin() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	begun, open := make(chan struct{}), make(chan struct{})
	defer close(open)
	ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[string], string) error {
		close(begun)
		<-open // It looks at nothing else.
		return nil
	}), actor.WithName("deaf"))
	if err != nil {
		log.Fatal(err)
	}
	_ = ref.Send(ctx, "listen")
	<-begun
	err = ref.StopWithin(ctx, time.Millisecond)
	fmt.Println(errors.Is(err, actor.ErrForced), ref.Err())
	// Output:
	// true actor: the actor was killed
}

// The program can look at waits while they last, and see which actor waits for which.
func ExampleSystem_Waits() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	type question struct{ reply actor.Reply[string] }
	open := make(chan struct{})
	answerer, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[question], q question) error {
		<-open
		return q.reply.Send(ctx, "42")
	}), actor.WithName("oracle"))
	if err != nil {
		log.Fatal(err)
	}
	pilgrim, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], _ string) error {
		answer, err := actor.Ask(ctx, answerer, func(r actor.Reply[string]) question { return question{r} })
		fmt.Println(answer)
		return err
	}), actor.WithName("pilgrim"))
	if err != nil {
		log.Fatal(err)
	}
	_ = pilgrim.Send(ctx, "go")
	for len(sys.Waits()) == 0 {
		runtime.Gosched()
	}
	for _, w := range sys.Waits() {
		fmt.Println(w.Name, "waits by", w.Kind, "for", w.OnName)
	}
	close(open)
	_ = pilgrim.Drain(ctx)
	// Output:
	// pilgrim waits by ask for oracle
	// 42
}

// survivor is linked to others and outlives them.
type survivor struct {
	to    actor.PID
	ready chan<- struct{}
}

func (h survivor) Started(ctx *actor.Context[int]) error {
	defer close(h.ready)
	return ctx.Link(h.to)
}

func (survivor) Receive(*actor.Context[int], int) error { return nil }

func (survivor) Exited(ctx *actor.Context[int], e actor.Exit) error {
	fmt.Println("heir of", e.Name, "which was", e.Kind())
	ctx.Stop()
	return nil
}

// A link would take an actor along, but for its method Exited.
func ExampleTrapper() {
	sys := exampleSystem()
	defer stop(sys)
	uncle, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { return nil }), actor.WithName("uncle"))
	if err != nil {
		log.Fatal(err)
	}
	ready := make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Actor[int](survivor{uncle.PID(), ready}))
	if err != nil {
		log.Fatal(err)
	}
	<-ready
	_ = uncle.Kill()
	<-ref.Done()
	fmt.Println(ref.Err())
	// Output:
	// heir of uncle which was killed
	// <nil>
}

// restartingParent restarts each child that fails. Package supervise has more to offer.
type restartingParent struct {
	child chan<- actor.Ref[string]
	done  chan<- struct{}
}

func (p restartingParent) Started(ctx *actor.Context[int]) error {
	tries := 0
	ref, err := actor.SpawnNew(ctx, func() actor.Actor[string] {
		return actor.Func(func(_ *actor.Context[string], m string) error {
			if tries++; tries == 1 {
				return errors.New("out of ink")
			}
			if fmt.Println("printed", m); m == "page 2" {
				close(p.done)
			}
			return nil
		})
	}, actor.WithName("printer"), actor.WithRetry(1))
	p.child <- ref
	return err
}

func (restartingParent) Receive(*actor.Context[int], int) error { return nil }

func (restartingParent) ChildExited(ctx *actor.Context[int], e actor.Exit) error {
	if !e.Held {
		return nil
	}
	fmt.Println(e.Name, "failed:", e.Reason)
	if err := ctx.Restart(e.PID); !errors.Is(err, actor.ErrStalePID) {
		return err
	}
	return nil // Somebody has stopped it meanwhile.
}

// A Parent decides about children that have failed. The message in which it was
// comes again, since WithRetry says so; those that wait stay in any case.
func ExampleParent() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	child, done := make(chan actor.Ref[string], 1), make(chan struct{})
	if _, err := actor.Spawn(sys, actor.Actor[int](restartingParent{child, done})); err != nil {
		log.Fatal(err)
	}
	printer := <-child
	_ = printer.Send(ctx, "page 1")
	_ = printer.Send(ctx, "page 2")
	<-done
	// Output:
	// printer failed: out of ink
	// printed page 1
	// printed page 2
}

// search reports how well it works.
type search struct{ indexed bool }

func (search) Receive(*actor.Context[int], int) error { return nil }

func (c search) Health(*actor.Context[int]) actor.Health {
	if !c.indexed {
		return actor.Health{Level: actor.Degraded, Reason: "the index is missing"}
	}
	return actor.Health{}
}

// All actors that are a HealthChecker are asked at the same time.
func ExampleSystem_Checkup() {
	sys := exampleSystem()
	defer stop(sys)
	if _, err := actor.Spawn(sys, actor.Actor[int](search{}), actor.WithName("search")); err != nil {
		log.Fatal(err)
	}
	for _, d := range sys.Checkup(context.Background()) {
		fmt.Println(d.Path, "is", d.Level, "-", d.Reason)
	}
	// Output:
	// /search is degraded - the index is missing
}

// A Probe observes what happens to actors, here their ends.
func ExampleSystem_Observe() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	unsee, err := sys.Observe(&actor.Probe{Ended: func(e actor.Ending) {
		fmt.Println(e.Name, "has ended after", e.Handled, "messages:", e.Reason)
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer unsee()
	ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { return nil }), actor.WithName("worker"))
	if err != nil {
		log.Fatal(err)
	}
	for m := range 3 {
		_ = ref.Send(ctx, m)
	}
	_ = ref.Drain(ctx)
	// Output:
	// worker has ended after 3 messages: <nil>
}

// A timer sends later. It ends with its owner, here with the system.
func ExampleSendAfter() {
	sys := exampleSystem()
	defer stop(sys)
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], m string) error {
		fmt.Println(m)
		ctx.Stop()
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	late, err := actor.SendAfter(sys, time.Hour, ref, "too late")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := actor.SendAfter(sys, time.Millisecond, ref, "in time"); err != nil {
		log.Fatal(err)
	}
	<-ref.Done()
	fmt.Println("cancelled:", late.Stop())
	// Output:
	// in time
	// cancelled: true
}
