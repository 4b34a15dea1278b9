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

// stage is an actor that tells of its starts and its ends, and does what it is
// sent.
type stage struct{ name string }

func (s *stage) Receive(ctx *actor.Context[func() error], do func() error) error { return do() }

func (s *stage) Started(*actor.Context[func() error]) error {
	fmt.Println("start of", s.name)
	return nil
}

func (s *stage) Stopped(_ *actor.Context[func() error], reason error) {
	fmt.Println("end of", s.name, "after", reason)
}

func stageChild(name string) supervise.Child[func() error] {
	return supervise.Child[func() error]{
		Name: name, New: func() actor.Actor[func() error] { return &stage{name} },
	}
}

func fails() error { return errors.New("a failure") }

// exampleSupervisor starts a supervisor in a system of its own.
func exampleSupervisor(cfg supervise.Config) (*supervise.Supervisor, *actor.System) {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	sup, err := supervise.Start(sys, cfg)
	if err != nil {
		log.Fatal(err)
	}
	return sup, sys
}

// tell sends an order to a child, and another one that is handled after what
// follows from it.
func tell(sup *supervise.Supervisor, child string, do func() error) {
	ctx := context.Background()
	ref, err := supervise.Ref[func() error](sup, child)
	if err != nil {
		log.Fatal(err)
	}
	handled := make(chan struct{})
	_ = ref.Send(ctx, do)
	_ = ref.Send(ctx, func() error { close(handled); return nil })
	<-handled
}

// By default a child that fails is restarted alone.
func ExampleStrategy_oneForOne() {
	sup, sys := exampleSupervisor(supervise.Config{
		Children: []supervise.Spec{stageChild("source"), stageChild("filter"), stageChild("sink")},
	})
	tell(sup, "filter", fails)
	fmt.Println(sys.Stop(context.Background()))
	// Output:
	// start of source
	// start of filter
	// start of sink
	// end of filter after a failure
	// start of filter
	// end of sink after <nil>
	// end of filter after <nil>
	// end of source after <nil>
	// <nil>
}

// Where children are of no use without each other, all are restarted: stopped
// from the last to the first, and started again in order.
func ExampleStrategy_oneForAll() {
	sup, sys := exampleSupervisor(supervise.Config{
		Strategy: supervise.OneForAll,
		Children: []supervise.Spec{stageChild("source"), stageChild("filter"), stageChild("sink")},
	})
	fmt.Println("filter fails")
	tell(sup, "filter", fails)
	tell(sup, "sink", func() error { return nil }) // When the last has started, all have.
	fmt.Println("stop")
	fmt.Println(sys.Stop(context.Background()))
	// Output:
	// start of source
	// start of filter
	// start of sink
	// filter fails
	// end of filter after a failure
	// end of sink after <nil>
	// end of source after <nil>
	// start of source
	// start of filter
	// start of sink
	// stop
	// end of sink after <nil>
	// end of filter after <nil>
	// end of source after <nil>
	// <nil>
}

// Where each child needs those before it, the failed one is restarted with those
// after it.
func ExampleStrategy_restForOne() {
	sup, sys := exampleSupervisor(supervise.Config{
		Strategy: supervise.RestForOne,
		Children: []supervise.Spec{stageChild("source"), stageChild("filter"), stageChild("sink")},
	})
	fmt.Println("filter fails")
	tell(sup, "filter", fails)
	tell(sup, "sink", func() error { return nil })
	fmt.Println("stop")
	fmt.Println(sys.Stop(context.Background()))
	// Output:
	// start of source
	// start of filter
	// start of sink
	// filter fails
	// end of filter after a failure
	// end of sink after <nil>
	// start of filter
	// start of sink
	// stop
	// end of sink after <nil>
	// end of filter after <nil>
	// end of source after <nil>
	// <nil>
}

// Children of a dynamic supervisor come and go. A template makes them of an
// argument; one that ends for good leaves nothing behind.
func ExampleTemplate() {
	ctx := context.Background()
	sup, sys := exampleSupervisor(supervise.Config{Name: "sessions", Strategy: supervise.Dynamic})
	session := supervise.Template[string, func() error]{
		New:   func(user string) actor.Actor[func() error] { return &stage{"the session of " + user} },
		Child: supervise.Child[func() error]{Restart: supervise.Temporary},
	}
	ann, err := session.Spawn(ctx, sup, "ann")
	if err != nil {
		log.Fatal(err)
	}
	_ = ann.Send(ctx, fails)
	<-ann.Done()
	if _, err = session.Spawn(ctx, sup, "bob"); err != nil {
		log.Fatal(err)
	}
	st, err := sup.Status(ctx)
	fmt.Println(st.Count.Running, "session is left,", err)
	fmt.Println(sys.Stop(ctx))
	// Output:
	// start of the session of ann
	// end of the session of ann after a failure
	// start of the session of bob
	// 1 session is left, <nil>
	// end of the session of bob after <nil>
	// <nil>
}

