package netio

import (
	"errors"
	"fmt"
	"net"
)

var (
	// ErrConfig is returned when a configuration makes no sense. The error says
	// which part of it.
	ErrConfig = errors.New("netio: wrong configuration")

	// ErrTooLong is returned for a message that is longer than its codec allows. The
	// error names the length, as far as it is known, and the limit.
	ErrTooLong = errors.New("netio: the message is too long")

	// ErrUTF8 is returned for text that is not UTF-8.
	ErrUTF8 = errors.New("netio: not UTF-8")

	// ErrFrame is returned for a frame whose length can't be read.
	ErrFrame = errors.New("netio: not a frame")

	// ErrJSON is returned for bytes that are no JSON value, or not one of the type
	// that is wanted. It wraps what encoding/json says.
	ErrJSON = errors.New("netio: wrong JSON")

	// ErrEncode is returned when a message can't be written by a codec. Nothing of
	// it was sent, and the connection goes on.
	ErrEncode = errors.New("netio: the message can't be encoded")
)

func tooLong(what string, size uint64, limit int) error {
	return fmt.Errorf("%w: a %s of at least %d bytes, where %d are allowed; see MaxSize", ErrTooLong, what, size, limit)
}

// DecodeError is why a stream has ended whose bytes are not what its codec takes. It wraps
// the codec's error, or io.ErrUnexpectedEOF if the stream has ended within a message.
type DecodeError struct {
	Offset int64 // Of the message's begin in the stream, in bytes.
	Err    error
}

// Error tells where in the stream, and what the codec said.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("netio: the message at byte %d of the stream: %v", e.Offset, e.Err)
}

// Unwrap returns what the codec said.
func (e *DecodeError) Unwrap() error { return e.Err }

var (
	// ErrIdle is why a connection has ended on which no message has begun for as long
	// as Timeouts.Idle.
	ErrIdle = errors.New("netio: no message came for too long")

	// ErrSlow is why a connection has ended whose peer has begun a message, and not
	// ended it within Timeouts.Message.
	ErrSlow = errors.New("netio: a message took too long to come")

	// ErrWriteTimeout is why a connection has ended whose peer has not taken a
	// message within Timeouts.Write.
	ErrWriteTimeout = errors.New("netio: the peer does not read")

	// ErrBufferLimit is why a connection has ended that takes more memory than it may: a message is larger than
	// MaxBuffered, or others needed the memory that it holds, see ListenerConfig.MaxBufferedTotal. The error
	// says which. A peer that does not read while there is memory for all gets ErrWriteTimeout instead.
	ErrBufferLimit = errors.New("netio: the connection takes too much memory")

	// ErrListenerStopped is why a connection has ended whose listener was stopped, or
	// has failed.
	ErrListenerStopped = errors.New("netio: the listener was stopped")

	// ErrNoActor is why a connection of a listener has ended whose actor could not be
	// started. It wraps the reason.
	ErrNoActor = errors.New("netio: the actor of the connection did not start")

	// errActorEnded is why nothing is read any more.
	errActorEnded = errors.New("netio: the actor has ended")
)

func isClosed(err error) bool { return errors.Is(err, net.ErrClosed) }
