package telemetry

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/troupe-go/troupe/actor"
)

// AskAll is [actor.AskAll] within one span for all of the asks, as [Ask] has it for
// one. The spans of the asked actors are its children, see [Serve]. The span
// counts the asks, and those that have failed; the first failure is its status.
func AskAll[M, T any](ctx context.Context, t trace.Tracer, refs []actor.Ref[M], msg func(actor.Reply[T]) M) []actor.Answer[T] {
	if t == nil {
		return actor.AskAll(ctx, refs, msg)
	}
	ctx, span := begin(ctx, t, "ask all", len(refs))
	defer span.End()
	answers := actor.AskAll(ctx, refs, msg)
	fail(span, conclude(span, answers, nil))
	return answers
}

// AskQuorum is [actor.AskQuorum] within one span, as [AskAll] is. Its error is the
// span's status; failures that it could do without are not. Asks that end with
// [actor.ErrNotNeeded] have not failed.
func AskQuorum[M, T any](ctx context.Context, t trace.Tracer, refs []actor.Ref[M], n int, msg func(actor.Reply[T]) M) ([]actor.Answer[T], error) {
	if t == nil {
		return actor.AskQuorum(ctx, refs, n, msg)
	}
	ctx, span := begin(ctx, t, "ask quorum", len(refs))
	defer span.End()
	span.SetAttributes(attribute.Int("troupe.quorum", n))
	answers, err := actor.AskQuorum(ctx, refs, n, msg)
	_ = conclude(span, answers, actor.ErrNotNeeded)
	fail(span, err)
	return answers, err
}

// Gather is [actor.Gather] within one span, with children as in [AskAll].
// The span counts the asks, but not those that have failed; its status is the error,
// which joins their failures.
func Gather(ctx context.Context, t trace.Tracer, queries ...actor.Query) error {
	if t == nil {
		return actor.Gather(ctx, queries...)
	}
	ctx, span := begin(ctx, t, "gather", len(queries))
	defer span.End()
	err := actor.Gather(ctx, queries...)
	fail(span, err)
	return err
}

func begin(ctx context.Context, t trace.Tracer, name string, asks int) (context.Context, trace.Span) {
	if ctx == nil {
		ctx = context.Background()
	}
	return t.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.Int("troupe.asks", asks)))
}

// conclude notes how many asks have failed, other than with the error but, and
// returns the first failure.
func conclude[T any](span trace.Span, answers []actor.Answer[T], but error) (first error) {
	failed := 0
	for i := range answers {
		if err := answers[i].Err; err != nil && !errors.Is(err, but) {
			if failed++; first == nil {
				first = err
			}
		}
	}
	span.SetAttributes(attribute.Int("troupe.asks.failed", failed))
	return first
}
