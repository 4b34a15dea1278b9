package terminal

import "github.com/charmbracelet/x/ansi"

// colour is 0 for the default, 1 to 256 for one of the palette, and from direct
// on red, green and blue.
type colour uint32

const direct colour = 1 << 24

// attributes is a set of bold, faint and so on, by the number that sets each.
type attributes uint16

// style is how a character looks.
type style struct {
	fore, back colour
	attributes
}

// restyle follows a sequence that selects graphic renditions.
func (s *style) restyle(params ansi.Params) {
	if len(params) == 0 {
		*s = style{}
	}
	for i := 0; i < len(params); i++ {
		switch n := number(params, i, 0); {
		case n == 0:
			*s = style{}
		case n < 10:
			s.attributes |= 1 << n
		case n == 22: // Neither bold nor faint.
			s.attributes &^= 1<<1 | 1<<2
		case n > 22 && n < 30:
			s.attributes &^= 1 << (n - 20)
		case n >= 30 && n < 38:
			s.fore = colour(n - 30 + 1)
		case n == 38:
			s.fore, i = extended(params, i, s.fore)
		case n == 39:
			s.fore = 0
		case n >= 40 && n < 48:
			s.back = colour(n - 40 + 1)
		case n == 48:
			s.back, i = extended(params, i, s.back)
		case n == 49:
			s.back = 0
		case n >= 90 && n < 98:
			s.fore = colour(n - 90 + 8 + 1)
		case n >= 100 && n < 108:
			s.back = colour(n - 100 + 8 + 1)
		}
	}
}

// extended reads a colour after 38 or 48, and returns where it ends. One that is
// cut short leaves the old colour.
func extended(params ansi.Params, i int, old colour) (colour, int) {
	const palette, rgb = 5, 2
	switch number(params, i+1, 0) {
	case palette:
		if i+2 < len(params) {
			return colour(number(params, i+2, 0)&0xff) + 1, i + 2
		}
	case rgb:
		if i+4 < len(params) {
			c := direct
			for k := range 3 {
				c |= colour(number(params, i+2+k, 0)&0xff) << (16 - 8*k)
			}
			return c, i + 4
		}
	}
	return old, len(params)
}

// number returns a parameter, or what is meant where it is left out. A number is
// at most 9,999: no screen is larger, and sums of it don't overflow.
func number(params ansi.Params, i, otherwise int) int {
	const most = 9999
	n, _, _ := params.Param(i, otherwise)
	if n < 0 {
		return most // It was too long for the parser.
	}
	return min(n, most)
}
