package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
)

// partnerWatcher watches a partner, and fails if a step needs the partner after its end.
type partnerWatcher struct {
	partner actor.PID
	watch   actor.Monitor
}

type step struct {
	alone bool
	reply actor.Reply[bool]
}

func (d *partnerWatcher) Started(ctx *actor.Context[step]) (err error) {
	if d.watch, err = ctx.Monitor(d.partner); err != nil {
		return err
	}
	return ctx.Link(d.partner)
}

func (d *partnerWatcher) Receive(ctx *actor.Context[step], m step) error {
	if !m.alone {
		return m.reply.Send(ctx, true)
	}
	if err := ctx.Unlink(d.partner); err != nil {
		return err
	}
	return m.reply.Send(ctx, ctx.Demonitor(d.watch))
}

// Down makes it a Watcher.
func (d *partnerWatcher) Down(ctx *actor.Context[step], _ actor.Monitor, e actor.Exit) error {
	fmt.Println(ctx.Name(), "is told of", e.Name)
	return nil
}

// An actor that has undone its link and its monitor no longer learns what happens to the other
// actor.
func ExampleContext_Unlink() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	partner, err := actor.Spawn(sys, actor.Func(work), actor.WithName("partner"))
	if err != nil {
		log.Fatal(err)
	}
	var watchers []actor.Ref[step]
	for _, name := range []string{"patient", "strict"} {
		ref, err := actor.Spawn(sys, actor.Actor[step](&partnerWatcher{partner: partner.PID()}), actor.WithName(name))
		if err != nil {
			log.Fatal(err)
		}
		watchers = append(watchers, ref)
	}
	takeStep := func(ref actor.Ref[step], alone bool) (bool, error) {
		return actor.Ask(ctx, ref, func(r actor.Reply[bool]) step { return step{alone, r} })
	}
	fmt.Println(takeStep(watchers[0], true)) // The monitor was at work until then.
	fmt.Println(takeStep(watchers[1], false))
	_ = partner.Send(ctx, job{fails: true})
	<-watchers[1].Done()
	fmt.Println(errors.As(watchers[1].Err(), new(*actor.LinkedError)))
	fmt.Println(takeStep(watchers[0], false))
	// Output:
	// true <nil>
	// true <nil>
	// true
	// true <nil>
}

// A table is laid when three guests have come.
func ExampleContext_Stashed() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	serve := func(_ *actor.Context[string], guest string) error {
		fmt.Println("dinner for", guest)
		return nil
	}
	table, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], guest string) error {
		if err := ctx.Stash(guest); err != nil {
			return err
		}
		fmt.Println(ctx.Stashed(), "at the table")
		if ctx.Stashed() < 3 {
			return nil
		}
		_, err := ctx.Unstash()
		return errors.Join(err, ctx.Become(serve))
	}))
	if err != nil {
		log.Fatal(err)
	}
	for _, guest := range []string{"Ada", "Grace", "Barbara"} {
		_ = table.Send(ctx, guest)
	}
	_ = table.Drain(ctx)
	// Output:
	// 1 at the table
	// 2 at the table
	// 3 at the table
	// dinner for Ada
	// dinner for Grace
	// dinner for Barbara
}

// A sender that can choose among several receivers offers the message. The message stays the
// sender's until it is taken, also if the receiver has stopped.
func ExampleRef_TryOffer() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	var desks []actor.Ref[string]
	for _, name := range []string{"closed", "busy", "free"} {
		ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], m string) error {
			fmt.Println(ctx.Name(), "takes", m)
			return nil
		}), actor.WithName(name), actor.WithCapacity(actor.Data, 1))
		if err != nil {
			log.Fatal(err)
		}
		desks = append(desks, ref)
	}
	_ = desks[0].Stop(ctx)
	_ = sys.Suspend(desks[1].PID())
	_ = desks[1].Send(ctx, "a parcel") // It waits, and is all there may be.
	for _, desk := range desks {
		err := desk.TryOffer(ctx, "a letter")
		fmt.Println(errors.Is(err, actor.ErrStopped), errors.Is(err, actor.ErrFull), err == nil)
	}
	_ = desks[2].Drain(ctx)
	fmt.Println(sys.Stats().DeadLetters, "dead letters")
	// Unordered output:
	// true false false
	// false true false
	// false false true
	// free takes a letter
	// 0 dead letters
}

// Code that stops several actors may itself run inside one of them. It must not wait for that
// actor.
func ExampleSystem_Inside() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	shut := func(ctx context.Context, id actor.PID) {
		_ = sys.RequestStop(id)
		if sys.Inside(ctx, id) {
			fmt.Println("it stops when its handler has returned")
			return
		}
		down, cancel := sys.Monitor(id)
		defer cancel()
		<-down
		fmt.Println("it has stopped")
	}
	inner, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], _ int) error {
		shut(ctx, ctx.PID())
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	_ = inner.Send(ctx, 1)
	<-inner.Done()
	outer, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { return nil }))
	if err != nil {
		log.Fatal(err)
	}
	shut(ctx, outer.PID())
	// Output:
	// it stops when its handler has returned
	// it has stopped
}
