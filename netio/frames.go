package netio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// DefaultSize is the size of the largest frame, and of the largest JSON value,
// where no other is set.
const DefaultSize = 1 << 20

// Prefix says how the length of a frame is written.
type Prefix uint8

// The prefixes. Fixed ones are big-endian, as is usual in networks, unless
// Frames.LittleEndian is set.
const (
	Uint32  Prefix = iota // Four bytes.
	Uint16                // Two bytes.
	Uint8                 // One byte.
	Uvarint               // One to ten bytes, as in encoding/binary and Protocol Buffers.
)

// String returns the prefix's name in lower case.
func (p Prefix) String() string {
	switch p {
	case Uint32:
		return "uint32"
	case Uint16:
		return "uint16"
	case Uint8:
		return "uint8"
	case Uvarint:
		return "uvarint"
	}
	return fmt.Sprintf("prefix %d", uint8(p))
}

// Frames is a codec whose messages are any bytes, each behind its length. The
// length does not count itself. A frame may be empty.
type Frames struct {
	// Prefix is how the length is written. Defaults to Uint32.
	Prefix Prefix
	// LittleEndian has fixed lengths begin with the lowest byte. Defaults to false.
	LittleEndian bool
	// MaxSize is the size of the largest frame, in bytes without its length. A larger
	// one is [ErrTooLong], both ways: one that comes as soon as its length is
	// known, before any memory is taken for it. Defaults to DefaultSize, or what the
	// length can tell if that is less.
	MaxSize int
}

var _ Codec[[]byte, []byte] = Frames{}

// NewDecoder implements [Codec].
func (f Frames) NewDecoder() (Decoder[[]byte], error) {
	limit, err := f.limit()
	if err != nil {
		return nil, err
	}
	return frameDecoder{f, limit}, nil
}

// Append implements [Codec].
func (f Frames) Append(dst, frame []byte) ([]byte, error) {
	limit, err := f.limit()
	if err != nil {
		return dst, err
	}
	if len(frame) > limit {
		return dst, tooLong("frame", uint64(len(frame)), limit)
	}
	return append(f.appendLength(dst, len(frame)), frame...), nil
}

func (f Frames) limit() (int, error) {
	if f.Prefix > Uvarint {
		return 0, fmt.Errorf("%w: there is no %v; Prefix is Uint32, Uint16, Uint8 or Uvarint", ErrConfig, f.Prefix)
	}
	limit, err := limited(f.MaxSize, DefaultSize)
	switch f.Prefix {
	case Uint8:
		limit = min(limit, math.MaxUint8)
	case Uint16:
		limit = min(limit, math.MaxUint16)
	case Uint32:
		limit = int(min(int64(limit), math.MaxUint32))
	case Uvarint: // It can tell any length.
	}
	return limit, err
}

func (f Frames) appendLength(dst []byte, n int) []byte {
	var order binary.AppendByteOrder = binary.BigEndian
	if f.LittleEndian {
		order = binary.LittleEndian
	}
	switch f.Prefix {
	case Uint8:
		return append(dst, byte(n))
	case Uint16:
		return order.AppendUint16(dst, uint16(n))
	case Uint32:
		return order.AppendUint32(dst, uint32(n))
	default:
		return binary.AppendUvarint(dst, uint64(n))
	}
}

// length reads the length of a frame, and returns by how many bytes it is written:
// 0 if they have not all come.
func (f Frames) length(data []byte) (length uint64, width int, err error) {
	var order binary.ByteOrder = binary.BigEndian
	if f.LittleEndian {
		order = binary.LittleEndian
	}
	switch {
	case f.Prefix == Uvarint:
		length, width = binary.Uvarint(data)
		if width < 0 {
			return 0, 0, fmt.Errorf("%w: its length is no uvarint of 64 bits", ErrFrame)
		}
		return length, width, nil
	case f.Prefix == Uint8 && len(data) >= 1:
		return uint64(data[0]), 1, nil
	case f.Prefix == Uint16 && len(data) >= 2:
		return uint64(order.Uint16(data)), 2, nil
	case f.Prefix == Uint32 && len(data) >= 4:
		return uint64(order.Uint32(data)), 4, nil
	}
	return 0, 0, nil
}

type frameDecoder struct {
	Frames
	limit int
}

func (d frameDecoder) Decode(data []byte, _ bool) (n int, frame []byte, ok bool, err error) {
	length, width, err := d.length(data)
	switch {
	case err != nil || width == 0:
		return 0, nil, false, err
	case length > uint64(d.limit):
		return 0, nil, false, tooLong("frame", length, d.limit)
	case len(data)-width < int(length):
		return 0, nil, false, nil
	}
	n = width + int(length)
	return n, bytes.Clone(data[width:n]), true, nil
}
