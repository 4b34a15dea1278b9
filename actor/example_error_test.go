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

// climber ties itself to others, and falls when it is told.
func climber(ctx *actor.Context[actor.PID], to actor.PID) error {
	if to == (actor.PID{}) {
		return errors.New("lost hold")
	}
	return ctx.Link(to)
}

// A linked actor ends with the others. The reason has all the links, and errors.Is looks
// through them.
func ExampleLinkedError() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	var rope []actor.Ref[actor.PID]
	for _, name := range []string{"first", "second", "third"} {
		ref, err := actor.Spawn(sys, actor.Func(climber), actor.WithName(name))
		if err != nil {
			log.Fatal(err)
		}
		rope = append(rope, ref)
	}
	_ = rope[2].Send(ctx, rope[1].PID())
	_ = rope[1].Send(ctx, rope[0].PID())
	for i := 0; i < len(rope); { // Until all are linked.
		if info, _ := rope[i].Info(); info.LinkCount > 0 {
			i++
		}
	}
	_ = rope[0].Kill()
	<-rope[2].Done()
	var linked *actor.LinkedError
	if errors.As(rope[2].Err(), &linked) {
		fmt.Println("the third ended with the", linked.Name)
	}
	fmt.Println(errors.Is(rope[2].Err(), actor.ErrKilled))
	// Output:
	// the third ended with the second
	// true
}

// An exit says in which way an actor has ended, and why.
func ExampleExit() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	for _, m := range []string{"stop", "error", "panic", "goexit", "kill"} {
		ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], m string) error {
			switch m {
			case "stop":
				ctx.Stop()
			case "error":
				return errors.New("out of paper")
			case "panic":
				panic("paper jam")
			case "goexit":
				runtime.Goexit()
			}
			return nil
		}))
		if err != nil {
			log.Fatal(err)
		}
		down, cancel := sys.Monitor(ref.PID())
		if m == "kill" {
			_ = ref.Kill()
		}
		_ = ref.Send(ctx, m)
		e := <-down
		cancel()
		var p *actor.PanicError
		switch {
		case errors.As(e.Reason, &p):
			fmt.Println(m, "-", e.Kind(), "- with a stack:", len(p.Stack()) > 0)
		default:
			fmt.Println(m, "-", e.Kind(), "-", e.Reason)
		}
	}
	// Output:
	// stop - normal - <nil>
	// error - failed - out of paper
	// panic - failed - with a stack: true
	// goexit - failed - actor: the actor's code called runtime.Goexit
	// kill - killed - actor: the actor was killed
}

// A handler can't wait for the end of its own system, but may begin it. Then
// nothing can be spawned any more.
func ExampleSystem_Stop() {
	ctx := context.Background()
	sys := exampleSystem()
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], m string) error {
		fmt.Println(m)
		err := ctx.System().Stop(ctx)
		fmt.Println("it would wait for itself:", errors.Is(err, actor.ErrWouldDeadlock))
		_, err = actor.Spawn(ctx.System(), actor.Func(work))
		fmt.Println("it is too late to spawn:", errors.Is(err, actor.ErrSystemStopped))
		return nil
	}), actor.WithName("janitor"))
	if err != nil {
		log.Fatal(err)
	}
	_ = ref.Send(ctx, "closing time")
	<-ref.Done()
	fmt.Println(sys.Stop(ctx))
	fmt.Println(errors.Is(ref.Send(ctx, "hello?"), actor.ErrStopped))
	// Output:
	// closing time
	// it would wait for itself: true
	// it is too late to spawn: true
	// <nil>
	// true
}

// A sent message may have another time limit than an asked one. Here a send is stopped after
// 10 ms, and an ask may take as long as its asker waits.
func ExampleWithSendTimeout() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	begun := make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[square], m square) error {
		if m.n == 0 {
			close(begun)
			<-ctx.Done()
			return context.Cause(ctx)
		}
		return squared(ctx, m)
	}), actor.WithSendTimeout(10*time.Millisecond, actor.TimeoutStop), actor.WithName("mill"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(actor.Ask(ctx, ref, func(r actor.Reply[int]) square { return square{3, r} }))
	_ = ref.Send(ctx, square{n: 0})
	<-begun
	<-ref.Done()
	fmt.Println(errors.Is(ref.Err(), actor.ErrHandlerTimeout))
	// Output:
	// 9 <nil>
	// true
}

// A handler that was killed and wakes up later is fenced off: its answer does not
// come, and nobody gets what it sends.
func ExampleRef_Kill_fenced() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	begun, open, woken := make(chan struct{}), make(chan struct{}), make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[square], m square) error {
		defer close(woken)
		close(begun)
		<-open
		fmt.Println("the ghost:", errors.Is(squared(ctx, m), actor.ErrFenced))
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		<-begun
		_ = ref.Kill()
	}()
	_, err = actor.Ask(ctx, ref, func(r actor.Reply[int]) square { return square{5, r} })
	fmt.Println("the asker:", errors.Is(err, actor.ErrNoReply), errors.Is(err, actor.ErrKilled))
	close(open)
	<-woken
	// Output:
	// the asker: true true
	// the ghost: true
}

// An answer that comes when nobody waits for it does no harm, and is counted.
func ExampleReply_late() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	impatient, leave := context.WithCancel(ctx)
	gone := make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[square], m square) error {
		leave()
		<-gone
		err := squared(ctx, m)
		fmt.Println(errors.Is(err, actor.ErrLateReply))
		return err // It is not a failure.
	}))
	if err != nil {
		log.Fatal(err)
	}
	_, err = actor.Ask(impatient, ref, func(r actor.Reply[int]) square { return square{5, r} })
	fmt.Println(errors.Is(err, context.Canceled))
	close(gone)
	fmt.Println(ref.Drain(ctx), ref.Err(), sys.Stats().LateReplies)
	// Output:
	// true
	// true
	// <nil> <nil> 1
}
