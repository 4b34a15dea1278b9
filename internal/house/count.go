package main

import "slices"

// figures are the figures of a package.
type figures struct {
	name       string
	files      []length // The longest first.
	lines      int
	circle     int
	references float64 // How many other files a file refers to on average.
	types      []width
	top        int // Exported identifiers at top level.
	exported   int // With methods.
}

// length is how long a file is.
type length struct {
	file  string
	lines int
}

func measure(s *source) *figures {
	g := references(s)
	f := &figures{name: s.name, circle: g.circle(), references: g.perFile(), types: widths(s)}
	f.top, f.exported = exported(s)
	for _, file := range s.files {
		n := s.fset.File(file.Package).LineCount()
		f.lines += n
		f.files = append(f.files, length{s.file(file.Package), n})
	}
	slices.SortStableFunc(f.files, func(a, b length) int { return b.lines - a.lines })
	return f
}

// median returns the length of the middle file, the longer one of two, or 0 if there is none.
func (f *figures) median() int {
	if len(f.files) == 0 {
		return 0
	}
	return f.files[(len(f.files)-1)/2].lines
}

// over returns how many files are longer than so many lines.
func (f *figures) over(lines int) (n int) {
	for _, file := range f.files {
		if file.lines > lines {
			n++
		}
	}
	return n
}

// widest returns the type with the most methods, or one without a name.
func (f *figures) widest() width {
	if len(f.types) == 0 {
		return width{}
	}
	return f.types[0]
}

// figure is a number that has a bound: more of it is worse.
type figure struct {
	name string
	of   func(*figures) int
}

// bounded are the figures with a bound for each package.
var bounded = []figure{
	{"files", func(f *figures) int { return len(f.files) }},
	{"lines", func(f *figures) int { return f.lines }},
	{"circle", func(f *figures) int { return f.circle }},
	{"methods", func(f *figures) int { return f.widest().methods }},
	{"top", func(f *figures) int { return f.top }},
	{"exported", func(f *figures) int { return f.exported }},
	{"over500", func(f *figures) int { return f.over(500) }},
	{"over800", func(f *figures) int { return f.over(800) }},
}
