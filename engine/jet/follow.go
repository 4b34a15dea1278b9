package jet

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/troupe-go/troupe/engine"
)

// follow begins to read a stream in order, and returns also the last sequence that it had before.
func (e *Engine) follow(ctx context.Context, what string, stream jetstream.Stream, c jetstream.OrderedConsumerConfig, ahead int) (jetstream.MessagesContext, uint64, error) {
	call, cancel := e.call(ctx)
	defer cancel()
	info, err := stream.Info(call)
	if err != nil {
		return nil, 0, e.failed(ctx, what, err)
	}
	end := info.State.LastSeq
	if c.OptStartSeq > end+1 {
		return nil, 0, fmt.Errorf("jet: %s: it is at %d, and the caller has seen %d: %w", what, end, c.OptStartSeq-1, engine.ErrAmnesia)
	}
	consumer, err := stream.OrderedConsumer(call, c)
	if err != nil {
		return nil, 0, e.failed(ctx, what, err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(ahead))
	if err != nil {
		return nil, 0, e.failed(ctx, what, err)
	}
	if consumer.CachedInfo().NumPending == 0 {
		end = min(end, c.OptStartSeq-1)
	}
	return messages, end, nil
}

// step returns the next message. It waits until ctx ends.
func (e *Engine) step(ctx context.Context, what string, messages jetstream.MessagesContext) (jetstream.Msg, *jetstream.MsgMetadata, error) {
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		switch {
		case err == nil:
			meta, err := m.Metadata()
			if err != nil {
				return nil, nil, fmt.Errorf("jet: %s: %w", what, err)
			}
			return m, meta, nil
		case ctx.Err() != nil:
			return nil, nil, fmt.Errorf("jet: %s: %w", what, context.Cause(ctx))
		case errors.Is(err, jetstream.ErrNoHeartbeat), errors.Is(err, jetstream.ErrConsumerLeadershipChanged), errors.Is(err, jetstream.ErrServerShutdown):
			continue // The next pull goes to the server that there is then.
		case errors.Is(err, jetstream.ErrConsumerDeleted), errors.Is(err, jetstream.ErrConsumerNotFound):
			return nil, nil, fmt.Errorf("jet: %s: %w: %w", what, engine.ErrNotFound, err)
		case errors.Is(err, jetstream.ErrMsgIteratorClosed):
			return nil, nil, fmt.Errorf("jet: %s: %w", what, engine.ErrClosed)
		default:
			return nil, nil, e.failed(ctx, what, err)
		}
	}
}
