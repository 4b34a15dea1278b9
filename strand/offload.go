package strand

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
)

// offloaded is a transport of calls that block: on regular files, and on whatever
// can't be polled. Each call runs on a goroutine while the strand waits. A read
// that is cancelled goes on, and the next one gets what it brings; so does a
// write, for which the next one waits.
type offloaded struct {
	rw            io.ReadWriteCloser
	local, remote net.Addr
	closed        atomic.Bool

	// Used by one reader at a time.
	chunks  *Chan[chunk]
	reading bool
	rest    []byte // Bytes of the last chunk that no Read has taken yet.
	failed  error  // The error that came with them.
	// Used by one writer at a time.
	written *Chan[chunk]
	writing bool
}

// chunk is the outcome of a call.
type chunk struct {
	data []byte
	n    int
	err  error
}

// errLeft is what a call has brought that did not return.
var errLeft = errors.New("strand: a method of the stream called runtime.Goexit")

func newOffloaded(rw io.ReadWriteCloser, local, remote net.Addr) *offloaded {
	return &offloaded{rw: rw, local: local, remote: remote, chunks: NewChan[chunk](1), written: NewChan[chunk](1)}
}

func (o *offloaded) addresses() (local, remote net.Addr) { return o.local, o.remote }

// await returns at once: a call that brings bytes needs memory for them.
func (o *offloaded) await(ctx context.Context) error {
	if ctx.Err() != nil {
		return cause(ctx)
	}
	return nil
}

func (o *offloaded) read(ctx context.Context, p []byte) (int, error) {
	for {
		switch {
		case ctx.Err() != nil:
			return 0, cause(ctx)
		case len(o.rest) > 0:
			n := copy(p, o.rest)
			o.rest = o.rest[n:]
			return n, nil
		case o.failed != nil:
			err := o.failed
			o.failed = nil
			return 0, err
		}
		if !o.reading {
			o.reading = true
			go func(size int) {
				got := chunk{err: errLeft}
				defer func() { _ = o.chunks.Send(context.Background(), got) }() // There is room, or it is closed.
				buffer := make([]byte, size)
				n, err := o.rw.Read(buffer)
				got = chunk{data: buffer[:n], err: err}
			}(max(1, min(len(p), 64<<10)))
		}
		got, err := o.chunks.Receive(ctx)
		if err != nil {
			return 0, o.closedOr(err)
		}
		o.reading, o.rest, o.failed = false, got.data, got.err
	}
}

func (o *offloaded) write(ctx context.Context, p []byte) (int, error) {
	if o.writing {
		if got, err := o.written.Receive(ctx); err != nil {
			return 0, o.closedOr(err)
		} else if o.writing = false; got.err != nil {
			return 0, got.err
		}
	}
	if ctx.Err() != nil {
		return 0, cause(ctx)
	}
	o.writing = true
	go func(data []byte) {
		got := chunk{err: errLeft}
		defer func() { _ = o.written.Send(context.Background(), got) }() // The same.
		n, err := o.rw.Write(data)
		got = chunk{n: n, err: err}
	}(append([]byte(nil), p...))
	got, err := o.written.Receive(ctx)
	if err != nil {
		return 0, o.closedOr(err)
	}
	o.writing = false
	return got.n, got.err
}

// closedOr says in the words of connections that close has closed a channel. The
// cause of a caller's context may be the same error.
func (o *offloaded) closedOr(err error) error {
	if o.closed.Load() && errors.Is(err, ErrClosed) {
		return net.ErrClosed
	}
	return err
}

// offer writes nothing: nobody knows whether a call would wait.
func (o *offloaded) offer([]byte) (int, error) { return 0, nil }

func (o *offloaded) closeWrite() error {
	if half, ok := o.rw.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errNoCloseWrite
}

// close wakes who waits first: a call that blocks may go on for ever, whatever is
// closed, and what comes of it nobody wants.
func (o *offloaded) close() error {
	o.closed.Store(true)
	_, _ = o.chunks.Close(context.Background()), o.written.Close(context.Background()) // It is called once.
	return o.rw.Close()
}
