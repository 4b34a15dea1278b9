package word

import (
	"unicode"
	"unicode/utf8"
)

type class uint8

const (
	separator class = 0
	letter    class = 1 << iota
	digit
	wide // The first byte of a longer encoding, or no UTF-8 at all.
)

var classes = func() (t [256]class) {
	for b := range t {
		switch {
		case b == '_', 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z':
			t[b] = letter
		case '0' <= b && b <= '9':
			t[b] = digit
		case b >= utf8.RuneSelf:
			t[b] = wide
		}
	}
	return t
}()

// A Scanner finds the words of a text. It stops at any byte it is told to and goes on from there, even within a word.
// The zero Scanner scans an empty text.
type Scanner struct {
	text  []byte
	pos   int   // Everything before it has been looked at.
	start int   // Where the open run starts, if there is one.
	run   class // The class that the open run starts with: letter or digit; separator when no run is open.
}

// NewScanner returns a Scanner at the start of text, which must not change while it is scanned.
func NewScanner(text []byte) Scanner {
	return Scanner{text: text}
}

// Done reports whether the whole text has been scanned.
func (s *Scanner) Done() bool {
	return s.pos >= len(s.text) && s.run == separator
}

// Pos returns how many bytes have been scanned.
func (s *Scanner) Pos() int {
	return s.pos
}

// Next returns the next word that ends before the scanner reaches limit, as a part of the text. It returns nil once
// it has reached limit or the end of the text; a word that is open then is returned whole by a later call with a
// higher limit.
func (s *Scanner) Next(limit int) []byte {
	text := s.text
	limit = min(limit, len(text))
	for {
		if s.run == separator && !s.open(limit) {
			return nil
		}
		pos := s.pos
		for pos < limit && classes[text[pos]]&(letter|digit) != 0 {
			pos++
		}
		s.pos = pos
		if pos < limit && classes[text[pos]] == wide {
			if c, size := decode(text[pos:]); c != separator {
				s.pos += size
				continue
			}
		}
		if pos >= limit && pos < len(text) {
			return nil
		}
		run := s.run
		s.run = separator
		if run == letter {
			return text[s.start:pos]
		}
	}
}

// open skips separators, opens the run behind them and reports whether there is one before limit.
func (s *Scanner) open(limit int) bool {
	text, pos := s.text, s.pos
	for {
		for pos < limit && classes[text[pos]] == separator {
			pos++
		}
		if pos >= limit {
			s.pos = pos
			return false
		}
		c, size := classes[text[pos]], 1
		if c == wide {
			c, size = decode(text[pos:])
		}
		if c != separator {
			s.start, s.pos, s.run = pos, pos+size, c
			return true
		}
		pos += size
	}
}

func decode(text []byte) (class, int) {
	r, size := utf8.DecodeRune(text)
	switch {
	case unicode.IsLetter(r):
		return letter, size
	case unicode.IsDigit(r):
		return digit, size
	}
	return separator, size
}
