package main

import "strings"

// Run is run.
var Run = run

// Figures returns the figures of the packages below root, each as "package figure".
func Figures(root string) (map[string]int, error) {
	sources, err := load(root)
	if err != nil {
		return nil, err
	}
	var packages []*figures
	for _, s := range sources {
		packages = append(packages, measure(s))
	}
	named := make(map[string]int)
	for s, figure := range today(packages, 0) {
		named[s.String()] = figure
	}
	for _, p := range packages {
		named[p.name+" median"] = p.median()
		named[p.name+" references x10"] = int(10 * p.references)
		for _, t := range p.types {
			named[p.name+"."+t.name+" methods"] = t.methods
			named[p.name+"."+t.name+" files"] = t.files
			named[p.name+"."+t.name+" fields"] = t.fields
		}
	}
	return named, nil
}

// Pattern is a pattern with its examples.
type Pattern struct {
	Name           string
	Matches        func(string) bool
	Stilted, Plain []string
}

// Patterns reads a list of patterns.
func Patterns(text string) (all []Pattern, err error) {
	patterns, err := parsePatterns(text)
	for _, p := range patterns {
		all = append(all, Pattern{p.name, p.match.MatchString, p.stilted, p.plain})
	}
	return all, err
}

// Hits returns the stilted sentences below root, and the number of all.
func Hits(root, patterns string) (hits []string, sentences int, err error) {
	parsed, err := parsePatterns(patterns)
	if err != nil {
		return nil, 0, err
	}
	p, err := readProse(root, parsed)
	for _, h := range p.hits {
		hits = append(hits, h.String())
	}
	return hits, p.sentences, err
}

// Sentences returns the sentences of a Go file or a Markdown document, with the lines that they begin in.
func Sentences(name, text string) (all []string, err error) {
	read := sentencesIn[name[strings.LastIndex(name, "."):]]
	sentences, err := read(name, text)
	for _, s := range sentences {
		all = append(all, hit{sentence: s}.String())
	}
	return all, err
}

// CheckBounds returns an error if the text is no list of bounds.
func CheckBounds(text string) error {
	_, err := parseBounds(text)
	return err
}

// Tighten lowers the bounds to figures, each as "package figure bound".
func Tighten(text string, figures ...string) (string, error) {
	b, err := parseBounds(text)
	if err != nil {
		return "", err
	}
	today := make(bounds)
	for _, line := range figures {
		s, figure, err := parseBound(line)
		if err != nil {
			return "", err
		}
		today[s] = figure
	}
	return b.tighten(text, today), nil
}
