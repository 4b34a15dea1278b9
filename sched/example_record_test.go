package sched_test

import (
	"context"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/sched"
)

// A recorder knows what a job did, and where.
func ExampleScheduler_Record() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	recorder, err := s.Record(sched.RecorderConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer recorder.Close()
	job, err := s.Go(ctx, func(ctx context.Context) error {
		sched.Mark(ctx, "half-way")
		return nil
	}, sched.WithKind("report"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(job.Wait(ctx))
	for _, e := range recorder.Snapshot().Events {
		if e.Kind == sched.EventRun || e.Kind == sched.EventMark {
			fmt.Println("worker", e.Worker, e.Kind, e.Label.Name)
		}
	}
	fmt.Println(s.Stop(ctx))
	// Output:
	// <nil>
	// worker 0 run report
	// worker 0 mark half-way
	// <nil>
}
