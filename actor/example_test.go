package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
)

// An actor is spawned with a function that handles its messages, one at a time.
func Example() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer stop(sys)
	greeter, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[string], name string) error {
		fmt.Println("hello,", name)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"Ada", "Grace"} {
		if err := greeter.Send(ctx, name); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("drained:", greeter.Drain(ctx))
	// Output:
	// hello, Ada
	// hello, Grace
	// drained: <nil>
}

// exampleSystem returns a system, as the examples that follow need one.
func exampleSystem() *actor.System {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	return sys
}

// stop ends a system at the end of an example.
func stop(sys *actor.System) {
	if err := sys.Stop(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// square asks for the square of n.
type square struct {
	n     int
	reply actor.Reply[int]
}

func squared(ctx *actor.Context[square], m square) error { return m.reply.Send(ctx, m.n*m.n) }

// The message carries the reply's address, so both question and answer have
// their types.
func ExampleAsk() {
	sys := exampleSystem()
	defer stop(sys)
	squares, err := actor.Spawn(sys, actor.Func(squared))
	if err != nil {
		log.Fatal(err)
	}
	n, err := actor.Ask(context.Background(), squares, func(r actor.Reply[int]) square { return square{12, r} })
	fmt.Println(n, err)
	// Output: 144 <nil>
}

// A handler asks with its own context. While it waits, it holds no worker.
func ExampleAsk_inAHandler() {
	sys := exampleSystem()
	defer stop(sys)
	squares, err := actor.Spawn(sys, actor.Func(squared))
	if err != nil {
		log.Fatal(err)
	}
	type norm struct {
		x, y  int
		reply actor.Reply[int]
	}
	norms, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[norm], m norm) error {
		sum := 0
		for _, n := range []int{m.x, m.y} {
			s, err := actor.Ask(ctx, squares, func(r actor.Reply[int]) square { return square{n, r} })
			if err != nil {
				return err
			}
			sum += s
		}
		return m.reply.Send(ctx, sum)
	}))
	if err != nil {
		log.Fatal(err)
	}
	n, err := actor.Ask(context.Background(), norms, func(r actor.Reply[int]) norm { return norm{3, 4, r} })
	fmt.Println(n, err)
	// Output: 25 <nil>
}

// A reply can be handed on: here the front actor lets another one answer.
func ExampleReply() {
	sys := exampleSystem()
	defer stop(sys)
	squares, err := actor.Spawn(sys, actor.Func(squared))
	if err != nil {
		log.Fatal(err)
	}
	front, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[square], m square) error {
		if m.n < 0 {
			return m.reply.Fail(ctx, errors.New("only positive numbers, please"))
		}
		return squares.Send(ctx, m)
	}))
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range []int{5, -5} {
		fmt.Println(actor.Ask(context.Background(), front, func(r actor.Reply[int]) square { return square{n, r} }))
	}
	// Output:
	// 25 <nil>
	// 0 only positive numbers, please
}

// account is an actor with state. Its field needs no lock.
type account struct{ balance int }

// deposit is a message to an account.
type deposit struct {
	amount int
	reply  actor.Reply[int]
}

func (a *account) Receive(ctx *actor.Context[deposit], m deposit) error {
	a.balance += m.amount
	return m.reply.Send(ctx, a.balance)
}

func (a *account) Started(ctx *actor.Context[deposit]) error {
	fmt.Println(ctx.Name(), "is open")
	return nil
}

func (a *account) Stopped(ctx *actor.Context[deposit], reason error) {
	fmt.Println(ctx.Name(), "is closed with", a.balance, "and error", reason)
}

// An actor with state is a type with a Receive method. The hooks Started and
// Stopped are optional.
func ExampleSpawn() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	ref, err := actor.Spawn(sys, actor.Actor[deposit](&account{balance: 100}), actor.WithName("savings"))
	if err != nil {
		log.Fatal(err)
	}
	if err := ref.Send(ctx, deposit{amount: 20}); err != nil { // Sent, not asked: the zero Reply drops the answer.
		log.Fatal(err)
	}
	fmt.Println(actor.Ask(ctx, ref, func(r actor.Reply[int]) deposit { return deposit{30, r} }))
	fmt.Println(ref.Stop(ctx))
	// Output:
	// savings is open
	// 150 <nil>
	// savings is closed with 150 and error <nil>
	// <nil>
}

// A Control message is handled before the Data messages that were sent earlier.
func ExampleRef_On() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	busy, goOn := make(chan struct{}), make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[string], m string) error {
		if m == "long work" {
			close(busy)
			<-goOn
		}
		fmt.Println(m)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	_ = ref.Send(ctx, "long work")
	<-busy
	_ = ref.Send(ctx, "more work")
	_ = ref.On(actor.Management).Send(ctx, "new settings")
	_ = ref.On(actor.Control).Send(ctx, "an urgent question")
	close(goOn)
	fmt.Println(ref.Drain(ctx))
	// Output:
	// long work
	// an urgent question
	// new settings
	// more work
	// <nil>
}

