package netio

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// DefaultLineSize is the length of the longest line where no other is set. Package strand
// has the same.
const DefaultLineSize = 64 << 10

// Lines is a codec whose messages are lines of text. A line ends with a newline, or a
// carriage return and a newline; neither is part of the message. The bytes before the end
// of the stream are a line as well, if there are any. A line that is sent gets a newline,
// and must not have one in it.
type Lines struct {
	// MaxSize is the length of the longest line, in bytes without its end. A longer
	// one is [ErrTooLong], both ways. Defaults to DefaultLineSize.
	MaxSize int
	// AnyBytes lets lines have any bytes. By default a line that is not UTF-8 is
	// [ErrUTF8], both ways.
	AnyBytes bool
}

var _ Codec[string, string] = Lines{}

// NewDecoder implements [Codec].
func (l Lines) NewDecoder() (Decoder[string], error) {
	limit, err := limited(l.MaxSize, DefaultLineSize)
	if err != nil {
		return nil, err
	}
	return &lineDecoder{limit: limit, anyBytes: l.AnyBytes}, nil
}

// Append implements [Codec].
func (l Lines) Append(dst []byte, line string) ([]byte, error) {
	limit, err := limited(l.MaxSize, DefaultLineSize)
	switch {
	case err != nil:
		return dst, err
	case len(line) > limit:
		return dst, tooLong("line", uint64(len(line)), limit)
	case strings.IndexByte(line, '\n') >= 0:
		return dst, fmt.Errorf("%w: a line with a newline in it; send it as two", ErrEncode)
	case strings.HasSuffix(line, "\r"):
		return dst, fmt.Errorf("%w: a line that ends with a carriage return, which would be taken for part of its end", ErrEncode)
	case !l.AnyBytes && !utf8.ValidString(line):
		return dst, fmt.Errorf("%w, in a line to be sent", ErrUTF8)
	}
	return append(append(dst, line...), '\n'), nil
}

type lineDecoder struct {
	limit    int
	anyBytes bool
	seen     int // So many bytes of the line have no newline among them.
}

func (d *lineDecoder) Decode(data []byte, final bool) (n int, line string, ok bool, err error) {
	end := bytes.IndexByte(data[d.seen:], '\n')
	switch {
	case end >= 0:
		end += d.seen
		n = end + 1
	case final && len(data) > 0:
		end, n = len(data), len(data)
	default:
		d.seen = len(data)
		if over := len(data) - 1; over > d.limit || over == d.limit && data[d.limit] != '\r' {
			err = tooLong("line", uint64(len(data)), d.limit)
		}
		return 0, "", false, err
	}
	d.seen = 0
	text := data[:end]
	if n > end { // A carriage return at the end of the stream is part of the line.
		text = bytes.TrimSuffix(text, []byte("\r"))
	}
	switch {
	case len(text) > d.limit:
		return 0, "", false, tooLong("line", uint64(len(text)), d.limit)
	case !d.anyBytes && !utf8.Valid(text):
		return 0, "", false, fmt.Errorf("%w, in a line", ErrUTF8)
	}
	return n, string(text), true, nil
}
