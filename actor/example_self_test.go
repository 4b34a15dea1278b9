package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

// editor saves what was typed, some time after the last key.
type editor struct {
	timers actor.KeyedTimers[string, string]
	text   string
	saved  chan<- string
}

func (e *editor) Receive(ctx *actor.Context[string], m string) error {
	if m == "save" {
		e.saved <- e.text
		return nil
	}
	for _, key := range m {
		e.text += string(key)
		// In place of the timer that the last key has started.
		if err := e.timers.Start(ctx, "save", 20*time.Millisecond, "save"); err != nil {
			return err
		}
	}
	return nil
}

// The text is saved once, whatever the number of keys.
func ExampleKeyedTimers() {
	sys := exampleSystem()
	defer stop(sys)
	saved := make(chan string, 5)
	ref, err := actor.Spawn(sys, actor.Actor[string](&editor{saved: saved}))
	if err != nil {
		log.Fatal(err)
	}
	if err := ref.Send(context.Background(), "draft"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-saved, len(saved))
	// Output:
	// draft 0
}

// A session that hears nothing for a while ends itself.
func ExampleReceiveTimeout() {
	sys := exampleSystem()
	defer stop(sys)
	session := actor.Func(func(ctx *actor.Context[string], m string) error {
		if m == "idle" {
			fmt.Println("nobody is there: goodbye")
			ctx.Stop()
		}
		return nil
	})
	ref, err := actor.Spawn(sys, actor.ReceiveTimeout(session, 20*time.Millisecond, "idle"))
	if err != nil {
		log.Fatal(err)
	}
	<-ref.Done()
	// Output:
	// nobody is there: goodbye
}

// lookup asks for a name, or has found it.
type lookup struct {
	name  string
	found string
	err   error
}

// The look-up runs beside the actor, which handles other messages meanwhile.
func ExamplePipeToSelf() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	find := func(_ context.Context, name string) (string, error) { return "the number of " + name, nil }
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[lookup], m lookup) error {
		if m.found != "" || m.err != nil {
			fmt.Println(m.found, m.err)
			ctx.Stop()
			return nil
		}
		return actor.PipeToSelf(ctx, func(ctx context.Context) (string, error) {
			return find(ctx, m.name)
		}, func(found string, err error) lookup { return lookup{found: found, err: err} })
	}))
	if err != nil {
		log.Fatal(err)
	}
	if err := ref.Send(ctx, lookup{name: "Ada"}); err != nil {
		log.Fatal(err)
	}
	<-ref.Done()
	// Output:
	// the number of Ada <nil>
}

// The first caller spawns the room, and the second finds it.
func ExampleGetOrSpawn() {
	sys := exampleSystem()
	defer stop(sys)
	room := func() actor.Actor[string] {
		return actor.Func(func(*actor.Context[string], string) error { return nil })
	}
	first, spawned, err := actor.GetOrSpawn(sys, "room/lobby", room)
	fmt.Println(spawned, err)
	second, spawned, err := actor.GetOrSpawn(sys, "room/lobby", room)
	fmt.Println(spawned, err, second == first)
	// Output:
	// true <nil>
	// false <nil> true
}

// The worker takes the message of the urgent actor first, though it came last.
func ExampleWithPriority() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	sys, err := actor.NewSystem(actor.Config{Scheduler: s})
	if err != nil {
		log.Fatal(err)
	}
	printer := func(p sched.Priority) actor.Ref[string] {
		ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[string], m string) error {
			fmt.Println(m)
			return nil
		}), actor.WithPriority(p))
		if err != nil {
			log.Fatal(err)
		}
		return ref
	}
	report, alarm := printer(sched.Low), printer(sched.High)
	job, err := s.Go(ctx, func(ctx context.Context) error {
		return errors.Join(report.Send(ctx, "report"), alarm.Send(ctx, "alarm"))
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(job.Wait(ctx), report.Drain(ctx), alarm.Drain(ctx), sys.Stop(ctx), s.Stop(ctx))
	// Unordered output:
	// alarm
	// report
	// <nil> <nil> <nil> <nil> <nil>
}
