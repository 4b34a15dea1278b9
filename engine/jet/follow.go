package jet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/troupe-go/troupe/engine"
)

const (
	// heartbeat is how often the server says that a consumer is idle. After two without
	// one the consumer is asked again, or made again.
	heartbeat = time.Second
	// pullExpiry is how long the server keeps a request for messages.
	pullExpiry = 30 * time.Second
	// retryPause is how long a call waits before it is made again.
	retryPause = 20 * time.Millisecond
	// tryWait is how long one try of a call that changes nothing waits for its answer. A leader that ends loses requests.
	tryWait = 3 * time.Second
)

// follow begins to read a stream in order.
func (e *Engine) follow(ctx context.Context, what string, stream jetstream.Stream, from uint64, ahead int) (messages jetstream.MessagesContext, err error) {
	err = e.again(ctx, what, answerWait, func(ctx context.Context) error {
		consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from, InactiveThreshold: watchIdle,
		})
		if err == nil {
			messages, err = consumer.Messages(jetstream.PullMaxMessages(ahead), jetstream.PullExpiry(pullExpiry), jetstream.PullHeartbeat(heartbeat))
		}
		return err
	})
	return messages, err
}

// again makes a call that changes nothing, until it succeeds or fails for a reason that
// does not pass, or the limit is over.
func (e *Engine) again(ctx context.Context, what string, limit time.Duration, call func(ctx context.Context) error) error {
	if err := e.usable(ctx, what); err != nil {
		return err
	}
	all, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	for {
		try, done := context.WithTimeout(all, tryWait)
		err := call(try)
		late := try.Err() != nil
		done()
		if err == nil {
			return nil
		}
		err = e.failed(ctx, what, err)
		passes := late || errors.Is(err, engine.ErrUnavailable)
		if !passes || all.Err() != nil || !e.wait(all, retryPause) {
			return err
		}
	}
}

// wait waits for a time, and returns false if ctx ends first.
func (e *Engine) wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
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
		case errors.Is(err, nats.ErrNoResponders):
			e.wait(ctx, retryPause) // A consumer that is new is not known to all servers yet.
		case errors.Is(err, jetstream.ErrConsumerDeleted), errors.Is(err, jetstream.ErrConsumerNotFound):
			return nil, nil, fmt.Errorf("jet: %s: %w: %w", what, engine.ErrNotFound, err)
		case errors.Is(err, jetstream.ErrMsgIteratorClosed):
			return nil, nil, fmt.Errorf("jet: %s: %w", what, engine.ErrClosed)
		default:
			return nil, nil, e.failed(ctx, what, err)
		}
	}
}
