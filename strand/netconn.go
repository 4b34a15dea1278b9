package strand

import (
	"context"
	"net"
	"os"
	"sync"
	"time"
)

// Net returns the connection as a [net.Conn] for the caller, whose context is ctx: for
// crypto/tls, say. Its methods wait on behalf of ctx, which also bounds them; its deadlines
// come on top. On a goroutine the calls block. With a nil ctx they fail.
func (c *Conn) Net(ctx context.Context) net.Conn {
	n := &netConn{Conn: c}
	n.read.above, n.write.above = ctx, ctx
	return n
}

// netConn is a connection together with the context of who uses it.
type netConn struct {
	*Conn
	read, write deadline
}

func (n *netConn) Read(p []byte) (int, error) { return n.Conn.Read(n.read.context(), p) }

func (n *netConn) Write(p []byte) (int, error) { return n.Conn.Write(n.write.context(), p) }

func (n *netConn) Close() error {
	n.read.release()
	n.write.release()
	return n.Conn.Close()
}

func (n *netConn) SetDeadline(t time.Time) error      { return n.set(t, &n.read, &n.write) }
func (n *netConn) SetReadDeadline(t time.Time) error  { return n.set(t, &n.read) }
func (n *netConn) SetWriteDeadline(t time.Time) error { return n.set(t, &n.write) }

func (n *netConn) set(t time.Time, sides ...*deadline) error {
	switch {
	case n.isClosed():
		return n.wrap("set", net.ErrClosed)
	case n.read.above == nil:
		return errNilContext
	}
	for _, d := range sides {
		d.set(t)
	}
	return nil
}

// deadline is a context whose deadline can be changed, also while somebody waits: it
// does not end for that, since a write that waits could not be begun again.
type deadline struct {
	above context.Context

	mu     sync.Mutex
	now    context.Context // Nil until it is asked for.
	cancel context.CancelCauseFunc
	timer  *time.Timer // Nil if there is no deadline.
	closed bool
}

func (d *deadline) context() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.above == nil || d.closed { // The call says so.
		return d.above
	}
	d.begin()
	return d.now
}

// begin makes the context, if there is none. The caller holds mu.
func (d *deadline) begin() {
	if d.now == nil {
		d.now, d.cancel = context.WithCancelCause(d.above)
	}
}

func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	passed := d.timer != nil && !d.timer.Stop()
	d.timer = nil
	if passed || d.now != nil && d.now.Err() != nil {
		d.now = nil // It is over; the next deadline is of another.
	}
	if t.IsZero() {
		return
	}
	d.begin()
	cancel := d.cancel
	left := time.Until(t)
	if left <= 0 { // A timer would say so too late for a call that need not wait.
		cancel(os.ErrDeadlineExceeded)
		return
	}
	d.timer = time.AfterFunc(left, func() { cancel(os.ErrDeadlineExceeded) })
}

// release ends what the deadline holds.
func (d *deadline) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.timer != nil {
		d.timer.Stop()
	}
	if d.now != nil {
		d.cancel(net.ErrClosed)
	}
}
