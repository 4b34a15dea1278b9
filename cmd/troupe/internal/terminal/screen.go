package terminal

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
	"github.com/clipperhouse/displaywidth"
)

// cell is one place of a screen. The second place of a wide character has the
// rune 0.
type cell struct {
	r rune
	style
}

// blank is what nothing was written to.
var blank = cell{r: ' '}

// cursor is where, and in which style, the next character is written.
type cursor struct {
	row, col int
	wrap     bool // The last column was written: the next character begins a new line.
	style    style
}

// Screen is what a terminal shows: a grid of characters with their styles, which
// follows the escape sequences in what is written to it, as far as VT100 and
// ECMA-48 go and full-screen programs commonly use them. Combining characters are
// left out. It must be used by one goroutine at a time.
type Screen struct {
	rows, cols  int
	lines       [][]cell
	at, saved   cursor
	top, bottom int // Of the region that scrolls; bottom is the last line of it.
	unknown     int
	empty       []cell // A blank line.
	parser      *ansi.Parser
}

// NewScreen returns an empty screen of at least 1 by 2 places.
func NewScreen(rows, cols int) *Screen {
	s := &Screen{rows: max(rows, 1), cols: max(cols, 2), parser: ansi.NewParser()}
	s.parser.SetDataSize(1024) // Of titles and the like, which are not shown.
	s.parser.SetHandler(ansi.Handler{Print: s.print, Execute: s.control, HandleCsi: s.sequence, HandleEsc: s.escape})
	s.reset()
	return s
}

func (s *Screen) reset() {
	s.empty = slices.Repeat([]cell{blank}, s.cols)
	s.lines = make([][]cell, s.rows)
	for i := range s.lines {
		s.lines[i] = slices.Clone(s.empty)
	}
	s.at, s.saved = cursor{}, cursor{}
	s.top, s.bottom = 0, s.rows-1
}

// Write follows a piece of output, which may begin and end anywhere, also within
// a sequence or a character. It never fails.
//
// Most output is plain text without sequences. It skips the parser, line by line,
// which makes logs four times as fast.
func (s *Screen) Write(p []byte) (int, error) {
	for i := 0; i < len(p); {
		if s.parser.State() != parser.GroundState || p[i] == ansi.ESC || p[i] >= ansi.DEL {
			s.parser.Advance(p[i])
			i++
			continue
		}
		if p[i] < ' ' {
			s.control(p[i])
			i++
			continue
		}
		n := i + 1
		for n < len(p) && p[n] >= ' ' && p[n] < ansi.DEL {
			n++
		}
		s.text(p[i:n])
		i = n
	}
	return len(p), nil
}

// text writes printable ASCII.
func (s *Screen) text(p []byte) {
	for len(p) > 0 {
		s.wrapAround()
		line := s.lines[s.at.row]
		if s.at.col > 0 && line[s.at.col].r == 0 {
			line[s.at.col-1] = blank
		}
		line = line[s.at.col:]
		n := min(len(p), len(line))
		if n < len(line) && line[n].r == 0 {
			line[n] = blank
		}
		for i, b := range p[:n] {
			line[i] = cell{rune(b), s.at.style}
		}
		p = p[n:]
		s.advance(n)
	}
}

// print writes one character of any width.
func (s *Screen) print(r rune) {
	width := displaywidth.Rune(r)
	if width == 0 {
		return
	}
	if width > 1 && s.at.col == s.cols-1 {
		s.at.wrap = true
	}
	s.text([]byte("  ")[:width])
	s.mark(r, width)
}

// mark puts a character where spaces were written for it.
func (s *Screen) mark(r rune, width int) {
	col := s.at.col - width
	if s.at.wrap {
		col++
	}
	s.lines[s.at.row][col].r = r
	if width > 1 {
		s.lines[s.at.row][col+1].r = 0
	}
}

func (s *Screen) wrapAround() {
	if s.at.wrap {
		s.at.col, s.at.wrap = 0, false
		s.feed()
	}
}

// advance moves the cursor past n places. The last one may be the last of the line.
func (s *Screen) advance(n int) {
	s.at.col += n
	if s.at.col == s.cols {
		s.at.col, s.at.wrap = s.cols-1, true
	}
}

// feed goes to the next line, and scrolls at the end of the region.
func (s *Screen) feed() {
	switch s.at.row {
	case s.bottom:
		s.scroll(s.top, 1)
	case s.rows - 1:
	default:
		s.at.row++
	}
}

// scroll moves the lines from a row to the end of the region up by n, or down if
// n is negative. The lines that come are blank.
func (s *Screen) scroll(from, n int) {
	part := s.lines[from : s.bottom+1]
	n = min(max(n, -len(part)), len(part))
	for range n {
		first := part[0]
		copy(part, part[1:])
		part[len(part)-1] = first
		s.clear(first)
	}
	for range -n {
		last := part[len(part)-1]
		copy(part[1:], part)
		part[0] = last
		s.clear(last)
	}
}

// clear blanks places, which keep the background that is set.
func (s *Screen) clear(cells []cell) {
	if s.at.style.back == 0 {
		copy(cells, s.empty)
		return
	}
	b := cell{r: ' ', style: style{back: s.at.style.back}}
	for i := range cells {
		cells[i] = b
	}
}

// At returns the character at a place that the screen has.
func (s *Screen) At(row, col int) rune { return s.lines[row][col].r }

// Equal reports whether two screens show the same, with the same styles, and
// would go on in the same way.
func (s *Screen) Equal(other *Screen) bool {
	return s.rows == other.rows && s.cols == other.cols && s.at == other.at && s.saved == other.saved &&
		s.top == other.top && s.bottom == other.bottom && s.unknown == other.unknown &&
		s.parser.State() == other.parser.State() &&
		slices.EqualFunc(s.lines, other.lines, slices.Equal[[]cell])
}

// String returns the text on the screen, a line for each row.
func (s *Screen) String() string {
	var text strings.Builder
	for _, line := range s.lines {
		for _, c := range line {
			if c.r != 0 {
				text.WriteRune(c.r)
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}
