package cbor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/troupe-go/troupe/wire"
)

var errShort = errors.New("the data ends early")

// endless is the number of items in a container whose end is marked.
const endless = -1

// The major types of RFC 8949, section 3.1, that are more than a number.
const (
	byteString = 2
	textString = 3
	array      = 4
	pairs      = 5
	tag        = 6
	simple     = 7
)

// measure counts the items of the first data item, itself included. It goes over the heads of items without recursion, and
// holds a number for each container that is open.
func measure(data []byte, limits wire.Limits) (items int, err error) {
	var open []int // How many items the containers around still need.
	for {
		major, n, rest, err := head(data)
		if err != nil {
			return items, err
		}
		data = rest
		items++
		if major == simple && n == endless {
			if len(open) == 0 || open[len(open)-1] != endless {
				return items, errors.New("a mark ends nothing")
			}
			open = open[:len(open)-1]
		} else {
			if last := len(open) - 1; last >= 0 && open[last] > 0 {
				open[last]--
			}
			var inside int
			if inside, data, err = enter(major, n, data); err != nil {
				return items, err
			}
			if inside != 0 {
				open = append(open, inside)
			}
		}
		if err := limits.Check(items, len(open)); err != nil {
			return items, err
		}
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return items, nil
		}
	}
}

// enter returns how many items are inside of one, and the data behind its head, or behind its string.
func enter(major byte, n int, data []byte) (inside int, rest []byte, err error) {
	switch major {
	case byteString, textString:
		switch {
		case n == endless:
			return endless, data, nil
		case n > len(data):
			return 0, nil, errShort
		case major == textString && !utf8.Valid(data[:n]):
			return 0, nil, errors.New("a string is not UTF-8; use []byte")
		}
		return 0, data[n:], nil
	case array, pairs:
		if n > len(data) {
			return 0, nil, errShort
		}
		if major == pairs && n != endless {
			n *= 2
		}
		return n, data, nil
	case tag:
		return 1, data, nil
	}
	return 0, data, nil
}

// head reads the head of an item: its major type and number, or endless. A number that is more than the data could have
// items is not exact.
func head(data []byte) (major byte, n int, rest []byte, err error) {
	if len(data) == 0 {
		return 0, 0, nil, errShort
	}
	major, info := data[0]>>5, data[0]&31
	data = data[1:]
	switch {
	case info < 24:
		return major, int(info), data, nil
	case info == 31:
		if major < byteString || major == tag {
			return 0, 0, nil, fmt.Errorf("an item of type %d has no length", major)
		}
		return major, endless, data, nil
	case info > 27:
		return 0, 0, nil, fmt.Errorf("the length %d is not defined", info)
	}
	size := 1 << (info - 24)
	if len(data) < size {
		return 0, 0, nil, errShort
	}
	var number [8]byte
	copy(number[8-size:], data[:size])
	const most = 1 << 30 // More than any data has bytes, and twice of it fits into an int.
	return major, int(min(binary.BigEndian.Uint64(number[:]), most-1)), data[size:], nil
}
