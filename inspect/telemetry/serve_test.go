package telemetry_test

import (
	"context"
	"errors"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/telemetry"
	"github.com/troupe-go/troupe/internal/patience"
)

// traced returns a system whose handlers have spans.
func traced(t *testing.T) (*actor.System, *tracetest.InMemoryExporter, trace.Tracer) {
	t.Helper()
	sys, _ := observed(t)
	spans := tracetest.NewInMemoryExporter()
	tracer := sdk.NewTracerProvider(sdk.WithSyncer(spans)).Tracer("test")
	stop, err := sys.Observe(telemetry.Serve(tracer))
	wantNoErr(t, err)
	t.Cleanup(stop)
	return sys, spans, tracer
}

// awaitSpans returns the spans by their names, when there are n: a handler's span ends after
// its answer.
func awaitSpans(t *testing.T, spans *tracetest.InMemoryExporter, n int) map[string]tracetest.SpanStub {
	t.Helper()
	patience.Until(t, patience.Context(t), func() bool { return len(spans.GetSpans()) >= n })
	byName := map[string]tracetest.SpanStub{}
	for _, s := range spans.GetSpans() {
		name := s.Name
		for _, a := range s.Attributes {
			if a.Key == "troupe.actor.name" {
				name = s.SpanKind.String() + " " + a.Value.AsString()
			}
		}
		byName[name] = s
	}
	if len(byName) != n {
		t.Fatalf("there are the spans %v, want %d", byName, n)
	}
	return byName
}

func wantParents(t *testing.T, spans map[string]tracetest.SpanStub, parents map[string]string) {
	t.Helper()
	for name, parent := range parents {
		if s, ok := spans[name]; !ok || s.Parent.SpanID() != spans[parent].SpanContext.SpanID() {
			t.Errorf("%s (%v) is not a child of %s", name, ok, parent)
		}
	}
}

// A handler's span is a child of the asker's, and the parent of the handler's own asks. An ask
// outside of a trace has none.
func TestServe(t *testing.T) {
	ctx := patience.Context(t)
	sys, spans, tracer := traced(t)
	back, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[query], q query) error {
		return q.reply.Send(c, 1)
	}), actor.WithName("back"))
	wantNoErr(t, err)
	front, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[query], q query) error {
		v, err := telemetry.Ask(c, tracer, back, asks)
		return errors.Join(err, q.reply.Send(c, v))
	}), actor.WithName("front"))
	wantNoErr(t, err)
	_, err = actor.Ask(context.WithValue(ctx, query{}, 1), front, asks)
	wantNoErr(t, err)
	wantParents(t, awaitSpans(t, spans, 2), map[string]string{"client back": "", "server back": "client back"})
	spans.Reset()
	_, err = telemetry.Ask(ctx, tracer, front, asks)
	wantNoErr(t, err)
	wantParents(t, awaitSpans(t, spans, 4), map[string]string{
		"client front": "", "server front": "client front", "client back": "server front", "server back": "client back",
	})
}

// The error of a handler is the status of its span.
func TestServeFailures(t *testing.T) {
	ctx := patience.Context(t)
	sys, spans, tracer := traced(t)
	for _, receive := range []func(*actor.Context[query], query) error{
		func(*actor.Context[query], query) error { return errors.New("as wanted") },
		func(*actor.Context[query], query) error { panic("as wanted") },
	} {
		bad, err := actor.Spawn(sys, actor.Func(receive), actor.WithName("bad"))
		wantNoErr(t, err)
		if _, err := telemetry.Ask(ctx, tracer, bad, asks); !errors.Is(err, actor.ErrNoReply) {
			t.Errorf("the error is %v", err)
		}
		for name, s := range awaitSpans(t, spans, 2) {
			if s.Status.Code != codes.Error || s.Status.Description == "" {
				t.Errorf("%s has the status %v", name, s.Status)
			}
		}
		spans.Reset()
	}
	if p := telemetry.Serve(nil); p == nil || p.Serving != nil {
		t.Errorf("without a tracer the probe is %v", p)
	}
}

// All asks of a gathering are below one span, which says how many have failed.
func TestGatherIsASpan(t *testing.T) {
	ctx := patience.Context(t)
	sys, spans, tracer := traced(t)
	well, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[query], q query) error { return q.reply.Send(c, 1) }), actor.WithName("well"))
	wantNoErr(t, err)
	bad, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[query], q query) error {
		return q.reply.Fail(c, errors.New("as wanted"))
	}), actor.WithName("bad"))
	wantNoErr(t, err)
	refs := []actor.Ref[query]{bad, well} // In this order, so that both are asked, whatever is enough.
	for name, c := range map[string]struct {
		run    func(tracer trace.Tracer) error
		failed codes.Code
	}{
		"ask all": {func(t trace.Tracer) error { return telemetry.AskAll(ctx, t, refs, asks)[1].Err }, codes.Error},
		"ask quorum": {func(t trace.Tracer) error {
			_, err := telemetry.AskQuorum(ctx, t, refs, 1, asks)
			return err
		}, codes.Unset},
		"gather": {func(t trace.Tracer) error {
			var a, b actor.Answer[int]
			if err := telemetry.Gather(ctx, t, actor.Into(&a, well, asks), actor.Into(&b, bad, asks)); err == nil {
				return errors.New("no error")
			}
			return a.Err
		}, codes.Error},
	} {
		wantNoErr(t, c.run(nil))
		wantNoErr(t, c.run(tracer))
		all := awaitSpans(t, spans, 3)
		wantParents(t, all, map[string]string{name: "", "server well": name, "server bad": name})
		if s := all[name]; s.Status.Code != c.failed || s.SpanKind != trace.SpanKindClient {
			t.Errorf("%s has the status %v, and is a %v", name, s.Status, s.SpanKind)
		}
		spans.Reset()
	}
}
