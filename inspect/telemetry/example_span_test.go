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

// A shop asks its stock, within the trace of the shop's asker.
func ExampleAsk() {
	spans := tracetest.NewInMemoryExporter() // In a program: one that sends them somewhere.
	tracer := trace.NewTracerProvider(trace.WithSyncer(spans)).Tracer("shop")
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	stock, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[query], q query) error {
		return q.reply.Send(c, 12)
	}))
	if err != nil {
		log.Fatal(err)
	}
	shop, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[query], q query) error {
		n, err := telemetry.Ask(c, tracer, stock, asks) // A child, since c has the asker's span.
		if err != nil {
			return q.reply.Fail(c, err)
		}
		return q.reply.Send(c, n)
	}))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	fmt.Println(telemetry.Ask(ctx, tracer, shop, asks))
	inner, outer := spans.GetSpans()[0], spans.GetSpans()[1]
	fmt.Println(inner.Parent.SpanID() == outer.SpanContext.SpanID())
	if err := sys.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 12 <nil>
	// true
}
