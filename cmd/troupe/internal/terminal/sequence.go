package terminal

import "github.com/charmbracelet/x/ansi"

// control follows a control character.
func (s *Screen) control(b byte) {
	const tab = 8
	switch b {
	case '\b':
		s.moveTo(s.at.row, s.at.col-1)
	case '\t':
		s.moveTo(s.at.row, (s.at.col/tab+1)*tab)
	case '\n', '\v', '\f':
		s.at.wrap = false
		s.feed()
	case '\r':
		s.at.col, s.at.wrap = 0, false
	}
}

// escape follows a sequence of an escape and a character.
func (s *Screen) escape(cmd ansi.Cmd) {
	if cmd.Intermediate() != 0 {
		return // Choices of character sets.
	}
	switch cmd.Final() {
	case '7':
		s.saved = s.at
	case '8':
		s.at = s.saved
	case 'D':
		s.control('\n')
	case 'E':
		s.control('\r')
		s.control('\n')
	case 'M':
		s.reverse()
	case 'c':
		s.reset()
	case '\\': // The end of a string.
	default:
		s.unknown++
	}
}

// reverse goes up a line, and scrolls at the beginning of the region.
func (s *Screen) reverse() {
	s.at.wrap = false
	if s.at.row == s.top {
		s.scroll(s.top, -1)
		return
	}
	s.at.row = max(s.at.row-1, 0)
}

func (s *Screen) moveTo(row, col int) {
	s.at.row, s.at.col, s.at.wrap = min(max(row, 0), s.rows-1), min(max(col, 0), s.cols-1), false
}

// sequence follows a control sequence.
func (s *Screen) sequence(cmd ansi.Cmd, params ansi.Params) {
	if cmd.Prefix() != 0 || cmd.Intermediate() != 0 {
		return // Modes, such as whether the cursor is seen.
	}
	n := max(number(params, 0, 1), 1)
	row, col := s.at.row, s.at.col
	switch cmd.Final() {
	case 'A':
		s.moveTo(row-n, col)
	case 'B', 'e':
		s.moveTo(row+n, col)
	case 'C', 'a':
		s.moveTo(row, col+n)
	case 'D':
		s.moveTo(row, col-n)
	case 'E':
		s.moveTo(row+n, 0)
	case 'F':
		s.moveTo(row-n, 0)
	case 'G', '`':
		s.moveTo(row, n-1)
	case 'H', 'f':
		s.moveTo(n-1, max(number(params, 1, 1), 1)-1)
	case 'd':
		s.moveTo(n-1, col)
	case 'm':
		s.at.style.restyle(params)
	case 'r':
		s.region(n-1, max(number(params, 1, s.rows), 1)-1)
	case 's':
		s.saved = s.at
	case 'u':
		s.at = s.saved
	default:
		s.edit(cmd.Final(), n, number(params, 0, 0))
	}
}

// region sets which lines scroll; one that makes no sense is passed over.
func (s *Screen) region(top, bottom int) {
	bottom = min(bottom, s.rows-1)
	if top < bottom {
		s.top, s.bottom = top, bottom
		s.moveTo(0, 0)
	}
}

// edit follows the sequences that erase, insert and delete.
func (s *Screen) edit(final byte, n, which int) {
	line := s.lines[s.at.row][s.at.col:]
	part := min(n, len(line))
	within := s.at.row >= s.top && s.at.row <= s.bottom
	switch final {
	case 'J':
		s.eraseScreen(which)
	case 'K':
		s.eraseLine(which)
	case 'X':
		s.clear(line[:part])
	case '@':
		copy(line[part:], line)
		s.clear(line[:part])
	case 'P':
		copy(line, line[part:])
		s.clear(line[len(line)-part:])
	case 'L':
		if within {
			s.scroll(s.at.row, -n)
		}
	case 'M':
		if within {
			s.scroll(s.at.row, n)
		}
	case 'S':
		s.scroll(s.top, n)
	case 'T':
		s.scroll(s.top, -n)
	case 'h', 'l', 'n', 'c', 'g', 't': // Modes, questions, tabs, windows.
	default:
		s.unknown++
	}
}

// Which part ED and EL erase.
const (
	after = iota
	before
	all
)

func (s *Screen) eraseLine(which int) {
	line := s.lines[s.at.row]
	switch which {
	case after:
		s.clear(line[s.at.col:])
	case before:
		s.clear(line[:s.at.col+1])
	case all:
		s.clear(line)
	}
}

func (s *Screen) eraseScreen(which int) {
	s.eraseLine(which)
	for row, line := range s.lines {
		if which == all || which == after && row > s.at.row || which == before && row < s.at.row {
			s.clear(line)
		}
	}
}