// A full lane makes Send wait, for as long as its context allows, and TrySend
// return at once.
func ExampleRef_TrySend() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	busy, goOn := make(chan struct{}), make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[int], m int) error {
		if m == 0 {
			close(busy)
			<-goOn
		}
		fmt.Println("handled", m)
		return nil
	}), actor.WithCapacity(actor.Data, 2))
	if err != nil {
		log.Fatal(err)
	}
	_ = ref.Send(ctx, 0)
	<-busy
	for m := 1; m <= 3; m++ {
		err := ref.TrySend(ctx, m)
		fmt.Println("try", m, errors.Is(err, actor.ErrFull))
	}
	impatient, cancel := context.WithCancel(ctx)
	cancel()
	fmt.Println("context ended:", errors.Is(ref.Send(impatient, 4), context.Canceled))
	close(goOn)
	_ = ref.Send(ctx, 5) // Waits for room.
	fmt.Println(ref.Drain(ctx))
	// Unordered output:
	// try 1 false
	// try 2 false
	// try 3 true
	// context ended: true
	// handled 0
	// handled 1
	// handled 2
	// handled 5
	// <nil>
}

// Drain lets an actor handle what it has; Stop makes dead letters of it.
func ExampleRef_Drain() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
		fmt.Println(d.Name, "did not handle", d.Message)
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer stop(sys)
	for _, end := range []struct {
		name string
		end  func(actor.Ref[string], context.Context) error
	}{{"drained", actor.Ref[string].Drain}, {"stopped", actor.Ref[string].Stop}} {
		goOn := make(chan struct{})
		busy := make(chan struct{})
		ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], m string) error {
			if m == "long work" {
				close(busy)
				<-goOn
			}
			fmt.Println(ctx.Name(), "handles", m)
			return nil
		}), actor.WithName(end.name))
		if err != nil {
			log.Fatal(err)
		}
		_ = ref.Send(ctx, "long work")
		<-busy
		_ = ref.Send(ctx, "more work")
		// Ask for the end, but don't wait for it yet.
		now, cancel := context.WithCancel(ctx)
		cancel()
		_ = end.end(ref, now)
		close(goOn)
		fmt.Println(end.name, end.end(ref, ctx))
	}
	// Output:
	// drained handles long work
	// drained handles more work
	// drained <nil>
	// stopped handles long work
	// stopped did not handle more work
	// stopped <nil>
}

// Messages to an actor that has stopped are refused, counted and shown.
func ExampleDeadLetter() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
		fmt.Printf("%v for %s on the %v lane: %v\n", d.Message, d.Name, d.Lane, d.Reason)
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer stop(sys)
	ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[string], string) error { return nil }), actor.WithName("mute"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ref.Stop(ctx))
	err = ref.Send(ctx, "good night")
	fmt.Println(errors.Is(err, actor.ErrStopped), sys.Stats().DeadLetters)
	// Output:
	// <nil>
	// good night for mute on the data lane: actor: the actor has stopped
	// true 1
}

// A handler that hangs can't be stopped, but its actor can be killed. Nothing that the handler
// does later has an effect.
func ExampleRef_Kill() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	greeter, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[string], name string) error {
		fmt.Println("hello,", name)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	busy, goOn, got := make(chan struct{}), make(chan struct{}), make(chan error)
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], name string) error {
		close(busy)
		<-goOn // Something that never looks at its context.
		got <- greeter.Send(ctx, name)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	_ = ref.Send(ctx, "ghost")
	<-busy
	fmt.Println(ref.Stop(deadline()) != nil) // It does not stop in time.
	fmt.Println(ref.Kill())
	<-ref.Done()
	close(goOn)
	fmt.Println(errors.Is(<-got, actor.ErrFenced))
	// Output:
	// true
	// <nil>
	// true
}

// deadline returns a context that has ended.
func deadline() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// Two actors that ask each other would wait for ever. The one that closes the
// ring is told so.
func ExampleCycleError() {
	sys, err := actor.NewSystem(actor.Config{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = sys.Stop(context.Background()) }()
	type ask struct {
		next  *actor.Ref[ask]
		reply actor.Reply[string]
	}
	pass := actor.Func(func(ctx *actor.Context[ask], m ask) error {
		s, err := actor.Ask(ctx, *m.next, func(r actor.Reply[string]) ask { return ask{m.next, r} })
		if err != nil {
			return m.reply.Fail(ctx, err)
		}
		return m.reply.Send(ctx, s)
	})
	front, _ := actor.Spawn(sys, pass, actor.WithName("front"))
	_, err = actor.Ask(context.Background(), front, func(r actor.Reply[string]) ask { return ask{&front, r} })

	var cycle *actor.CycleError
	fmt.Println(errors.As(err, &cycle))
	fmt.Println(cycle.Waits)
	// Output:
	// true
	// [front<0.1> (ask) -> front<0.1>]
}
