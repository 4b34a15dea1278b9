package strand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
)

// DefaultLineLimit is the length of the longest line, without its end, that is read where
// no other limit is set. It is the limit of bufio.Scanner.
const DefaultLineLimit = 64 << 10

// lent is the size of the buffers that connections borrow: a page.
const lent = 4 << 10

var buffers = sync.Pool{New: func() any { return new([lent]byte) }}

// Conn is a stream of bytes between a strand and somebody else: a connection, a
// pipe, a terminal, a file. A strand that would have to wait for it suspends.
// While nothing is there to be read it holds no buffer. Reading and writing may
// go on at the same time; of several that read, or write, one comes after the
// other. All methods are safe for concurrent use.
//
// Each call that may wait takes a context, which bounds it: its deadline and its
// cancellation end the wait with the cause. Nothing is lost by that: what has
// arrived stays to be read, and Write says how much it has written.
//
// A nil Conn, and one that is none of this package's making, is like one that was
// closed: its methods return [net.ErrClosed], and its addresses are nil.
type Conn struct {
	t       transport // Nil in the zero Conn.
	closed  atomic.Bool
	limit   atomic.Int64
	readMu  Mutex
	writeMu Mutex

	// Under readMu: what was read and not asked for yet, in a buffer that is lent.
	buffer     *[lent]byte
	begin, end int
	partial    []byte // The begin of a line that has not ended.
	skipping   bool   // The rest of a line that was too long is to be passed over.
}

func newConn(t transport) *Conn {
	c := &Conn{t: t}
	c.limit.Store(DefaultLineLimit)
	return c
}

// LineTooLongError is returned by ReadLine for a line that is longer than the
// limit. The next ReadLine begins after that line.
type LineTooLongError struct{ Limit int }

// Error tells the limit.
func (e *LineTooLongError) Error() string {
	return fmt.Sprintf("strand: a line is longer than the limit of %d bytes", e.Limit)
}

var (
	errLineLimit = errors.New("strand: the line limit must be at least 1")
	errNewline   = errors.New("strand: the line has a newline in it; use Write")
)

// SetLineLimit sets the length of the longest line that is read. A line that is
// longer is a [*LineTooLongError], and takes no more memory than the limit.
func (c *Conn) SetLineLimit(n int) error {
	switch {
	case c.isClosed():
		return c.wrap("set", net.ErrClosed)
	case n < 1:
		return fmt.Errorf("%w, not %d", errLineLimit, n)
	}
	c.limit.Store(int64(n))
	return nil
}

// Read reads up to len(p) bytes, as [io.Reader] has it, waiting for the first.
func (c *Conn) Read(ctx context.Context, p []byte) (n int, err error) {
	if err := c.lock(ctx, reading); err != nil {
		return 0, c.wrap("read", err)
	}
	defer c.unlock(ctx, &c.readMu)
	if len(p) == 0 {
		return 0, nil
	}
	if len(c.partial) > 0 { // Of a ReadLine that was cancelled.
		n = copy(p, c.partial)
		c.partial = c.partial[n:]
		return n, nil
	}
	if c.begin < c.end {
		n = copy(p, c.buffer[c.begin:c.end])
		c.begin += n
		c.giveBack()
		return n, nil
	}
	n, err = c.t.read(ctx, p)
	return n, c.wrap("read", err)
}

// Append reads what is there, up to 4 KB, waiting for the first byte, and appends it
// to dst. While it waits it holds no buffer, unlike Read. With an error dst is
// unchanged.
func (c *Conn) Append(ctx context.Context, dst []byte) ([]byte, error) {
	if err := c.lock(ctx, reading); err != nil {
		return dst, c.wrap("read", err)
	}
	defer c.unlock(ctx, &c.readMu)
	if len(c.partial) > 0 { // Of a ReadLine that was cancelled.
		dst, c.partial = append(dst, c.partial...), nil
		return dst, nil
	}
	if c.begin == c.end {
		if err := c.t.await(ctx); err != nil {
			return dst, c.wrap("read", err)
		}
		if err := c.fill(ctx); err != nil {
			return dst, c.wrap("read", err)
		}
	}
	dst = append(dst, c.buffer[c.begin:c.end]...)
	c.begin = c.end
	c.giveBack()
	return dst, nil
}

