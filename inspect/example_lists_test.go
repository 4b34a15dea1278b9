package inspect_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/strand"
)

// The longest work in progress comes first: here strands that wait.
func ExampleInspector_Jobs() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	insp, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer insp.Close()
	begun := make(chan struct{})
	waits, err := strand.Go(ctx, func(s *strand.Strand) error {
		close(begun)
		return s.Park()
	}, strand.On(sys.Scheduler()), strand.Name("reader"))
	if err != nil {
		log.Fatal(err)
	}
	<-begun
	q := inspect.JobQuery{Type: inspect.StrandJob, Sort: inspect.ByAge, Limit: 10}
	for {
		page, err := insp.Jobs(q)
		if err != nil {
			log.Fatal(err)
		}
		for _, j := range page.Jobs {
			fmt.Println(j.Type, j.Name, j.Priority)
		}
		if q.Cursor = page.Next; page.Next == "" {
			break
		}
	}
	waits.Cancel(nil)
	if err := sys.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: strand reader normal
}

// The timer that is due next comes first.
func ExampleInspector_Timers() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	insp, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer insp.Close()
	clock, err := actor.Spawn(sys, actor.Func(func(*actor.Context[string], string) error { return nil }), actor.WithName("clock"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := actor.SendAfter(sys, 2*time.Hour, clock, "late"); err != nil {
		log.Fatal(err)
	}
	if _, err := actor.Every(sys, time.Hour, clock, "tick"); err != nil {
		log.Fatal(err)
	}
	page, err := insp.Timers(inspect.TimerQuery{Name: "clock"})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range page.Timers {
		fmt.Println(t.ToName, t.Message, time.Duration(t.EverySeconds)*time.Second)
	}
	if err := sys.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// clock string 1h0m0s
	// clock string 0s
}
