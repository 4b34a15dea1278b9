package netio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
	"unsafe"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/strand"
)

// link carries the messages of one stream to its actor. All of it happens on one
// strand, which waits where the actor's lane is full: then nothing is read, and the
// peer waits as well, by the flow control of TCP. It sends with a context that does
// not end, so that what was read is handed over also when the reading was ended.
type link[M any] struct {
	s       *stream
	sys     *actor.System
	to      actor.Ref[M]
	keeper  actor.Ref[notice]
	decoder Decoder[M]
	ended   func(err error) M // May be nil.
	// start spawns the actor, for a link that owns it: then the actor ends with the
	// connection, unless halfOpen says that it does so by itself.
	start    func(ctx context.Context) (actor.Ref[M], error)
	halfOpen bool
	offset   int64 // Where the next message begins.
	quiet    bool  // There was no message since the time in since.
	since    time.Duration
}

// run is the strand's function.
func (l *link[M]) run(me *strand.Strand) error {
	calm := context.WithoutCancel(me)
	defer l.s.finish(calm)
	err := l.s.begin(me)
	if l.start != nil {
		if err != nil { // There is nobody to be told.
			l.s.inputEnded(err)
			return nil
		}
		to, err := l.start(me)
		if err != nil {
			l.s.fail(fmt.Errorf("%w: %w", ErrNoActor, err))
			return nil
		}
		l.to = to
		defer func() { _ = to.Drain(calm) }() // That is also for a Goexit.
		l.s.belongs(func() { _ = to.Kill() })
	}
	l.s.ledger.after = func(f func()) bool { return l.sys.AfterBacklog(l.to.PID(), f) == nil }
	if err := l.keeper.Send(calm, notice{id: l.to.PID(), s: l.s}); err != nil {
		l.s.fail(err)
		return nil
	}
	if err == nil {
		err = l.read(me, calm)
	}
	l.end(calm, err)
	l.awaitClose(calm, err == nil)
	return nil
}

// awaitClose waits until the connection is closed by whose it is, at the end of the
// input.
func (l *link[M]) awaitClose(calm context.Context, regular bool) {
	if l.start == nil || l.halfOpen && regular {
		_, _ = l.s.over.Receive(calm) // It is closed, that is all.
	}
}

// end notes why nothing more comes, and tells the actor.
func (l *link[M]) end(calm context.Context, why error) {
	l.s.inputEnded(why)
	if l.ended == nil || errors.Is(why, errActorEnded) {
		return
	}
	returned := false
	defer func() {
		switch r := recover(); {
		case r != nil:
			l.untold(calm, fmt.Errorf("netio: Ended panicked: %v", r))
		case !returned:
			l.untold(calm, errors.New("netio: Ended called runtime.Goexit"))
		}
	}()
	m := l.ended(why)
	returned = true
	_ = l.to.Send(calm, m) // If the actor has ended it need not know.
}

// untold ends the connection in good order, since its actor does not learn that nothing
// more comes.
func (l *link[M]) untold(calm context.Context, err error) {
	l.s.inputEnded(err)
	l.s.end(calm, err)
}

// read reads until the peer ends the stream, for which it returns nil, or it has to
// stop.
func (l *link[M]) read(me, calm context.Context) (err error) {
	returned := false
	defer func() {
		switch r := recover(); {
		case r != nil:
			err = &DecodeError{l.offset, fmt.Errorf("netio: the decoder panicked: %v", r)}
		case !returned: // Nothing comes behind this.
			l.end(calm, &DecodeError{l.offset, errors.New("netio: the decoder called runtime.Goexit")})
			l.awaitClose(calm, false)
		}
	}()
	err = l.readAll(me, calm)
	returned = true
	return err
}

func (l *link[M]) readAll(me, calm context.Context) (err error) {
	var data []byte
	var began time.Duration // When the first byte of data came; see watchdog.
	for {
		fresh := len(data) == 0
		if data, err = l.fill(me, data, began); err != nil && !isEnd(err) {
			return l.s.because(err)
		}
		final := err != nil
		n, err := l.handOver(calm, data, final)
		switch {
		case err != nil:
			return err
		case final && n < len(data):
			return &DecodeError{l.offset, io.ErrUnexpectedEOF}
		case final:
			return nil
		}
		if n < len(data) && (n > 0 || fresh) {
			began = l.s.in.now()
		}
		if n > 0 {
			data = append(data[:0], data[n:]...)
		}
		if len(data) == 0 && cap(data) > chunk {
			data = nil
		}
		l.s.ledger.setBuffer(cap(data))
	}
}

// chunk is how much is read at once: what strand.Conn.Append brings.
const chunk = 4 << 10

// fill appends what comes next to data. Only while it waits are the peer's times
// measured.
func (l *link[M]) fill(me context.Context, data []byte, began time.Duration) ([]byte, error) {
	before := len(data)
	limits := &l.s.limits
	if more := min(before, maxKept); before >= chunk && cap(data)-before < more {
		room := before + max(more, before/4)
		if err := l.s.ledger.takeBuffer(me, room-cap(data)); err != nil {
			return data, err
		}
		data = append(make([]byte, 0, room), data...)
	}
	if before == 0 {
		if !l.quiet {
			l.quiet, l.since = true, l.s.in.now()
		}
		l.s.in.watch(l.since, limits.Idle, ErrIdle)
	} else {
		l.s.in.watch(began, limits.Message, ErrSlow)
	}
	var err error
	if before < chunk {
		data, err = l.s.conn.Append(me, data)
	} else { // It is a large message, which comes in large pieces.
		var n int
		n, err = l.s.conn.Read(me, data[before:cap(data)])
		data = data[:before+n]
	}
	l.s.in.rest()
	if before < chunk {
		l.s.ledger.setBuffer(cap(data))
	}
	l.s.bytesIn.Add(uint64(len(data) - before))
	return data, err
}

// handOver sends the actor all messages that data has, and returns how much of it is
// done with.
func (l *link[M]) handOver(calm context.Context, data []byte, final bool) (taken int, err error) {
	for {
		n, m, ok, err := l.decoder.Decode(data[taken:], final)
		if err != nil {
			return taken, &DecodeError{l.offset, err}
		}
		taken += n
		l.offset += int64(n)
		if !ok {
			return taken, nil
		}
		l.quiet = false
		if err := l.s.ledger.takeMessage(calm, n+int(unsafe.Sizeof(m))); err != nil {
			return taken, l.s.because(err)
		}
		l.s.messagesIn.Add(1) // Before somebody can have an answer.
		err = l.to.Send(calm, m)
		l.s.ledger.sent(err == nil)
		if err != nil {
			l.s.messagesIn.Add(^uint64(0))
			if errors.Is(err, actor.ErrStopped) {
				err = errActorEnded
			}
			return taken, err
		}
	}
}
