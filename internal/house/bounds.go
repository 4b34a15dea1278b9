package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// subject is what a figure is counted of: one of a package, or of the whole project.
type subject struct{ of, figure string }

func (s subject) String() string { return s.of + " " + s.figure }

const (
	anyPackage = "default" // Stands for each package without a bound of its own.
	project    = "project" // Stands for all packages together.
)

// bounds are the worst figures that are allowed.
type bounds map[subject]int

// parseBounds reads the form that bounds.txt describes.
func parseBounds(text string) (bounds, error) {
	b := make(bounds)
	for i, line := range strings.Split(text, "\n") {
		s, bound, err := parseBound(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if s == (subject{}) {
			continue
		}
		if _, twice := b[s]; twice {
			return nil, fmt.Errorf("line %d: a second bound for %s", i+1, s)
		}
		b[s] = bound
	}
	for s := range today(nil, 0) {
		if _, ok := b[s]; !ok {
			return nil, fmt.Errorf("no bound for %s", s)
		}
	}
	return b, nil
}

// parseBound reads a line. The subject of a comment or an empty line is zero.
func parseBound(line string) (s subject, bound int, err error) {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return subject{}, 0, nil
	}
	if len(words) != 3 {
		return subject{}, 0, fmt.Errorf("%q is not a package, a figure and a bound", line)
	}
	s = subject{words[0], words[1]}
	known := s == subject{project, "stilted"} || s.of != project && isBounded(s.figure)
	if !known {
		return subject{}, 0, fmt.Errorf("%s has no figure %q", s.of, s.figure)
	}
	bound, err = strconv.Atoi(words[2])
	if err != nil || bound < 0 {
		return subject{}, 0, errors.New(words[2] + " is not a number of 0 or more")
	}
	return s, bound, nil
}

func isBounded(name string) bool {
	return slices.ContainsFunc(bounded, func(f figure) bool { return f.name == name })
}

// today returns the figures that are compared with bounds. The figures of anyPackage are 0.
func today(packages []*figures, stilted int) bounds {
	b := bounds{{project, "stilted"}: stilted}
	for _, figure := range bounded {
		b[subject{anyPackage, figure.name}] = 0
		for _, p := range packages {
			b[subject{p.name, figure.name}] = figure.of(p)
		}
	}
	return b
}

// on returns the bound on a figure, and whether it is the default one.
func (b bounds) on(s subject) (bound int, isDefault bool) {
	if bound, ok := b[s]; ok {
		return bound, false
	}
	return b[subject{anyPackage, s.figure}], true
}

// excess is a figure that is worse than its bound.
type excess struct {
	subject
	figure, bound int
}

// exceeded returns the figures that are worse than their bounds.
func (b bounds) exceeded(figures bounds) (all []excess) {
	for s, figure := range figures {
		if bound, _ := b.on(s); figure > bound {
			all = append(all, excess{s, figure, bound})
		}
	}
	slices.SortFunc(all, func(a, b excess) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// tighten returns the text of the bounds with lower ones where today's figures are better. A
// bound that is no longer above the default, or whose package is gone, is left out; comments stay.
func (b bounds) tighten(text string, figures bounds) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		s, bound, err := parseBound(strings.TrimSuffix(line, "\n"))
		if err != nil || s == (subject{}) || s.of == anyPackage {
			out.WriteString(line)
			continue
		}
		figure, ok := figures[s]
		if !ok || s.of != project && figure <= b[subject{anyPackage, s.figure}] {
			continue
		}
		if figure < bound {
			line = replaceBound(line, bound, figure)
		}
		out.WriteString(line)
	}
	return out.String()
}

// replaceBound changes the number in a line.
func replaceBound(line string, bound, to int) string {
	old := strconv.Itoa(bound)
	rule, _, _ := strings.Cut(line, "#")
	at := strings.LastIndex(rule, old)
	return line[:at] + strconv.Itoa(to) + line[at+len(old):]
}
