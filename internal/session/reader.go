package session

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// reader takes fields from data that the other side has written. After the first error it returns zeros.
type reader struct {
	data []byte
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrProtocol, fmt.Sprintf(format, args...))
	}
	r.data = nil
}

func (r *reader) byte() byte {
	if len(r.data) == 0 {
		r.fail("a message ends early")
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.fail("a message ends within a number, or a number is too large")
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) duration() time.Duration {
	v := r.uvarint()
	if v > math.MaxInt64 {
		r.fail("a duration of %d ns is too long", v)
		return 0
	}
	return time.Duration(v)
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.data)) {
		r.fail("a part of %d bytes lies in a rest of %d", n, len(r.data))
		return nil
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}
