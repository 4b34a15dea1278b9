package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// job is an order to a worker: to fail, or to be fine.
type job struct{ fails bool }

func work(_ *actor.Context[job], m job) error {
	if m.fails {
		return errors.New("out of paper")
	}
	return nil
}

// foreman is linked to one worker and monitors another.
type foreman struct {
	linked, monitored actor.PID
	ready             chan struct{}
}

func (f *foreman) Started(ctx *actor.Context[job]) error {
	if _, err := ctx.Monitor(f.monitored); err != nil {
		return err
	}
	defer close(f.ready)
	return ctx.Link(f.linked)
}

func (f *foreman) Receive(*actor.Context[job], job) error { return nil }

// Exited makes the foreman a Trapper: it is told, and does not end.
func (f *foreman) Exited(ctx *actor.Context[job], e actor.Exit) error {
	fmt.Println(e.Name, e.Kind(), e.Reason)
	return ctx.System().Kill(f.monitored)
}

// Down makes it a Watcher.
func (f *foreman) Down(ctx *actor.Context[job], _ actor.Monitor, e actor.Exit) error {
	fmt.Println(e.Name, e.Kind())
	ctx.Stop()
	return nil
}

// A link is for actors that can't go on without each other. A monitor only reports an end. A
// Trapper also receives the end of a linked actor.
func ExampleContext_Link() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	printer, err := actor.Spawn(sys, actor.Func(work), actor.WithName("printer"))
	if err != nil {
		log.Fatal(err)
	}
	binder, err := actor.Spawn(sys, actor.Func(work), actor.WithName("binder"))
	if err != nil {
		log.Fatal(err)
	}
	ready := make(chan struct{})
	boss, err := actor.Spawn(sys, actor.Actor[job](&foreman{linked: printer.PID(), monitored: binder.PID(), ready: ready}))
	if err != nil {
		log.Fatal(err)
	}
	<-ready
	_ = printer.Send(ctx, job{fails: true})
	<-boss.Done()
	// Output:
	// printer failed out of paper
	// binder killed
}

// Code outside of actors monitors by a channel.
func ExampleSystem_Monitor() {
	sys := exampleSystem()
	defer stop(sys)
	printer, err := actor.Spawn(sys, actor.Func(work), actor.WithName("printer"))
	if err != nil {
		log.Fatal(err)
	}
	down, cancel := sys.Monitor(printer.PID())
	defer cancel()
	_ = printer.Send(context.Background(), job{fails: true})
	e := <-down
	fmt.Println(e.Name, e.Kind(), e.Reason)
	// Output: printer failed out of paper
}

// An actor is found by the name under which it is registered. The type of its
// messages must be the right one.
func ExampleLookup() {
	sys := exampleSystem()
	defer stop(sys)
	if _, err := actor.Spawn(sys, actor.Func(squared), actor.WithRegistration("squares")); err != nil {
		log.Fatal(err)
	}
	ref, err := actor.Lookup[square](sys, "squares")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(actor.Ask(context.Background(), ref, func(r actor.Reply[int]) square { return square{7, r} }))
	_, err = actor.Lookup[string](sys, "squares")
	fmt.Println(err != nil)
	_, err = actor.Lookup[string](sys, "cubes")
	fmt.Println(err)
	// Output:
	// 49 <nil>
	// true
	// look up "cubes": actor: no actor has this name
}

// clockwork counts ticks, and stops its own timer.
type clockwork struct {
	timer actor.Timer
	ticks int
	done  chan struct{}
}

func (w *clockwork) Started(ctx *actor.Context[string]) (err error) {
	w.timer, err = actor.Every(ctx, time.Millisecond, ctx.Self(), "tick")
	return err
}

func (w *clockwork) Receive(_ *actor.Context[string], m string) error {
	fmt.Println(m)
	if w.ticks++; w.ticks == 3 {
		fmt.Println(w.timer.Stop())
		close(w.done)
	}
	return nil
}

// A timer belongs to the actor that has set it, and ends with it.
func ExampleEvery() {
	sys := exampleSystem()
	defer stop(sys)
	done := make(chan struct{})
	if _, err := actor.Spawn(sys, actor.Actor[string](&clockwork{done: done})); err != nil {
		log.Fatal(err)
	}
	<-done
	// Output:
	// tick
	// tick
	// tick
	// true
}