// The name of a child follows from its argument, so there is one session for each user.
func ExampleTemplate_name() {
	ctx := context.Background()
	sup, sys := exampleSupervisor(supervise.Config{Name: "sessions", Strategy: supervise.Dynamic})
	session := supervise.Template[string, func() error]{
		New:  func(user string) actor.Actor[func() error] { return &stage{"the session of " + user} },
		Name: func(user string) string { return user },
	}
	if _, err := session.Spawn(ctx, sup, "ann"); err != nil {
		log.Fatal(err)
	}
	_, err := session.Spawn(ctx, sup, "ann")
	fmt.Println("one is there:", errors.Is(err, supervise.ErrExists))
	fmt.Println(sys.Stop(ctx))
	// Output:
	// start of the session of ann
	// one is there: true
	// end of the session of ann after <nil>
	// <nil>
}

// With a back-off, a child that goes on to fail is restarted ever more seldom, and
// accepts messages meanwhile.
func ExampleBackoff() {
	sup, sys := exampleSupervisor(supervise.Config{
		Backoff: supervise.Backoff{
			Min: time.Millisecond, Max: 3 * time.Millisecond, Factor: 2,
			Jitter: -1, // None, to print the same each time.
			Reset:  time.Minute,
		},
		Intensity: 10,
		Children:  []supervise.Spec{stageChild("feed")},
		OnRestart: func(r supervise.Restart) { fmt.Println(r.Name, "is restarted in", r.Delay) },
	})
	for range 3 {
		tell(sup, "feed", fails)
	}
	fmt.Println(sys.Stop(context.Background()))
	// Output:
	// start of feed
	// end of feed after a failure
	// feed is restarted in 1ms
	// start of feed
	// end of feed after a failure
	// feed is restarted in 2ms
	// start of feed
	// end of feed after a failure
	// feed is restarted in 3ms
	// start of feed
	// end of feed after <nil>
	// <nil>
}

// A supervisor may have come to its end with the work of a significant child.
func ExampleAutoShutdown() {
	ctx := context.Background()
	job := stageChild("job")
	job.Restart, job.Significant = supervise.Transient, true
	job.New = func() actor.Actor[func() error] {
		return actor.Func(func(ctx *actor.Context[func() error], do func() error) error {
			ctx.Stop() // The work is done.
			return do()
		})
	}
	sup, sys := exampleSupervisor(supervise.Config{
		AutoShutdown: supervise.AnySignificant,
		Children:     []supervise.Spec{stageChild("log"), job},
	})
	ref, err := supervise.Ref[func() error](sup, "job")
	if err != nil {
		log.Fatal(err)
	}
	_ = ref.Send(ctx, func() error { return nil })
	<-sup.Done()
	fmt.Println(sup.Err())
	fmt.Println(sys.Stop(ctx))
	// Output:
	// start of log
	// end of log after <nil>
	// <nil>
	// <nil>
}

// A supervisor whose children fail too often fails itself, and is restarted by
// the one above it, with all its children. Their refs stay valid.
func ExampleNested() {
	sup, sys := exampleSupervisor(supervise.Config{
		Name: "app",
		Children: []supervise.Spec{
			stageChild("settings"),
			supervise.Nested{Config: supervise.Config{
				Name: "intake", Intensity: -1, Children: []supervise.Spec{stageChild("queue"), stageChild("reader")},
			}},
		},
		OnRestart: func(r supervise.Restart) { fmt.Println("restart of", r.Path) },
	})
	intake, err := sup.Nested("intake")
	if err != nil {
		log.Fatal(err)
	}
	tell(intake, "reader", fails)
	fmt.Println(sys.Stop(context.Background()))
	// Output:
	// start of settings
	// start of queue
	// start of reader
	// end of reader after a failure
	// end of queue after <nil>
	// restart of /app/intake
	// start of queue
	// start of reader
	// end of reader after <nil>
	// end of queue after <nil>
	// end of settings after <nil>
	// <nil>
}

// A child that does not stop within its time is killed.
func ExampleChild_shutdown() {
	ctx := context.Background()
	c := stageChild("stubborn")
	c.Shutdown = 10 * time.Millisecond
	sup, sys := exampleSupervisor(supervise.Config{Children: []supervise.Spec{c}})
	ref, err := supervise.Ref[func() error](sup, "stubborn")
	if err != nil {
		log.Fatal(err)
	}
	began, forever := make(chan struct{}), make(chan struct{})
	_ = ref.Send(ctx, func() error { close(began); <-forever; return nil })
	<-began
	fmt.Println(sup.Stop(ctx))
	fmt.Println(ref.Err())
	close(forever)
	fmt.Println(sys.Stop(ctx))
	// Output:
	// start of stubborn
	// supervise: /supervisor: killed what did not stop in time (1: /supervisor/stubborn): actor: the stop was forced
	// actor: the actor was killed
	// <nil>
}

// Check says what is wrong with a tree, and where, before anything starts.
func ExampleCheck() {
	fmt.Println(supervise.Check(supervise.Config{Name: "app", Children: []supervise.Spec{
		supervise.Nested{Config: supervise.Config{
			Name: "intake", Children: []supervise.Spec{stageChild("reader"), stageChild("reader")},
		}},
	}}))
	// Output:
	// supervise: /app/intake/reader: child 2 has the name of another one: supervise: there is a child of this name
}
