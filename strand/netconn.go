package strand

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// Net returns the connection as a [net.Conn] for the caller, whose context is ctx:
// for crypto/tls, say. What is called on it waits on behalf of ctx, which also
// bounds it; its deadlines come on top. On a goroutine the calls block. With a nil ctx
// they fail.
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

func (n *netConn) Read(p []byte) (int, error) {
	for {
		got, err := n.Conn.Read(n.read.context(), p)
		if !errors.Is(err, errMoved) {
			return got, err
		}
	}
}

func (n *netConn) Write(p []byte) (done int, err error) {
	for {
		got, err := n.Conn.Write(n.write.context(), p[done:])
		done += got
		if !errors.Is(err, errMoved) {
			return done, err
		}
	}
}

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

// errMoved is why a context has ended whose deadline was changed: whoever waits
// under it goes on under the next.
var errMoved = errors.New("strand: the deadline was moved")

// deadline is a context whose deadline can be changed, also while somebody waits.
type deadline struct {
	above context.Context

	mu     sync.Mutex
	now    context.Context // Nil means above.
	cancel func(cause error)
}

func (d *deadline) context() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now == nil && d.above != nil {
		// So that a deadline that is set later reaches who waits.
		d.now, d.cancel = context.WithCancelCause(d.above)
	}
	return d.now
}

func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancel != nil {
		d.cancel(errMoved)
	}
	d.now, d.cancel = nil, nil
	if t.IsZero() {
		return
	}
	now, cancel := context.WithCancelCause(d.above)
	d.now, d.cancel = now, cancel
	left := time.Until(t)
	if left <= 0 { // A timer would say so too late for a call that need not wait.
		cancel(os.ErrDeadlineExceeded)
		return
	}
	timer := time.AfterFunc(left, func() { cancel(os.ErrDeadlineExceeded) })
	d.cancel = func(cause error) { timer.Stop(); cancel(cause) }
}

// release ends what the deadline holds.
func (d *deadline) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancel != nil {
		d.cancel(net.ErrClosed)
	}
	d.now, d.cancel = nil, nil
}
