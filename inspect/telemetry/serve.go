package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/troupe-go/troupe/actor"
)

// Serve returns a Probe that makes a span of each handling of a message that was asked
// within a trace, by [Ask] or otherwise: a child of the asker's span, of kind
// server. The time between the beginnings of the two is that in the lane. The
// handler's Context has it, so what the handler asks in turn are its children. It
// ends when the handler has returned, whose error is its status.
//
//	stop, err := sys.Observe(telemetry.Serve(tracer))
//
// An ask outside of a trace has no span. Without a tracer the Probe does
// nothing. Every message to an actor of the system costs some 3 ns more, and one
// with a span as much as the tracer needs for it.
func Serve(t trace.Tracer) *actor.Probe {
	if t == nil {
		return &actor.Probe{}
	}
	return &actor.Probe{Serving: func(ctx context.Context, s actor.Serving) (context.Context, func(error)) {
		if !trace.SpanContextFromContext(ctx).IsValid() {
			return nil, nil
		}
		attributes := []attribute.KeyValue{
			attribute.String(kindKey, s.Kind),
			attribute.String("troupe.actor.pid", s.PID.String()),
			attribute.String("troupe.message.type", s.Message),
			attribute.String("troupe.lane", s.Lane.String()),
		}
		if s.Name != "" {
			attributes = append(attributes, attribute.String("troupe.actor.name", s.Name))
		}
		ctx, span := t.Start(ctx, "handle "+s.Kind, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...))
		return ctx, func(err error) {
			fail(span, err)
			span.End()
		}
	}}
}