// An actor that is not ready yet puts aside what it is asked to do, and changes
// its behaviour when it is.
func ExampleContext_Stash() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	open := func(_ *actor.Context[string], m string) error {
		fmt.Println("serving", m)
		return nil
	}
	shop, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], m string) error {
		if m != "open" {
			return ctx.Stash(m)
		}
		n, err := ctx.Unstash()
		fmt.Println("opening,", n, "are waiting")
		return errors.Join(err, ctx.Become(open))
	}))
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []string{"Ada", "Grace", "open", "Barbara"} {
		_ = shop.Send(ctx, m)
	}
	fmt.Println(shop.Drain(ctx))
	// Output:
	// opening, 2 are waiting
	// serving Ada
	// serving Grace
	// serving Barbara
	// <nil>
}

// Several actors share the messages: the first that does not decline handles
// them.
func ExampleFirstOf() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
		fmt.Println(d.Message, "-", d.Reason)
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer stop(sys)
	handles := func(what string) actor.Actor[string] {
		return actor.Func(func(_ *actor.Context[string], m string) error {
			if m != what {
				return actor.ErrUnhandled
			}
			fmt.Println(m, "is handled")
			return nil
		})
	}
	ref, err := actor.Spawn(sys, actor.FirstOf(handles("tea"), handles("coffee")))
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []string{"coffee", "milk", "tea"} {
		_ = ref.Send(ctx, m)
	}
	fmt.Println(ref.Drain(ctx), sys.Stats().Unhandled)
	// Output:
	// coffee is handled
	// milk - actor: the message is not handled
	// tea is handled
	// <nil> 1
}

// A program can see at any time what an actor is doing.
func ExampleSystem_Info() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	ref, err := actor.Spawn(sys, actor.Func(squared), actor.WithRegistration("squares"))
	if err != nil {
		log.Fatal(err)
	}
	for n := range 3 {
		_, _ = actor.Ask(ctx, ref, func(r actor.Reply[int]) square { return square{n, r} })
	}
	i, err := sys.Info(ref.PID())
	fmt.Println(i.Name, i.Handled, i.Mailbox, i.Restarts, err)
	// Output: squares 3 [0 0 0] 0 <nil>
}

// Actors that share much are kept on one worker: the first has an affinity, and
// the others are near it.
func ExampleNear() {
	sys, err := actor.NewSystem(actor.Config{Workers: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = sys.Stop(context.Background()) }()

	index, err := actor.Spawn(sys, actor.Func(work), actor.WithName("index"), actor.WithAffinity(1))
	if err != nil {
		log.Fatal(err)
	}
	reader, err := actor.Spawn(sys, actor.Func(work), actor.WithName("reader"), actor.Near(index))
	if err != nil {
		log.Fatal(err)
	}
	for _, ref := range []actor.Ref[job]{index, reader} {
		info, _ := ref.Info()
		fmt.Println(info.Name, "runs on", info.Place)
	}
	_, err = actor.Spawn(sys, actor.Func(work), actor.WithWorker(2))
	fmt.Println(err)
	// Output:
	// index runs on preferably worker 1
	// reader runs on preferably worker 1
	// actor: spawn with a place: sched: there is no worker 2 to place work on; choose one from 0 to 1 (spare workers can't be chosen)
}

// Suspend makes an actor do nothing while somebody looks at it. Its messages wait.
func ExampleSystem_Suspend() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	printed := make(chan job)
	printer, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[job], m job) error {
		printed <- m
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	if err := sys.Suspend(printer.PID()); err != nil {
		log.Fatal(err)
	}
	if err := printer.Send(ctx, job{}); err != nil {
		log.Fatal(err)
	}
	for state := actor.Ready; state != actor.Suspended; { // It may still be at something.
		info, err := printer.Info()
		if err != nil {
			log.Fatal(err)
		}
		state = info.State
	}
	fmt.Println("suspended")
	if err := sys.Resume(printer.PID()); err != nil {
		log.Fatal(err)
	}
	<-printed
	fmt.Println("printed")
	// Output:
	// suspended
	// printed
}
