package netio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// JSON is a codec whose messages are JSON values, by encoding/json. The input may have
// white space between the values, or nothing where they end by themselves, as objects do.
// The output has one value to a line.
type JSON[In, Out any] struct {
	// MaxSize is the size of the largest value, in bytes. A larger one is
	// [ErrTooLong], both ways. Defaults to DefaultSize.
	MaxSize int
	// Strict refuses objects with fields that In does not have. Defaults to false.
	Strict bool
}

// NewDecoder implements [Codec].
func (j JSON[In, Out]) NewDecoder() (Decoder[In], error) {
	limit, err := limited(j.MaxSize, DefaultSize)
	if err != nil {
		return nil, err
	}
	return &jsonDecoder[In]{limit: limit, strict: j.Strict}, nil
}

// Append implements [Codec].
func (j JSON[In, Out]) Append(dst []byte, v Out) ([]byte, error) {
	limit, err := limited(j.MaxSize, DefaultSize)
	if err != nil {
		return dst, err
	}
	text, err := json.Marshal(v)
	switch {
	case err != nil:
		return dst, fmt.Errorf("%w: %w", ErrEncode, err)
	case len(text) > limit:
		return dst, tooLong("JSON value", uint64(len(text)), limit)
	}
	return append(append(dst, text...), '\n'), nil
}

type jsonDecoder[In any] struct {
	limit  int
	strict bool
	scan   jsonScan
}

func (d *jsonDecoder[In]) Decode(data []byte, final bool) (n int, m In, ok bool, err error) {
	if d.scan.at == 0 {
		n = len(data) - len(bytes.TrimLeft(data, jsonSpace))
	}
	text := data[n:]
	end := d.scan.end(text, d.limit, final)
	switch {
	case end > d.limit || end < 0 && d.scan.at > d.limit:
		return n, m, false, tooLong("JSON value", uint64(max(end, d.scan.at)), d.limit)
	case end < 0:
		return n, m, false, nil
	}
	d.scan = jsonScan{}
	if err := d.unmarshal(text[:end], &m); err != nil {
		return n, m, false, err
	}
	return n + end, m, true, nil
}

func (d *jsonDecoder[In]) unmarshal(text []byte, m *In) error {
	if !utf8.Valid(text) { // encoding/json would put U+FFFD in its place.
		return fmt.Errorf("%w, in a JSON value", ErrUTF8)
	}
	err := json.Unmarshal(text, m)
	if err == nil && d.strict { // A Decoder alone would read the 0 of 000.
		var fresh In
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		err = dec.Decode(&fresh)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	return nil
}

const jsonSpace = " \t\r\n"

// jsonScan finds the end of a value, and goes on where it was when more has come,
// so that each byte is looked at once however small the pieces are. It counts
// brackets and knows strings; whether the value is one is for encoding/json to
// say.
type jsonScan struct {
	at       int // So many bytes were looked at.
	depth    int
	inString bool
	escaped  bool
}

// end returns the length of the value at the begin of text, or -1 if it has not all
// come. It looks no further than one byte behind the limit.
func (s *jsonScan) end(text []byte, limit int, final bool) int {
	for s.at < len(text) && s.at <= limit {
		b := text[s.at]
		if s.scalarEnds(b) {
			return s.at
		}
		s.at++
		if s.step(b) {
			return s.at
		}
	}
	if final && s.at > 0 && s.at == len(text) && s.depth == 0 && !s.inString {
		return len(text)
	}
	return -1
}

// scalarEnds reports whether b, outside of brackets and strings, ends the number or
// word before it.
func (s *jsonScan) scalarEnds(b byte) bool {
	if s.at == 0 || s.depth > 0 || s.inString {
		return false
	}
	return bytes.IndexByte([]byte(jsonSpace+`{["]},:`), b) >= 0
}

// step takes b to the value, and reports whether that is its last byte.
func (s *jsonScan) step(b byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.inString:
		s.escaped = b == '\\'
		if b == '"' {
			s.inString = false
			return s.depth == 0
		}
	case b == '"':
		s.inString = true
	case b == '{' || b == '[':
		s.depth++
	case b == '}' || b == ']':
		s.depth--
		return s.depth <= 0
	case s.depth == 0 && (b == ',' || b == ':'):
		return true // It is no value.
	}
	return false
}
