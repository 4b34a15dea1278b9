package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// reader takes fields from data that somebody else has written. After the first error it returns zeros.
type reader struct {
	data []byte
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrData, fmt.Sprintf(format, args...))
	}
	r.data = nil
}

func (r *reader) byte() byte {
	if len(r.data) == 0 {
		r.fail("it ends early")
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.data)
	switch {
	case size == 0:
		r.fail("it ends early")
		return 0
	case size < 0:
		r.fail("a number has more than 64 bits")
		return 0
	case size > 1 && r.data[size-1] == 0:
		r.fail("a number has zeros before it")
		return 0
	}
	r.data = r.data[size:]
	return n
}

// number is a positive number of 31 bits.
func (r *reader) number() int {
	n := r.uvarint()
	if n > math.MaxInt32 {
		r.fail("the number %d is too large", n)
		return 0
	}
	return int(n)
}

// count is the number of things that follow, which have size bytes at least.
func (r *reader) count(limit, size int) int {
	n := r.number()
	if n > limit || n > len(r.data)/size {
		r.fail("%d things are announced; %d bytes follow, and the limit is %d", n, len(r.data), limit)
		return 0
	}
	return n
}

func (r *reader) fixed() uint64 {
	if len(r.data) < 8 {
		r.fail("it ends early")
		return 0
	}
	n := binary.BigEndian.Uint64(r.data)
	r.data = r.data[8:]
	return n
}

// bytes are preceded by their number. They lie in the data.
func (r *reader) bytes(limit int) []byte {
	n := r.count(limit, 1)
	if r.err != nil {
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) text(limit int) string { return string(r.bytes(limit)) }

// end returns the first error; something behind the last field is one.
func (r *reader) end() error {
	if r.err == nil && len(r.data) > 0 {
		r.fail("%d bytes follow its end", len(r.data))
	}
	return r.err
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
