package telemetry

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/troupe-go/troupe/actor"
)

// Ask is [actor.Ask] within a span: it is the child of the span of ctx, and ends
// with the ask, whose error is its status. The message carries it to the actor that
// is asked, wherever that is handed on to: an Ask that the handler makes with its
// Context is a child of this span in turn, so that what is done for a request is one
// trace through all actors. The handler can add attributes to
// trace.SpanFromContext of its Context.
//
// The span is named after the kind of the actor, so there are few names; its
// attributes say which actor it was. Without a tracer it is
// actor.Ask and no more. A failure has the attribute error.type: the
// name of the kind of error, and "_OTHER" for what the actor has answered. See
// [Serve] for the spans of the asked actors.
func Ask[M, T any](ctx context.Context, t trace.Tracer, to actor.Ref[M], msg func(actor.Reply[T]) M) (T, error) {
	if t == nil {
		return actor.Ask(ctx, to, msg)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	name, attributes := describe(to)
	ctx, span := t.Start(ctx, "ask "+name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	defer span.End() // Also if the function that makes the message panics.
	v, err := actor.Ask(ctx, to, msg)
	fail(span, err)
	return v, err
}

// describe returns the kind of the actor, and the attributes of a span for it.
func describe[M any](to actor.Ref[M]) (kind string, attributes []attribute.KeyValue) {
	i, err := to.Info()
	if err != nil {
		return "nobody", nil
	}
	attributes = []attribute.KeyValue{
		attribute.String(kindKey, i.Kind),
		attribute.String("troupe.actor.pid", i.PID.String()),
		attribute.String("troupe.message.type", i.Message),
	}
	if i.Name != "" {
		attributes = append(attributes, attribute.String("troupe.actor.name", i.Name))
	}
	return i.Kind, attributes
}

// fail sets the status of a span for an ask that has returned err.
func fail(span trace.Span, err error) {
	if err == nil {
		return
	}
	kind := "_OTHER" // As the conventions call what has no name.
	for _, known := range []struct {
		err  error
		name string
	}{
		{actor.ErrCycle, "cycle"},
		{actor.ErrNoReply, "no_reply"},
		{actor.ErrStopped, "stopped"},
		{actor.ErrFenced, "fenced"},
		{actor.ErrKilled, "killed"},
		{actor.ErrAskTimeout, "ask_timeout"},
		{context.DeadlineExceeded, "deadline_exceeded"},
		{context.Canceled, "canceled"},
	} {
		if errors.Is(err, known.err) {
			kind = known.name
			break
		}
	}
	span.SetAttributes(attribute.String("error.type", kind))
	span.SetStatus(codes.Error, err.Error())
}
