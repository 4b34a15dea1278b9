package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// divide asks for a / b.
type divide struct {
	a, b  int
	reply actor.Reply[int]
}

// divider panics when it has to divide by zero.
type divider struct{ calls int }

func (d *divider) Receive(ctx *actor.Context[divide], m divide) error {
	d.calls++
	fmt.Println("call", d.calls)
	return m.reply.Send(ctx, m.a/m.b)
}

// A child that fails is restarted with a new state. Its ref stays valid, and its askers get an
// error at once.
func Example() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	sup, err := supervise.Start(sys, supervise.Config{
		OnRestart: func(r supervise.Restart) { fmt.Println("restart of", r.Name, "after", r.Reason) },
	})
	if err != nil {
		log.Fatal(err)
	}
	ref, err := supervise.Spawn(ctx, sup, supervise.Child[divide]{
		Name: "divider",
		New:  func() actor.Actor[divide] { return &divider{} },
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range []int{2, 0, 5} {
		n, err := actor.Ask(ctx, ref, func(r actor.Reply[int]) divide { return divide{10, b, r} })
		fmt.Println("answer", n, "or none:", errors.Is(err, actor.ErrNoReply))
	}
	fmt.Println(sys.Stop(ctx))
	// Unordered output:
	// call 1
	// answer 5 or none: false
	// call 2
	// answer 0 or none: true
	// restart of divider after panic: runtime error: integer divide by zero
	// call 1
	// answer 2 or none: false
	// <nil>
}

// When a child fails more often than the intensity allows, the supervisor
// stops with all its children.
func ExampleSupervisor_Err() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	sup, err := supervise.Start(sys, supervise.Config{Intensity: 2, Period: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	ref, err := supervise.Spawn(ctx, sup, supervise.Child[string]{New: func() actor.Actor[string] {
		return actor.Func(func(_ *actor.Context[string], m string) error { return errors.New(m) })
	}})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []string{"once", "twice", "once more"} {
		_ = ref.Send(ctx, m)
	}
	<-sup.Done()
	fmt.Println(sup.Restarts(), sup.Err())
	fmt.Println(sys.Stop(ctx))
	// Output:
	// 2 supervise: restart intensity exceeded: /supervisor: more than 2 in 1m0s, last by /supervisor/<1.1>: once more
	// <nil>
}
