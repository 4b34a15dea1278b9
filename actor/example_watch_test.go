package actor_test

import (
	"context"
	"fmt"
	"log"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// An actor may set when its handlers count as slow, or that they never do. A program can look
// at the handlers that are running.
func ExampleWithSlowAfter() {
	ctx := context.Background()
	late := make(chan struct{})
	sys, err := actor.NewSystem(actor.Config{
		SlowAfter: -1, // No handler is slow, unless its actor says otherwise.
		OnBlocked: func(r actor.HandlerReport) {
			fmt.Println(r.Name, "takes longer than", r.Limit)
			close(late)
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer stop(sys)
	open := make(chan struct{})
	wait := actor.Func(func(*actor.Context[string], string) error {
		<-open
		return nil
	})
	waiter, err := actor.Spawn(sys, wait, actor.WithName("waiter"), actor.WithSlowAfter(time.Millisecond))
	if err != nil {
		log.Fatal(err)
	}
	sleeper, err := actor.Spawn(sys, wait, actor.WithName("sleeper"))
	if err != nil {
		log.Fatal(err)
	}
	_ = sleeper.Send(ctx, "sleep")
	_ = waiter.Send(ctx, "an order")
	<-late
	for _, r := range sys.Handlers() {
		fmt.Println(r.Name, "has a", r.Message)
	}
	close(open)
	_ = waiter.Drain(ctx)
	// Output:
	// waiter takes longer than 1ms
	// waiter has a string
}

// Of the messages to a reentrant actor, no more are begun than WithMaxSuspended says while
// the others wait.
func ExampleWithMaxSuspended() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	asked := make(chan actor.Reply[int], 3)
	slow, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[square], m square) error {
		asked <- m.reply // It is answered below.
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	begun := 0
	gateway, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], n int) error {
		begun++
		fmt.Println("begun:", begun)
		_, err := actor.Ask(ctx, slow, func(r actor.Reply[int]) square { return square{n, r} })
		begun--
		return err
	}), actor.WithReentrancy(actor.FullReentrancy), actor.WithMaxSuspended(2))
	if err != nil {
		log.Fatal(err)
	}
	for n := range 3 {
		_ = gateway.Send(ctx, n)
	}
	first, second := <-asked, <-asked
	_ = first.Send(ctx, 0) // Only then may the third begin.
	third := <-asked
	_ = second.Send(ctx, 0)
	_ = third.Send(ctx, 0)
	_ = gateway.Drain(ctx)
	// Output:
	// begun: 1
	// begun: 2
	// begun: 2
}

// Actors that block have goroutines. Their number may be limited: for a data base that takes
// two connections, say.
func ExampleConfig_maxBlocking() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{MaxBlocking: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer stop(sys)
	var busy atomic.Int32
	turn := make(chan struct{}, 4)
	var refs []actor.Ref[int]
	for range 4 {
		ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error {
			if n := busy.Add(1); n > 2 {
				fmt.Println(n, "at the same time")
			}
			<-turn // The data base has answered.
			busy.Add(-1)
			return nil
		}), actor.WithBackend(actor.OnBlocking))
		if err != nil {
			log.Fatal(err)
		}
		_ = ref.Send(ctx, 1)
		refs = append(refs, ref)
	}
	for busy.Load() < 2 {
		runtime.Gosched()
	}
	for range refs {
		turn <- struct{}{}
	}
	for _, ref := range refs {
		_ = ref.Drain(ctx)
	}
	fmt.Println("done")
	// Output: done
}

// The timers of an actor can be looked at, the latest first.
func ExampleSystem_TimersOf() {
	sys := exampleSystem()
	defer stop(sys)
	ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[string], string) error { return nil }), actor.WithName("bell"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := actor.Every(sys, time.Hour, ref, "ring"); err != nil {
		log.Fatal(err)
	}
	if _, err := actor.SendAfter(sys, time.Minute, ref, "be silent"); err != nil {
		log.Fatal(err)
	}
	for t := range sys.TimersOf(actor.PID{}) { // The timers of the system.
		fmt.Println(t.Number, t.ToName, "every", t.Every, t.Due.After(time.Now()))
	}
	// Output:
	// 2 bell every 0s true
	// 1 bell every 1h0m0s true
}

// trace is a key of contexts.
type trace struct{}

// A Probe may lay something around the handling of what is asked: a span of a trace, say,
// which the handler finds in its Context.
func ExampleProbe_serving() {
	sys := exampleSystem()
	defer stop(sys)
	unsee, err := sys.Observe(&actor.Probe{
		Serving: func(ctx context.Context, s actor.Serving) (context.Context, func(error)) {
			path := fmt.Sprint(ctx.Value(trace{}), "/", s.Name)
			fmt.Println("begin", path)
			return context.WithValue(ctx, trace{}, path), func(err error) { fmt.Println("end", path, err) }
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer unsee()
	squares, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[square], m square) error {
		fmt.Println("in", ctx.Value(trace{}))
		return m.reply.Send(ctx, m.n*m.n)
	}), actor.WithName("squares"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.WithValue(context.Background(), trace{}, "request 7")
	n, err := actor.Ask(ctx, squares, func(r actor.Reply[int]) square { return square{12, r} })
	_ = squares.Drain(ctx)
	fmt.Println(n, err)
	// Output:
	// begin request 7/squares
	// in request 7/squares
	// end request 7/squares <nil>
	// 144 <nil>
}

// A Probe sees when an actor gives others their turn, and when an actor restarts.
func ExampleProbe_restarted() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	unsee, err := sys.Observe(&actor.Probe{
		Yielded:   func(s actor.Subject) { fmt.Println(s.Name, "has yielded") },
		Restarted: func(s actor.Subject) { fmt.Println(s.Name, "begins") },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer unsee()
	worker, err := actor.Spawn(sys, actor.Func(work), actor.WithName("worker"), actor.WithThroughput(2))
	if err != nil {
		log.Fatal(err)
	}
	_ = sys.Suspend(worker.PID()) // So that all wait.
	for range 5 {
		_ = worker.Send(ctx, job{})
	}
	_ = sys.Resume(worker.PID())
	_ = worker.Drain(ctx)

	news := make(chan actor.Ref[string], 1)
	restart := func(ctx *actor.Context[string], child actor.PID) error { return ctx.Restart(child) }
	if _, err := actor.Spawn(sys, actor.Actor[string](&office{begin: restart, news: news})); err != nil {
		log.Fatal(err)
	}
	printer := <-news
	_ = printer.Send(ctx, "")
	<-news
	// Output:
	// worker has yielded
	// worker has yielded
	// printer has ended: failed
	// printer begins
	// a new one
}
