package netio

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/strand"
)

// lingering is for how long a connection that ends here still reads, and drops, what
// the peer sends. To close a socket with something unread resets the connection,
// and takes from the peer what it has not read yet. It is what net/http waits.
const lingering = 500 * time.Millisecond

// stream is one connection, whatever the messages on it.
type stream struct {
	conn   *strand.Conn
	limits Timeouts
	group  *streams
	ledger *ledger
	in     watchdog // Of the strand that reads, while it waits for the peer.
	out    watchdog // Of who has outMu.
	outMu  strand.Mutex

	// over is closed when the actor has ended, or nobody wants the connection any
	// more.
	over *strand.Chan[struct{}]
	done chan struct{} // Closed at the very end.

	bytesIn, bytesOut       atomic.Uint64
	messagesIn, messagesOut atomic.Uint64

	atEnd func(ctx context.Context) // May be nil.

	closed atomic.Bool // Nothing is to be written any more.

	mu      sync.Mutex
	reader  *strand.Strand
	stopped error  // Why nothing is to be read any more, or nil.
	why     error  // What Err returns.
	kill    func() // Kills the actor, if it is the listener's.
}

// newStream returns a connection that buffers up to limit bytes.
func newStream(c *strand.Conn, limits Timeouts, group *streams, limit int64) *stream {
	s := &stream{conn: c, limits: limits, group: group, over: strand.NewChan[struct{}](0), done: make(chan struct{})}
	s.ledger = newLedger(&group.memory, limit)
	s.in.bark, s.in.epoch = s.stopReading, time.Now()
	s.out.bark, s.out.epoch = s.fail, s.in.epoch
	return s
}

// begin makes the caller the one who reads. It returns why nothing is to be read.
func (s *stream) begin(reader *strand.Strand) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reader = reader
	return s.stopped
}

// stopReading ends the reading, the first time with the given reason. Data that was read is
// still handed over.
func (s *stream) stopReading(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped != nil {
		return
	}
	s.stopped = why
	if s.reader != nil {
		s.reader.Cancel(why)
	}
}

// end has the connection end in good order: what was written arrives.
func (s *stream) end(ctx context.Context, why error) {
	s.stopReading(why)
	if errors.Is(why, errActorEnded) {
		s.ledger.abandon(why)
	}
	_ = s.over.Close(ctx) // It may be closed already.
}

// fail ends the connection at once.
func (s *stream) fail(why error) {
	s.mu.Lock()
	if s.why == nil && !s.closed.Load() {
		s.why = why
	}
	s.mu.Unlock()
	s.end(context.Background(), why)
	s.ledger.abandon(net.ErrClosed)
	_ = s.conn.Close() // Why is what counts.
}

// beginWrite takes the side that writes, and endWrite gives it back.
func (s *stream) beginWrite(ctx context.Context) error {
	if err := s.outMu.Lock(ctx); err != nil {
		return err
	}
	if s.closed.Load() {
		s.endWrite(ctx)
		return s.because(net.ErrClosed)
	}
	return nil
}

func (s *stream) endWrite(ctx context.Context) { _ = s.outMu.Unlock(ctx) } // It was locked.

// write writes one message, after beginWrite. Whether the peer takes it in time is watched.
func (s *stream) write(ctx context.Context, p []byte) error {
	n, err := s.conn.TryWrite(ctx, p) // Mostly that is all, and nobody need look at the clock.
	if err == nil && n < len(p) {
		var rest int
		s.out.watch(s.out.now(), s.limits.Write, ErrWriteTimeout)
		s.ledger.stall(cap(p))
		rest, err = s.conn.Write(ctx, p[n:])
		s.ledger.resume()
		s.out.rest()
		n += rest
	}
	s.bytesOut.Add(uint64(n))
	if err == nil {
		s.messagesOut.Add(1)
		return nil
	}
	if n > 0 || ctx.Err() == nil { // Half a message can't be taken back.
		s.fail(err)
	}
	return s.because(err)
}

// because returns why the connection has failed, in place of an error that only
// says that it is closed.
func (s *stream) because(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why != nil && errors.Is(err, net.ErrClosed) {
		return s.why
	}
	return err
}

// closeWrite refuses what is written from now on, and tells the peer.
func (s *stream) closeWrite() error {
	if s.closed.Swap(true) {
		return net.ErrClosed
	}
	return s.conn.CloseWrite()
}

// inputEnded notes why the input has ended.
func (s *stream) inputEnded(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == nil && !errors.Is(why, net.ErrClosed) && !errors.Is(why, errActorEnded) {
		s.why = why
	}
}

// finish closes the connection when nobody wants it any more.
func (s *stream) finish(ctx context.Context) {
	_ = s.closeWrite() // Some streams have no directions; they are just closed.
	linger, cancel := context.WithTimeout(ctx, s.group.lingering)
	defer cancel()
	var dropped []byte
	for err := error(nil); err == nil; {
		dropped, err = s.conn.Append(linger, dropped[:0])
	}
	_ = s.conn.Close() // Nothing is left in it.
	s.in.release()
	s.out.release()
	defer func() { // Also if somebody is told who calls Goexit.
		s.ledger.close()
		s.group.remove(s)
		close(s.done)
	}()
	if s.atEnd != nil {
		s.atEnd(ctx)
	}
}

func (s *stream) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

func (s *stream) traffic() Traffic {
	return Traffic{
		BytesIn: s.bytesIn.Load(), BytesOut: s.bytesOut.Load(),
		MessagesIn: s.messagesIn.Load(), MessagesOut: s.messagesOut.Load(),
	}
}

// isEnd reports whether an error of a read is the peer's end of the stream.
func isEnd(err error) bool { return errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) }

// belongs says how the actor is killed, if it comes to it.
func (s *stream) belongs(kill func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill = kill
}

// force ends the connection at once, and its actor, if that is the listener's.
func (s *stream) force(why error) {
	s.mu.Lock()
	kill := s.kill
	s.mu.Unlock()
	s.fail(why)
	if kill != nil {
		kill()
	}
}
