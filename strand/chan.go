package strand

import (
	"context"
	"iter"
	"sync"

	"github.com/troupe-go/troupe/internal/workers"
)

// Chan is a channel between strands. A strand that waits in it suspends and holds no
// worker, unlike in a Go channel. Goroutines may use it too, and block. Values come out in
// the order in which they went in, and waiters are served in the order in which they came.
// Its methods are safe for concurrent use.
//
// # Protocol
//
// All state is under the mutex. Either nobody waits, or only senders (the buffer is full)
// or only receivers (it is empty). A caller that finds a waiter of the other side hands the
// value over and says so in the waiter's entry, under the mutex. An entry that has been
// served is in no queue. An entry of a Select may lie in several channels, and is served
// once; see selection.
type Chan[T any] struct {
	mu        sync.Mutex
	ring      []T // The buffer: n values from head on.
	head, n   int
	capacity  int
	senders   queue[T]
	receivers queue[T]
	closed    bool
}

// maxCapacity keeps a slip of the pen from asking for all memory.
const maxCapacity = 1 << 24

// NewChan returns a channel that holds so many values which nobody has received
// yet, at most 16,777,216. With 0, or less, each sender waits until its value is
// received. The buffer grows as it is used.
func NewChan[T any](capacity int) *Chan[T] {
	return &Chan[T]{capacity: min(max(capacity, 0), maxCapacity)}
}

// Send hands v over. It waits while the buffer is full. It returns [ErrClosed] if
// the channel is closed, also while it waits, and the cause if ctx ends first; in
// both cases nobody gets the value. A value that was sent in the moment of
// cancellation counts as sent.
func (c *Chan[T]) Send(ctx context.Context, v T) error {
	_, err := c.transfer(ctx, true, v)
	return err
}

// Receive returns the next value. It waits while there is none. It returns
// [ErrClosed] when the channel is closed and empty, and the cause if ctx ends
// first.
func (c *Chan[T]) Receive(ctx context.Context) (T, error) {
	var none T
	return c.transfer(ctx, false, none)
}

// TrySend is Send without waiting. It reports false if it would have to wait.
func (c *Chan[T]) TrySend(ctx context.Context, v T) (bool, error) {
	if err := c.check(ctx); err != nil {
		return false, err
	}
	if err := pass(ctx); err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	done, _, err := c.try(ctx, true, v, nil)
	return done && err == nil, err
}

// TryReceive is Receive without waiting. It reports false if it would have to
// wait.
func (c *Chan[T]) TryReceive(ctx context.Context) (v T, ok bool, err error) {
	if err := c.check(ctx); err != nil {
		return v, false, err
	}
	if err := pass(ctx); err != nil {
		return v, false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	done, v, err := c.try(ctx, false, v, nil)
	return v, done && err == nil, err
}

// All returns the values as they come, until the channel is closed and empty, or
// ctx ends.
func (c *Chan[T]) All(ctx context.Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			v, err := c.Receive(ctx)
			if err != nil || !yield(v) {
				return
			}
		}
	}
}

