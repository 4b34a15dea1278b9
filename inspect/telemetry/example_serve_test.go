package telemetry_test

import (
	"context"
	"fmt"
	"log"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/telemetry"
)

// Two stores are asked at the same time. The handling of each has a span below the gathering's
// span.
func ExampleServe() {
	spans := tracetest.NewInMemoryExporter() // In a program: one that sends them somewhere.
	tracer := trace.NewTracerProvider(trace.WithSyncer(spans)).Tracer("shop")
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := sys.Observe(telemetry.Serve(tracer)); err != nil {
		log.Fatal(err)
	}
	var stores []actor.Ref[query]
	for range 2 {
		store, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[query], q query) error {
			return q.reply.Send(c, 6)
		}))
		if err != nil {
			log.Fatal(err)
		}
		stores = append(stores, store)
	}
	ctx := context.Background()
	sum := 0
	for _, a := range telemetry.AskAll(ctx, tracer, stores, asks) {
		sum += a.Value
	}
	if err := sys.Stop(ctx); err != nil { // All handlers have returned then.
		log.Fatal(err)
	}
	var parent tracetest.SpanStub
	below := 0
	for _, s := range spans.GetSpans() {
		if s.Name == "ask all" {
			parent = s
		}
	}
	for _, s := range spans.GetSpans() {
		if s.Parent.SpanID() == parent.SpanContext.SpanID() {
			below++
		}
	}
	fmt.Println(sum, "in stock,", below, "spans below", parent.Name)
	// Output: 12 in stock, 2 spans below ask all
}
