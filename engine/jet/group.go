package jet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/troupe-go/troupe/engine"
)

// maxAhead is how many records a group asks for at once. They are on this node before Next
// is called.
const maxAhead = 256

// closeWait is how long Close waits for the server to take back records.
const closeWait = time.Second

// group implements [engine.Group]. A goroutine takes the records from the server, since the
// client notices a lost request only while something waits for a record, and the callers of
// Next may wait for short times only.
type group struct {
	l        *log
	what     string
	consumer jetstream.Consumer
	messages jetstream.MessagesContext
	ctx      context.Context // Ends with Close and with the engine.
	cancel   context.CancelCauseFunc
	records  chan engine.Delivery
	done     chan struct{} // Closed when the goroutine has ended.
	err      error         // Why it has. Written before done is closed.
	once     sync.Once
}

// Group implements [engine.Log].
func (l *log) Group(ctx context.Context, name string, c engine.GroupConfig) (engine.Group, error) {
	if err := engine.CheckName("group", name); err != nil {
		return nil, err
	}
	c, err := c.Checked()
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("group %q of %s", name, l.where)
	if err := l.e.usable(ctx, what); err != nil {
		return nil, err
	}
	consumer, err := l.consumer(ctx, what, name, c)
	if err != nil {
		return nil, err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(max(1, min(maxAhead, c.InFlight/2))), jetstream.PullExpiry(pullExpiry), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return nil, l.e.failed(ctx, what, err)
	}
	g := &group{l: l, what: what, consumer: consumer, messages: messages, records: make(chan engine.Delivery), done: make(chan struct{})}
	g.ctx, g.cancel = context.WithCancelCause(l.e.ctx)
	go g.pump()
	return g, nil
}

// pump hands records to callers of Next until the group ends.
func (g *group) pump() {
	defer close(g.done)
	for {
		m, meta, err := g.l.e.step(g.ctx, "next of "+g.what, g.messages)
		if errors.Is(err, engine.ErrUnavailable) && g.l.e.wait(g.ctx, retryPause) {
			continue
		}
		if err != nil {
			g.err = err
			return
		}
		d := engine.Delivery{Record: g.l.record(m.Subject(), m.Headers(), m.Data(), meta), Attempt: int(meta.NumDelivered), Settler: &settler{g, m}}
		select {
		case g.records <- d:
		case <-g.ctx.Done():
			_ = m.Nak() // Otherwise it comes again after Redeliver.
			g.err = fmt.Errorf("jet: next of %s: %w", g.what, context.Cause(g.ctx))
			return
		}
	}
}

// consumer returns the durable consumer of a group, and makes it if there is none.
func (l *log) consumer(ctx context.Context, what, name string, c engine.GroupConfig) (jetstream.Consumer, error) {
	meta, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	config := jetstream.ConsumerConfig{
		Durable: name, AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.Redeliver, MaxAckPending: c.InFlight, MaxDeliver: -1,
		DeliverPolicy: jetstream.DeliverAllPolicy, Metadata: map[string]string{metaKey: string(meta)},
	}
	if c.From > 1 {
		config.DeliverPolicy, config.OptStartSeq = jetstream.DeliverByStartSequencePolicy, c.From
	}
	if c.Key != "" {
		config.FilterSubject = l.prefix + "k." + c.Key
	}
	var consumer jetstream.Consumer
	err = l.e.again(ctx, what, openWait, func(ctx context.Context) (err error) {
		if consumer, err = l.stream.Consumer(ctx, name); errors.Is(err, jetstream.ErrConsumerNotFound) {
			consumer, err = l.stream.CreateConsumer(ctx, config)
		}
		if errors.Is(err, jetstream.ErrConsumerExists) {
			consumer, err = l.stream.Consumer(ctx, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if is := consumer.CachedInfo().Config.Metadata[metaKey]; is != string(meta) {
		return nil, fmt.Errorf("jet: %s %w: %s, not %s; open it with that, or use another name", what, engine.ErrExists, orNone(is), meta)
	}
	return consumer, nil
}

// usable returns an error if nothing can be done.
func (g *group) usable(ctx context.Context, what string) error {
	if g.ctx.Err() != nil {
		return fmt.Errorf("jet: %s: %s is closed: %w", what, g.what, engine.ErrClosed)
	}
	return g.l.e.usable(ctx, what+" of "+g.what)
}

// Next implements [engine.Group].
func (g *group) Next(ctx context.Context) (engine.Delivery, error) {
	if err := g.usable(ctx, "next"); err != nil {
		return engine.Delivery{}, err
	}
	select {
	case d := <-g.records:
		g.l.guard.Saw(d.Sequence)
		return d, nil
	case <-g.done:
		return engine.Delivery{}, g.err
	case <-ctx.Done():
		return engine.Delivery{}, fmt.Errorf("jet: next of %s: %w", g.what, context.Cause(ctx))
	}
}

// Info implements [engine.Group].
func (g *group) Info(ctx context.Context) (engine.GroupInfo, error) {
	if err := g.usable(ctx, "info"); err != nil {
		return engine.GroupInfo{}, err
	}
	var info *jetstream.ConsumerInfo
	err := g.l.e.again(ctx, "info of "+g.what, answerWait, func(ctx context.Context) (err error) {
		info, err = g.consumer.Info(ctx)
		return err
	})
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return engine.GroupInfo{}, fmt.Errorf("jet: %s: %w", g.what, engine.ErrNotFound)
	}
	if err != nil {
		return engine.GroupInfo{}, err
	}
	return engine.GroupInfo{Acked: info.AckFloor.Stream, InFlight: uint64(info.NumAckPending), Waiting: info.NumPending}, nil
}

// Close implements [engine.Group]. It gives back the records that no Next has returned.
func (g *group) Close() error {
	g.once.Do(func() {
		g.cancel(engine.ErrClosed)
		<-g.done
		g.messages.Drain()
		for {
			m, err := g.messages.Next()
			if err != nil {
				break
			}
			if m.Nak() != nil {
				break // It comes again after Redeliver.
			}
		}
		g.messages.Stop()
		_ = g.l.e.logs.conn.FlushTimeout(closeWait) // Otherwise they come again after Redeliver.
	})
	return nil
}

// settler implements [engine.Settler].
type settler struct {
	g *group
	m jetstream.Msg
}

// Ack implements [engine.Settler].
func (s *settler) Ack(ctx context.Context) error { return s.settle(ctx, "ack", "+ACK") }

// Nack implements [engine.Settler].
func (s *settler) Nack(ctx context.Context, delay time.Duration) error {
	if err := engine.CheckDelay(delay); err != nil {
		return err
	}
	return s.settle(ctx, "nack", fmt.Sprintf("-NAK {\"delay\": %d}", delay.Nanoseconds()))
}

// settle tells the server, and waits for its answer. While the consumer has no leader, or is
// too new to be known to the server of this node, there is nobody to tell it to.
func (s *settler) settle(ctx context.Context, verb, text string) error {
	e, what := s.g.l.e, verb+" of "+s.g.what
	if err := e.usable(ctx, what); err != nil {
		return err
	}
	call, cancel := e.call(ctx)
	defer cancel()
	for {
		_, err := e.logs.conn.RequestWithContext(call, s.m.Reply(), []byte(text))
		switch {
		case err == nil:
			return nil
		case errors.Is(err, nats.ErrNoResponders) && e.wait(call, retryPause):
		case call.Err() != nil:
			return fmt.Errorf("jet: %s: %w: %w", what, engine.ErrUnknownOutcome, context.Cause(call))
		default:
			return e.failed(ctx, what, err)
		}
	}
}
