package stream

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/troupe-go/troupe/netio"
)

// maxPiped is how long a message may be that PipeReader puts together. It is what netio allows a connection by default.
const maxPiped = 4 << 20

// pipeChunk is how much is read at a time.
const pipeChunk = 4 << 10

// PipeReader publishes the messages that a decoder makes of a stream of bytes, until that ends. It returns how many
// messages all subscribers have got, and nil at the end of the stream; or a [*netio.DecodeError], what the stream said, or the first error of
// [Live.Publish]. A message of more than 4 MiB is [netio.ErrTooLong], whatever the codec allows.
//
// It reads on the caller's goroutine, and only as fast as the subscribers take: nothing is read while
// Publish waits. Ctx bounds the waits of Publish; a Read that blocks ends when
// the stream is closed. For connections, [Pipe] costs no goroutine.
func PipeReader[In, Out any](ctx context.Context, r io.Reader, codec netio.Codec[In, Out], to *Live[In]) (n int, err error) {
	switch {
	case to.isVoid():
		return 0, ErrNoLive
	case r == nil || codec == nil:
		return 0, fmt.Errorf("stream: pipe: %w: the Reader or the Codec is nil", netio.ErrConfig)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	decoder, err := codec.NewDecoder()
	if err != nil {
		return 0, fmt.Errorf("stream: pipe into %s: %w", to.name, err)
	}
	var data []byte
	var offset int64
	empty := 0
	for {
		if ctx.Err() != nil {
			return n, fmt.Errorf("stream: pipe into %s: %w", to.name, context.Cause(ctx))
		}
		var got int
		data, got, err = readMore(r, data)
		final := errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
		if empty++; got > 0 || err != nil {
			empty = 0
		} else if empty == maxEmptyReads {
			err = io.ErrNoProgress
		}
		failed := err
		taken := 0
		for got > 0 || final {
			used, m, ok, err := decoder.Decode(data[taken:], final)
			if err != nil {
				return n, &netio.DecodeError{Offset: offset, Err: err}
			}
			taken += used
			offset += int64(used)
			if !ok {
				break
			}
			if err := to.Publish(ctx, m); err != nil {
				return n, err
			}
			n++
		}
		data = append(data[:0], data[taken:]...)
		switch {
		case final && len(data) > 0:
			return n, &netio.DecodeError{Offset: offset, Err: io.ErrUnexpectedEOF}
		case final:
			return n, nil
		case failed != nil:
			return n, fmt.Errorf("stream: pipe into %s: %w", to.name, failed)
		case len(data) >= maxPiped:
			return n, &netio.DecodeError{Offset: offset, Err: fmt.Errorf("%w: %d bytes make no message yet", netio.ErrTooLong, len(data))}
		}
	}
}

// maxEmptyReads is how often a Read may bring nothing. It is what bufio allows.
const maxEmptyReads = 100

// readMore appends what one Read brings.
func readMore(r io.Reader, data []byte) ([]byte, int, error) {
	if cap(data)-len(data) < pipeChunk {
		data = append(make([]byte, 0, 2*cap(data)+pipeChunk), data...)
	}
	n, err := r.Read(data[len(data) : len(data)+pipeChunk])
	return data[:len(data)+n], n, err
}

// PipeWriter writes the bytes that a codec makes of each message that is published, until the topic is closed, for which it
// returns nil. Otherwise it returns what the stream or the codec said, or the error of [Live.AllBy], which says
// what becomes of messages while the stream is slow; it returns how many messages were written. It writes on the caller's
// goroutine, one message with each Write.
func PipeWriter[In, Out any](ctx context.Context, from *Live[Out], w io.Writer, codec netio.Codec[In, Out], by Reader[Out]) (n int, err error) {
	switch {
	case from.isVoid():
		return 0, ErrNoLive
	case w == nil || codec == nil:
		return 0, fmt.Errorf("stream: pipe: %w: the Writer or the Codec is nil", netio.ErrConfig)
	}
	var bytes []byte
	for v, err := range from.AllBy(ctx, by) {
		if err == nil {
			bytes, err = codec.Append(bytes[:0], v)
		}
		if err == nil {
			_, err = w.Write(bytes)
		}
		if err != nil {
			return n, fmt.Errorf("stream: pipe from %s: %w", from.name, err)
		}
		n++
	}
	return n, nil
}
