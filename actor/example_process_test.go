package actor_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// next asks a generator for its next number.
type next struct{ reply actor.Reply[int] }

// A generator is a loop that yields: its state is where it is in its code.
func ExampleSpawnProcess() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	fibonacci, err := actor.SpawnProcess(sys, func(p *actor.Process[next]) error {
		yield := func(n int) error {
			m, err := p.Receive(p)
			if err != nil {
				return err
			}
			return m.reply.Send(p, n)
		}
		for a, b := 0, 1; ; a, b = b, a+b {
			if err := yield(a); err != nil {
				return err
			}
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	for range 8 {
		n, err := actor.Ask(ctx, fibonacci, func(r actor.Reply[int]) next { return next{r} })
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(n, " ")
	}
	// Output: 0 1 1 2 3 5 8 13
}

// delivery is what a carrier brings, or a customer has to sign for.
type delivery struct {
	kind string // "order", "signature"
	of   string // Whose.
}

// A customer's signature is awaited before the next order is looked at, whatever
// comes meanwhile.
func ExampleProcess_ReceiveMatch() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	courier, err := actor.SpawnProcess(sys, func(p *actor.Process[delivery]) error {
		for range 2 {
			order, err := p.ReceiveMatch(p, func(m delivery) bool { return m.kind == "order" })
			if err != nil {
				return err
			}
			fmt.Println("to", order.of)
			_, err = p.ReceiveMatch(p, func(m delivery) bool { return m.kind == "signature" && m.of == order.of })
			if err != nil {
				return err
			}
			fmt.Println("signed by", order.of)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []delivery{{"order", "Ada"}, {"signature", "Grace"}, {"order", "Grace"}, {"signature", "Ada"}} {
		if err := courier.Send(ctx, m); err != nil {
			log.Fatal(err)
		}
	}
	<-courier.Done()
	// Output:
	// to Ada
	// signed by Ada
	// to Grace
	// signed by Grace
}

// A door is a state machine whose states are functions. It locks by itself when it
// has been closed for a while.
func ExampleProcess_ReceiveWithin() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	locked := make(chan struct{})
	type state func(p *actor.Process[string]) (state, error)
	var open, closed state
	open = func(p *actor.Process[string]) (state, error) {
		_, err := p.ReceiveMatch(p, func(m string) bool { return m == "close" })
		fmt.Println("closed")
		return closed, err
	}
	closed = func(p *actor.Process[string]) (state, error) {
		_, err := p.ReceiveWithin(10*time.Millisecond, func(m string) bool { return m == "open" })
		if err == nil {
			fmt.Println("open")
			return open, nil
		}
		close(locked)
		return nil, nil
	}
	door, err := actor.SpawnProcess(sys, func(p *actor.Process[string]) error {
		now, err := open, error(nil)
		for now != nil && err == nil {
			now, err = now(p)
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []string{"open", "close", "close"} { // The first is kept until the door is closed.
		if err := door.Send(ctx, m); err != nil {
			log.Fatal(err)
		}
	}
	<-locked
	fmt.Println("locked")
	// Output:
	// closed
	// open
	// closed
	// locked
}

// A program that lives as long as its main process, which supervises nobody and
// waits for what its workers say.
func ExampleRun() {
	err := actor.Run(context.Background(), actor.Config{}, func(main *actor.Process[string]) error {
		for _, name := range []string{"Ada", "Grace"} {
			worker, err := actor.SpawnProcess(main, func(p *actor.Process[string]) error {
				task, err := p.Receive(p)
				if err != nil {
					return err
				}
				return main.Self().Send(p, task+" done")
			})
			if err != nil {
				return err
			}
			if err := worker.Send(main, name); err != nil {
				return err
			}
			m, err := main.Receive(main)
			if err != nil {
				return err
			}
			fmt.Println(m)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// Ada done
	// Grace done
	// <nil>
}
