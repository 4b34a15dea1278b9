package telemetry_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/telemetry"
	"github.com/troupe-go/troupe/internal/patience"
)

type query struct{ reply actor.Reply[int] }

func asks(r actor.Reply[int]) query { return query{r} }

// Asks within asks, over three actors and a fourth to whom a reply is handed on, are
// one trace, in which each is the child of the ask that was handled when it was made.
func TestAskIsASpan(t *testing.T) {
	ctx := patience.Context(t)
	sys, _ := observed(t)
	spans := tracetest.NewInMemoryExporter()
	provider := trace.NewTracerProvider(trace.WithSyncer(spans))
	tracer := provider.Tracer("test")
	act := func(name string, f func(c *actor.Context[query], q query) error) actor.Ref[query] {
		ref, err := actor.Spawn(sys, actor.Func(f), actor.WithName(name))
		wantNoErr(t, err)
		return ref
	}
	failure := errors.New("as wanted")
	leaf := act("leaf", func(c *actor.Context[query], q query) error { return q.reply.Send(c, 1) })
	bad := act("bad", func(c *actor.Context[query], q query) error { return q.reply.Fail(c, failure) })
	clerk := act("clerk", func(c *actor.Context[query], q query) error {
		_, err := telemetry.Ask(c, tracer, bad, asks)
		if !errors.Is(err, failure) {
			return err
		}
		v, err := telemetry.Ask(c, tracer, leaf, asks)
		if err != nil {
			return err
		}
		return q.reply.Send(c, v)
	})
	middle := act("middle", func(c *actor.Context[query], q query) error { return clerk.Send(c, q) }) // Hands it on.
	front := act("front", func(c *actor.Context[query], q query) error {
		v, err := telemetry.Ask(c, tracer, middle, asks)
		if err != nil {
			return q.reply.Fail(c, err)
		}
		return q.reply.Send(c, v)
	})
	request, span := tracer.Start(ctx, "request")
	v, err := telemetry.Ask(request, tracer, front, asks)
	wantNoErr(t, err)
	if span.End(); v != 1 {
		t.Errorf("the answer is %d", v)
	}

	parents := map[string]string{"request": "", "front": "request", "middle": "front", "bad": "middle", "leaf": "middle"}
	all := map[string]tracetest.SpanStub{}
	for _, s := range spans.GetSpans() {
		name := s.Name
		for _, a := range s.Attributes {
			if a.Key == "troupe.actor.name" {
				name = a.Value.AsString()
			}
		}
		all[name] = s
	}
	if len(all) != len(parents) {
		t.Fatalf("there are the spans %v", all)
	}
	for name, parent := range parents {
		s := all[name]
		if s.SpanContext.TraceID() != all["request"].SpanContext.TraceID() {
			t.Errorf("%s is in another trace", name)
		}
		if parent != "" && s.Parent.SpanID() != all[parent].SpanContext.SpanID() {
			t.Errorf("%s is not a child of %s", name, parent)
		}
		if wrong := s.Status.Code == codes.Error; wrong != (name == "bad") {
			t.Errorf("%s has the status %v", name, s.Status)
		}
		if name != "request" && !strings.HasPrefix(s.Name, "ask telemetry_test.TestAskIsASpan") {
			t.Errorf("the span of %s is named %s", name, s.Name)
		}
	}
}

// An ask without an answer ends its span, with what was wrong.
func TestSpansOfFailures(t *testing.T) {
	ctx := patience.Context(t)
	sys, _ := observed(t)
	spans := tracetest.NewInMemoryExporter()
	tracer := trace.NewTracerProvider(trace.WithSyncer(spans)).Tracer("test")
	spawn := func(f func(c *actor.Context[query], q query) error) actor.Ref[query] {
		ref, err := actor.Spawn(sys, actor.Func(f))
		wantNoErr(t, err)
		return ref
	}
	silent := spawn(func(*actor.Context[query], query) error { return nil })
	failing := spawn(func(*actor.Context[query], query) error { return errors.New("as wanted") })
	gone := spawn(func(*actor.Context[query], query) error { return nil })
	wantNoErr(t, gone.Stop(ctx))
	timedOut, cancel := context.WithTimeout(ctx, 0)
	defer cancel()
	for want, ask := range map[string]struct {
		ctx context.Context
		ref actor.Ref[query]
	}{
		"deadline_exceeded": {timedOut, silent},
		"canceled":          {patience.Ended(), silent},
		"no_reply":          {ctx, failing},
		"stopped":           {ctx, gone},
		"_OTHER":            {ctx, actor.Ref[query]{}},
	} {
		spans.Reset()
		if _, err := telemetry.Ask(ask.ctx, tracer, ask.ref, asks); err == nil {
			t.Errorf("no error, want %s", want)
		}
		all := spans.GetSpans()
		if len(all) != 1 || all[0].Status.Code != codes.Error || all[0].Status.Description == "" {
			t.Fatalf("the spans of %s are %v", want, all)
		}
		found := false
		for _, a := range all[0].Attributes {
			found = found || a.Key == "error.type" && a.Value.AsString() == want
		}
		if !found {
			t.Errorf("error.type is not %s: %v", want, all[0].Attributes)
		}
	}
	if _, err := telemetry.Ask(ctx, nil, gone, asks); !errors.Is(err, actor.ErrStopped) {
		t.Errorf("without a tracer the error is %v", err)
	}
}

// Asks that a quorum has not waited for are not counted as failed.
func TestSpanOfAQuorumCountsFailures(t *testing.T) {
	ctx := patience.Context(t)
	sys, _ := observed(t)
	spans := tracetest.NewInMemoryExporter()
	tracer := trace.NewTracerProvider(trace.WithSyncer(spans)).Tracer("test")
	spawn := func(f func(c *actor.Context[query], q query) error) actor.Ref[query] {
		ref, err := actor.Spawn(sys, actor.Func(f))
		wantNoErr(t, err)
		return ref
	}
	good := spawn(func(c *actor.Context[query], q query) error { return q.reply.Send(c, 1) })
	silent := spawn(func(*actor.Context[query], query) error { return nil })
	gone := spawn(func(*actor.Context[query], query) error { return nil })
	wantNoErr(t, gone.Stop(ctx))
	for _, c := range []struct {
		refs      []actor.Ref[query]
		n, failed int
		status    codes.Code
	}{
		{[]actor.Ref[query]{silent, good}, 1, 0, codes.Unset},
		{[]actor.Ref[query]{gone, gone, silent}, 2, 2, codes.Error},
	} {
		spans.Reset()
		answers, err := telemetry.AskQuorum(ctx, tracer, c.refs, c.n, asks)
		if (err != nil) != (c.status == codes.Error) {
			t.Errorf("%d of %d: error %v", c.n, len(c.refs), err)
		}
		notNeeded := false
		for _, a := range answers {
			notNeeded = notNeeded || errors.Is(a.Err, actor.ErrNotNeeded)
		}
		if !notNeeded {
			t.Errorf("%d of %d: all were needed", c.n, len(c.refs))
		}
		all := spans.GetSpans()
		if len(all) != 1 || all[0].Status.Code != c.status {
			t.Fatalf("the spans are %v", all)
		}
		failed := int64(-1)
		for _, a := range all[0].Attributes {
			if a.Key == "troupe.asks.failed" {
				failed = a.Value.AsInt64()
			}
		}
		if failed != int64(c.failed) {
			t.Errorf("%d of %d: %d asks have failed, want %d", c.n, len(c.refs), failed, c.failed)
		}
	}
}
