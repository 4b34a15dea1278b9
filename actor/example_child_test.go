package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
)

// office has a printer, and restarts it whenever it can.
type office struct {
	printer actor.Ref[string]
	begin   func(*actor.Context[string], actor.PID) error
	news    chan<- actor.Ref[string]
}

func (o *office) Started(ctx *actor.Context[string]) (err error) {
	o.printer, err = actor.SpawnNew(ctx, func() actor.Actor[string] {
		return actor.Func(func(_ *actor.Context[string], page string) error {
			if page == "" {
				return errors.New("empty page")
			}
			fmt.Println("printed", page)
			return nil
		})
	}, actor.WithName("printer"))
	o.news <- o.printer
	return err
}

func (o *office) Receive(ctx *actor.Context[string], m string) error {
	switch m {
	case "recall":
		return ctx.Recall(o.printer.PID())
	case "kill":
		return ctx.KillChild(o.printer.PID())
	}
	return ctx.StopChild(o.printer.PID())
}

func (o *office) ChildExited(ctx *actor.Context[string], e actor.Exit) error {
	fmt.Println(e.Name, "has ended:", e.Kind())
	if !e.Held {
		o.news <- o.printer
		return nil
	}
	return o.begin(ctx, e.PID)
}

func (o *office) ChildStarted(*actor.Context[string], actor.PID) error {
	fmt.Println("a new one")
	o.news <- o.printer
	return nil
}

// A parent ends an incarnation of its child after the message that this is handling, or
// at once, whatever it does. It may restart it then. After StopChild it may not.
func ExampleContext_Recall() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	news := make(chan actor.Ref[string], 1)
	restart := func(ctx *actor.Context[string], child actor.PID) error { return ctx.Restart(child) }
	boss, err := actor.Spawn(sys, actor.Actor[string](&office{begin: restart, news: news}))
	if err != nil {
		log.Fatal(err)
	}
	<-news
	for _, m := range []string{"recall", "kill", "stop"} {
		_ = boss.Send(ctx, m)
		<-news
	}
	// Output:
	// printer has ended: normal
	// a new one
	// printer has ended: killed
	// a new one
	// printer has ended: normal
}

// The messages that wait for a failed child may be dropped. The next incarnation then begins
// with later messages.
func ExampleContext_RestartEmpty() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{OnDeadLetter: func(d actor.DeadLetter) {
		fmt.Println("not printed:", d.Message, errors.Is(d.Reason, actor.ErrDropped))
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer stop(sys)
	news := make(chan actor.Ref[string], 1)
	afresh := func(ctx *actor.Context[string], child actor.PID) error { return ctx.RestartEmpty(child) }
	if _, err := actor.Spawn(sys, actor.Actor[string](&office{begin: afresh, news: news})); err != nil {
		log.Fatal(err)
	}
	printer := <-news
	// So that all three wait when it looks at the first.
	_ = sys.Suspend(printer.PID())
	for _, page := range []string{"", "page 1", "page 2"} {
		_ = printer.Send(ctx, page)
	}
	_ = sys.Resume(printer.PID())
	<-news
	_ = printer.Send(ctx, "page 3")
	_ = printer.Drain(ctx)
	<-news
	// Unordered output:
	// printer has ended: failed
	// not printed: page 1 true
	// not printed: page 2 true
	// a new one
	// printed page 3
	// printer has ended: normal
}

// inn ends when the last of its guests has left.
type inn struct{}

func (inn) Started(ctx *actor.Context[string]) error {
	for _, name := range []string{"Ada", "Grace", "Barbara"} {
		if _, err := actor.Spawn(ctx, actor.Func(func(*actor.Context[string], string) error { return nil }), actor.WithName(name)); err != nil {
			return err
		}
	}
	return nil
}

func (inn) Receive(ctx *actor.Context[string], _ string) error {
	return ctx.StopChild(ctx.Children()[0]) // The oldest.
}

func (inn) ChildExited(ctx *actor.Context[string], e actor.Exit) error {
	children := ctx.Children()
	fmt.Println(e.Name, "has left,", len(children), "remain")
	if len(children) == 0 {
		ctx.Stop()
		return nil
	}
	return ctx.StopChild(children[0])
}

// An actor knows its children, the oldest first.
func ExampleContext_Children() {
	sys := exampleSystem()
	defer stop(sys)
	ref, err := actor.Spawn(sys, actor.Actor[string](inn{}))
	if err != nil {
		log.Fatal(err)
	}
	_ = ref.Send(context.Background(), "close")
	<-ref.Done()
	// Output:
	// Ada has left, 2 remain
	// Grace has left, 1 remain
	// Barbara has left, 0 remain
}

// A supervisor, or other code that gets a function that makes an actor, need not know that
// this is a process.
func ExampleNewProcess() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	greet := map[string]func() actor.Actor[string]{
		"handler": func() actor.Actor[string] {
			return actor.Func(func(ctx *actor.Context[string], m string) error {
				fmt.Println(ctx.Name(), "gets", m)
				return nil
			})
		},
		"process": func() actor.Actor[string] {
			return actor.NewProcess(func(p *actor.Process[string]) error {
				first, err := p.Receive(p)
				if err != nil {
					return err
				}
				second, err := p.Receive(p)
				fmt.Println(p.Name(), "gets", first, "and", second)
				return err
			})
		},
	}
	for _, name := range []string{"handler", "process"} {
		ref, err := actor.SpawnNew(sys, greet[name], actor.WithName(name))
		if err != nil {
			log.Fatal(err)
		}
		_ = ref.Send(ctx, "hello")
		_ = ref.Send(ctx, "good night")
		_ = ref.Drain(ctx)
	}
	// Output:
	// handler gets hello
	// handler gets good night
	// process gets hello and good night
}
