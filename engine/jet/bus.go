package jet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/troupe-go/troupe/engine"
)

const (
	// A subscription keeps so many frames and bytes for a deliver that is slow.
	maxPendingFrames = 4096
	maxPendingBytes  = 16 << 20
	// flushWait is how long one look at the window waits for the server.
	flushWait = 5 * time.Second
)

// prefixes are what subjects of the two classes begin with.
var prefixes = [2]string{engine.Urgent: "troupe.urgent.", engine.Bulk: "troupe.bulk."}

// bus implements [engine.Bus] on two connections.
type bus struct {
	e     *Engine
	lines [2]*connection
}

// connection is one connection with its window. The bytes on their way are counted when a
// frame is published, and given back when the server has answered a PING that went after
// them. So they are bounded without an answer to each frame.
type connection struct {
	class  engine.Class
	conn   *nats.Conn
	window uint64

	mu        sync.Mutex
	sent      uint64
	confirmed uint64
	flushing  bool
	room      chan struct{} // Closed when confirmed has grown.
	since     time.Time     // When the connection was lost. Zero while it is there.
	why       error
}

func newBus(e *Engine) *bus {
	b := &bus{e: e}
	for class := range b.lines {
		b.lines[class] = &connection{class: engine.Class(class), window: uint64(e.config.Window), room: make(chan struct{})}
	}
	return b
}

func (b *bus) close() {
	for _, l := range b.lines {
		if l.conn != nil {
			l.conn.Close()
		}
	}
}

func (l *connection) lost(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since.IsZero() {
		l.since = time.Now()
	}
	if err == nil {
		err = errors.New("the connection has ended")
	}
	l.why = err
}

func (l *connection) found() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since, l.why = time.Time{}, nil
}

// subject returns the subject of NATS, or an error.
func subject(class engine.Class, text string) (string, error) {
	if int(class) >= len(prefixes) {
		return "", fmt.Errorf("jet: the class %d is %w; use Urgent or Bulk", class, engine.ErrInvalid)
	}
	return prefixes[class] + text, engine.CheckSubject("subject", text)
}

// Publish implements [engine.Bus].
func (b *bus) Publish(ctx context.Context, class engine.Class, text string, frame []byte) error {
	subject, err := subject(class, text)
	if err != nil {
		return err
	}
	if len(frame) > engine.MaxFrame {
		return fmt.Errorf("jet: a frame of %d bytes for %q: %w", len(frame), text, engine.ErrFrameTooLong)
	}
	if err := b.e.usable(ctx, "publish"); err != nil {
		return err
	}
	l := b.lines[class]
	if err := l.acquire(ctx, b.e.ctx, uint64(len(subject)+len(frame))); err != nil {
		return err
	}
	switch err := l.conn.Publish(subject, frame); {
	case errors.Is(err, nats.ErrConnectionClosed):
		return engine.ErrClosed
	case err != nil:
		return fmt.Errorf("jet: a frame for %q: %w", text, err)
	default:
		return nil
	}
}

// acquire waits until n bytes have room in the window, and takes it.
func (l *connection) acquire(ctx, all context.Context, n uint64) error {
	n = min(n, l.window)
	for {
		l.mu.Lock()
		fits := l.sent-l.confirmed+n <= l.window
		if fits {
			l.sent += n
		}
		if (!fits || l.sent-l.confirmed > l.window/2) && !l.flushing {
			l.flushing = true
			go l.flush()
		}
		room := l.room
		l.mu.Unlock()
		if fits {
			return nil
		}
		select {
		case <-room:
		case <-ctx.Done():
			return fmt.Errorf("jet: the window of the class %v is full: %w", l.class, context.Cause(ctx))
		case <-all.Done():
			return engine.ErrClosed
		}
	}
}

// flush gives back what the server has received.
func (l *connection) flush() {
	for {
		l.mu.Lock()
		sent := l.sent
		l.mu.Unlock()
		err := l.conn.FlushTimeout(flushWait)
		l.mu.Lock()
		if err == nil {
			l.confirmed = sent
		}
		if err == nil || l.conn.IsClosed() {
			l.flushing = false
			close(l.room)
			l.room = make(chan struct{})
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		if !l.conn.IsConnected() {
			time.Sleep(10 * time.Millisecond) // A lost connection fails at once.
		}
	}
}

// Reachable implements [engine.Bus].
func (b *bus) Reachable() error {
	if b.e.ctx.Err() != nil {
		return engine.ErrClosed
	}
	for _, l := range b.lines {
		l.mu.Lock()
		since, why := l.since, l.why
		l.mu.Unlock()
		if !since.IsZero() {
			return fmt.Errorf("jet: the connection of the class %v is lost since %v: %w", l.class, since.Format(time.RFC3339), why)
		}
	}
	if s := b.e.server; s != nil && !b.e.config.Cluster.isZero() && s.NumRoutes() == 0 {
		return fmt.Errorf("jet: the embedded server has no route to another node of %q", b.e.config.Cluster.Name)
	}
	return nil
}

// subscription implements [engine.Subscription].
type subscription struct {
	sub    *nats.Subscription
	mu     sync.Mutex // Held while deliver runs.
	closed bool
	last   uint64
}

// Subscribe implements [engine.Bus].
func (b *bus) Subscribe(class engine.Class, text string, deliver func(frame []byte)) (engine.Subscription, error) {
	subject, err := subject(class, text)
	if err != nil {
		return nil, err
	}
	if b.e.ctx.Err() != nil {
		return nil, engine.ErrClosed
	}
	s := &subscription{}
	l := b.lines[class]
	s.sub, err = l.conn.Subscribe(subject, func(m *nats.Msg) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed && len(m.Data) <= engine.MaxFrame {
			deliver(m.Data)
		}
	})
	if err == nil {
		err = s.sub.SetPendingLimits(maxPendingFrames, maxPendingBytes)
	}
	switch {
	case errors.Is(err, nats.ErrConnectionClosed):
		return nil, engine.ErrClosed
	case err != nil:
		return nil, fmt.Errorf("jet: a subscription to %q: %w", text, err)
	}
	return s, nil
}

// Close implements [engine.Subscription].
func (s *subscription) Close() error {
	dropped := s.Dropped()
	err := s.sub.Unsubscribe()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.last = true, dropped
	if errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrBadSubscription) {
		return nil
	}
	return err
}

// Dropped implements [engine.Subscription].
func (s *subscription) Dropped() uint64 {
	n, err := s.sub.Dropped()
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.last
	}
	return uint64(n)
}
