package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pattern is a way of writing that is stilted.
type pattern struct {
	name    string
	match   *regexp.Regexp
	stilted []string // Examples that match.
	plain   []string // Better versions, which no pattern matches.
}

// parsePatterns reads a list of patterns; prose.txt describes its form.
func parsePatterns(text string) (all []pattern, err error) {
	var next pattern
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		comment, isComment := strings.CutPrefix(line, "#")
		comment = strings.TrimSpace(comment)
		if example, ok := strings.CutPrefix(comment, "stilted: "); isComment && ok {
			next.stilted = append(next.stilted, example)
		} else if example, ok := strings.CutPrefix(comment, "plain: "); isComment && ok {
			next.plain = append(next.plain, example)
		}
		if line == "" || isComment {
			continue
		}
		name, expression, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("line %d: %q is not a name and a regular expression", n, line)
		}
		if next.match, err = regexp.Compile(strings.TrimSpace(expression)); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		next.name = name
		all = append(all, next)
		next = pattern{}
	}
	return all, lines.Err()
}

// hit is a stilted sentence.
type hit struct {
	sentence
	patterns []string // The names of those that match.
}

func (h hit) String() string {
	return fmt.Sprintf("%s:%d: %s [%s]", h.file, h.line, h.text, strings.Join(h.patterns, ", "))
}

// prose is what the patterns found.
type prose struct {
	sentences int
	hits      []hit
}

var inlineCode = regexp.MustCompile("`[^`]*`")

// add compares a sentence with the patterns.
func (p *prose) add(s sentence, patterns []pattern) {
	p.sentences++
	text := inlineCode.ReplaceAllString(s.text, "x")
	var names []string
	for _, pattern := range patterns {
		if !slices.Contains(names, pattern.name) && pattern.match.MatchString(text) {
			names = append(names, pattern.name)
		}
	}
	if len(names) > 0 {
		p.hits = append(p.hits, hit{s, names})
	}
}

// byPattern returns how many sentences each pattern matches.
func (p *prose) byPattern() map[string]int {
	counts := make(map[string]int)
	for _, h := range p.hits {
		for _, name := range h.patterns {
			counts[name]++
		}
	}
	return counts
}

// readProse compares the patterns with the sentences of all files below root: comments in Go
// files, tests included, and Markdown documents.
func readProse(root string, patterns []pattern) (*prose, error) {
	p := new(prose)
	err := walk(root, func(path string) error {
		read := sentencesIn[filepath.Ext(path)]
		if read == nil {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return err
		}
		sentences, err := read(path, string(text))
		for _, s := range sentences {
			p.add(s, patterns)
		}
		return err
	})
	return p, err
}

// sentencesIn has the reader for each kind of file.
var sentencesIn = map[string]func(name, text string) ([]sentence, error){
	".go": commentSentences,
	".md": markdownSentences,
}
