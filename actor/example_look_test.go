package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// An actor may have several names, and a name has one actor.
func ExampleSystem_Register() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	var refs []actor.Ref[job]
	for range 2 {
		ref, err := actor.Spawn(sys, actor.Func(work))
		if err != nil {
			log.Fatal(err)
		}
		refs = append(refs, ref)
	}
	fmt.Println(sys.Register("printer", refs[0].PID()), sys.Register("copier", refs[0].PID()))
	err := sys.Register("printer", refs[1].PID())
	fmt.Println(errors.Is(err, actor.ErrNameTaken))
	_ = refs[0].Stop(ctx) // Its names are free.
	fmt.Println(sys.Register("printer", refs[1].PID()))
	_, err = sys.WhereIs("copier")
	fmt.Println(errors.Is(err, actor.ErrNoName))
	fmt.Println(sys.Unregister("printer"))
	// Output:
	// <nil> <nil>
	// true
	// <nil>
	// true
	// <nil>
}

// The PID of an actor that has stopped is never used again, even if a new actor has its slot
// in the process table.
func ExamplePID() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	old, err := actor.Spawn(sys, actor.Func(work))
	if err != nil {
		log.Fatal(err)
	}
	id := old.PID()
	_ = old.Stop(ctx)
	if _, err := actor.Spawn(sys, actor.Func(work)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(errors.Is(sys.RequestStop(id), actor.ErrStalePID))
	down, cancel := sys.Monitor(id)
	defer cancel()
	fmt.Println(errors.Is((<-down).Reason, actor.ErrStalePID))
	same, err := actor.ParsePID(id.String())
	fmt.Println(same == id, err, actor.PIDFromNumber(id.Number()) == id)
	// Output:
	// true
	// true
	// true <nil> true
}

// parentOfTwo is an actor with two children.
type parentOfTwo struct{ ready chan<- struct{} }

func (c parentOfTwo) Started(ctx *actor.Context[job]) error {
	defer close(c.ready)
	for _, name := range []string{"one", "two"} {
		if _, err := actor.Spawn(ctx, actor.Func(work), actor.WithName(name)); err != nil {
			return err
		}
	}
	_, err := actor.SendAfter(ctx, time.Hour, ctx.Self().On(actor.Management), job{})
	return err
}

func (parentOfTwo) Receive(ctx *actor.Context[job], m job) error { return work(ctx, m) }

// The tree of actors, and what is to come by timers, can be looked at from
// outside.
func ExampleSystem_Children() {
	sys := exampleSystem()
	defer stop(sys)
	ready := make(chan struct{})
	if _, err := actor.Spawn(sys, actor.Actor[job](parentOfTwo{ready}), actor.WithName("parent")); err != nil {
		log.Fatal(err)
	}
	<-ready
	top, err := sys.Children(actor.PID{}, actor.PID{}, 10)
	if err != nil {
		log.Fatal(err)
	}
	for _, parent := range top {
		fmt.Println(parent.Name, parent.Children)
		children, err := sys.Children(parent.PID, actor.PID{}, 10)
		if err != nil {
			log.Fatal(err)
		}
		for _, child := range children {
			fmt.Println("-", child.Name, child.Message)
		}
	}
	n := 0
	for range sys.Infos(actor.PID{}) {
		n++
	}
	fmt.Println(n, "actors")
	for t := range sys.Timers() {
		fmt.Println(t.OwnerName, "sends to", t.ToName, "on", t.Lane)
	}
	// Output:
	// parent 2
	// - one actor_test.job
	// - two actor_test.job
	// 3 actors
	// parent sends to parent on management
}

// How much an actor has to do is cheap to ask. The message that is being handled
// counts.
func ExampleRef_Backlog() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	begun, open := make(chan struct{}, 3), make(chan struct{})
	ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error {
		begun <- struct{}{}
		<-open
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	for m := range 3 {
		_ = ref.Send(ctx, m)
	}
	<-begun
	fmt.Println(ref.Backlog())
	close(open)
	_ = ref.Drain(ctx)
	fmt.Println(ref.Backlog())
	// Output:
	// 3
	// 0
}

// Two readers are at work at the same time: each waits for the other.
func ExampleWithMaxReaders() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	meet := make(chan string)
	ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[string], m string) error {
		select {
		case meet <- m:
		case other := <-meet:
			fmt.Println(len(m)+len(other), "letters")
		}
		return nil
	}), actor.WithReadOnly(func(string) bool { return true }), actor.WithMaxReaders(2))
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []string{"Tristan", "Isolde"} {
		_ = ref.Send(ctx, m)
	}
	fmt.Println(ref.Drain(ctx))
	// Output:
	// 13 letters
	// <nil>
}

// Each message may be measured.
func ExampleProbe() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	unsee, err := sys.Observe(&actor.Probe{SampleEvery: 1, Handled: func(s actor.Sample) {
		fmt.Println(s.Name, "on", s.Lane, s.Latency >= 0, s.Duration >= 0, s.Err)
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer unsee()
	ref, err := actor.Spawn(sys, actor.Func(work), actor.WithName("printer"))
	if err != nil {
		log.Fatal(err)
	}
	_ = ref.On(actor.Management).Send(ctx, job{})
	_ = ref.Drain(ctx)
	// Output:
	// printer on management true true <nil>
}