// Write writes all of p, waiting for the peer as need be. If it can't, it returns
// how much it has written, and why. Where a call of the transport blocks, see [Wrap]
// and [File], and the end of ctx or Close comes first, that is 0, and what the call
// still writes is not known.
func (c *Conn) Write(ctx context.Context, p []byte) (n int, err error) {
	if err = c.lock(ctx, writing); err == nil {
		if len(p) > 0 {
			n, err = c.t.write(ctx, p)
		}
		c.unlock(ctx, &c.writeMu)
	}
	if err != nil {
		err = c.wrap("write", err)
	}
	return n, err
}

// CloseWrite tells the peer that nothing more will come, while reading goes on. It
// is possible with TCP and Unix connections and with Pipe.
func (c *Conn) CloseWrite() error {
	if c.isClosed() {
		return c.wrap("close", net.ErrClosed)
	}
	return c.wrap("close", c.t.closeWrite())
}

// Close closes the connection. A call that waits for it gets [net.ErrClosed]. Closing it
// again returns that too. For a stream that can't be polled, see [Wrap] and [File], it is
// the stream's own Close. That may wait for a call that is under way: on Windows the Close
// of a console waits for the next line.
func (c *Conn) Close() error {
	if c == nil || c.t == nil || c.closed.Swap(true) {
		return c.wrap("close", net.ErrClosed)
	}
	err := c.t.close()
	if c.readMu.TryLock() { // Else who reads gives the buffer back.
		c.drop()
		_ = c.readMu.Unlock(context.Background()) // It was locked above.
	}
	return c.wrap("close", err)
}

// LocalAddr returns the address of this end, also after Close.
func (c *Conn) LocalAddr() net.Addr { local, _ := c.addresses(); return local }

// RemoteAddr returns the address of the other end, also after Close.
func (c *Conn) RemoteAddr() net.Addr { _, remote := c.addresses(); return remote }

func (c *Conn) addresses() (local, remote net.Addr) {
	if c == nil || c.t == nil {
		return nil, nil
	}
	return c.t.addresses()
}

func (c *Conn) isClosed() bool { return c == nil || c.t == nil || c.closed.Load() }

// side is one of a connection's two directions.
type side bool

const (
	reading side = true
	writing side = false
)

// lock takes one side, unless the connection is closed.
func (c *Conn) lock(ctx context.Context, of side) error {
	if c.isClosed() {
		return net.ErrClosed
	}
	mu := &c.writeMu
	if of == reading {
		mu = &c.readMu
	}
	switch {
	case ctx == nil:
		return errNilContext
	case pass(ctx) != nil: // As Lock does it, but less deep in the stack.
		return cause(ctx)
	case mu.TryLock():
	default:
		if err := mu.Lock(ctx); err != nil {
			return err
		}
	}
	if c.closed.Load() {
		c.unlock(ctx, mu)
		return net.ErrClosed
	}
	return nil
}

func (c *Conn) unlock(ctx context.Context, mu *Mutex) {
	if mu == &c.readMu && c.closed.Load() {
		c.drop()
	}
	_ = mu.Unlock(ctx) // It was locked before.
}

// wrap says which operation failed, as package net does. The end of the stream
// and what the caller's context says stay as they are.
func (c *Conn) wrap(op string, err error) error {
	if err == nil || err == io.EOF || !isOfSystem(err) { //nolint:errorlint // Exactly that one.
		return err
	}
	e := &net.OpError{Op: op, Net: "strand", Err: err}
	if e.Source, e.Addr = c.addresses(); e.Addr != nil {
		e.Net = e.Addr.Network()
	}
	return e
}

// isOfSystem reports whether an error is of the connection rather than of the
// caller's context.
func isOfSystem(err error) bool {
	var call *os.SyscallError
	return errors.As(err, &call) || errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe)
}