// Close ends the channel: senders get [ErrClosed], those that wait too, and
// receivers get what is left and then the same. Closing it again returns
// ErrClosed. For ctx see [Strand.Unpark].
func (c *Chan[T]) Close(ctx context.Context) error {
	if c == nil {
		return errNilChan
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	c.closed = true
	var served []*entry[T]
	for _, q := range []*queue[T]{&c.senders, &c.receivers} {
		for e := q.take(nil); e != nil; e = q.take(nil) {
			e.done, e.err = true, ErrClosed
			served = append(served, e)
		}
	}
	c.mu.Unlock()
	from := workers.Current(ctx)
	for _, e := range served {
		e.waiter.Wake(from, workers.Low)
	}
	return nil
}

// Len returns how many values are in the buffer.
func (c *Chan[T]) Len() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// Cap returns how many values the buffer holds.
func (c *Chan[T]) Cap() int {
	if c == nil {
		return 0
	}
	return c.capacity
}

func (c *Chan[T]) check(ctx context.Context) error {
	switch {
	case c == nil:
		return errNilChan
	case ctx == nil:
		return errNilContext
	}
	return nil
}

// transfer sends v, or receives.
func (c *Chan[T]) transfer(ctx context.Context, send bool, v T) (got T, err error) {
	if err := c.check(ctx); err != nil {
		return got, err
	}
	if err := pass(ctx); err != nil {
		return got, err
	}
	c.mu.Lock()
	done, got, err := c.try(ctx, send, v, nil)
	if done {
		c.mu.Unlock()
		return got, err
	}
	e := &entry[T]{value: v}
	e.waiter.Arm(ctx, nil)
	w := e.waiter // The caller that serves the entry has the other copy.
	defer w.Disarm()
	side := c.side(send)
	side.add(e)
	c.mu.Unlock()
	explain(ctx, send)
	for {
		goOn := w.Wait(ctx)
		c.mu.Lock()
		done := e.done
		if !done && !goOn {
			side.remove(e)
		}
		c.mu.Unlock()
		switch {
		case done && send:
			return got, e.err
		case done:
			return e.value, e.err
		case !goOn:
			return got, cause(ctx)
		}
	}
}

// side is where senders wait, or receivers.
func (c *Chan[T]) side(send bool) *queue[T] {
	if send {
		return &c.senders
	}
	return &c.receivers
}

// try transfers a value if that is possible without waiting, on behalf of own if
// that is not nil: then it does nothing if own was served elsewhere. The caller
// holds mu.
func (c *Chan[T]) try(ctx context.Context, send bool, v T, own *selection) (done bool, got T, err error) {
	if send {
		done, err = c.trySend(ctx, v, own)
	} else {
		done, got, err = c.tryReceive(ctx, own)
	}
	return done, got, err
}

func (c *Chan[T]) trySend(ctx context.Context, v T, own *selection) (done bool, err error) {
	if c.closed {
		return own.claim(), ErrClosed
	}
	if e := c.receivers.take(own); e != nil {
		e.value, e.done = v, true
		e.waiter.Wake(workers.Current(ctx), workers.Low)
		return true, nil
	}
	if c.n == c.capacity || !own.claim() {
		return false, nil
	}
	c.push(v)
	return true, nil
}

func (c *Chan[T]) tryReceive(ctx context.Context, own *selection) (done bool, got T, err error) {
	if c.n > 0 {
		if !own.claim() {
			return false, got, nil
		}
		got = c.pop()
		if e := c.senders.take(nil); e != nil { // There is room for the first that waits.
			c.push(e.value)
			c.served(ctx, e)
		}
		return true, got, nil
	}
	if e := c.senders.take(own); e != nil {
		got = e.value
		c.served(ctx, e)
		return true, got, nil
	}
	if c.closed {
		return own.claim(), got, ErrClosed
	}
	return false, got, nil
}

// served tells a sender that its value is taken.
func (c *Chan[T]) served(ctx context.Context, e *entry[T]) {
	var none T
	e.value, e.done = none, true
	e.waiter.Wake(workers.Current(ctx), workers.Low)
}

func (c *Chan[T]) push(v T) {
	if c.n == len(c.ring) {
		grown := make([]T, min(max(8, 2*len(c.ring)), c.capacity))
		for i := range c.n {
			grown[i] = c.ring[(c.head+i)%len(c.ring)]
		}
		c.ring, c.head = grown, 0
	}
	c.ring[(c.head+c.n)%len(c.ring)] = v
	c.n++
}

func (c *Chan[T]) pop() (v T) {
	var none T
	v, c.ring[c.head] = c.ring[c.head], none
	c.head = (c.head + 1) % len(c.ring)
	c.n--
	return v
}
