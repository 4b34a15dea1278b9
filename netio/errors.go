package netio

import (
	"errors"
	"fmt"
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

// DecodeError is why a stream has ended whose bytes are not what its codec takes. It
// wraps the codec's error, or io.ErrUnexpectedEOF if the stream has ended in the
// midst of a message.
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
