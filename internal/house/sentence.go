package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// sentence is a sentence of a comment or a document.
type sentence struct {
	file string
	line int // Where it begins.
	text string
}

// paragraph collects the lines of a paragraph.
type paragraph struct {
	text  strings.Builder
	begin []int // For each line, where it begins in text.
	lines []int // For each line, its number.
}

func (p *paragraph) add(line int, text string) {
	if p.text.Len() > 0 {
		p.text.WriteByte(' ')
	}
	p.begin = append(p.begin, p.text.Len())
	p.lines = append(p.lines, line)
	p.text.WriteString(strings.Join(strings.Fields(text), " "))
}

// lineAt returns the number of the line that holds the byte at offset of the text.
func (p *paragraph) lineAt(offset int) int {
	line := 0
	for i, begin := range p.begin {
		if begin <= offset {
			line = p.lines[i]
		}
	}
	return line
}

// sentenceEnd is the end of a sentence: what follows begins with a capital letter, or so.
var sentenceEnd = regexp.MustCompile("[.!?][)\"'”]* +[(\"'“`*_\\[]*[A-Z0-9]")

// abbreviations end with a full stop that is no sentence's end.
var abbreviations = []string{"e.g.", "i.e.", "etc.", "cf.", "vs.", "No."}

// sentences splits the paragraph and empties it.
func (p *paragraph) sentences(file string) (all []sentence) {
	text := p.text.String()
	from := 0
	cut := func(to int) {
		if part := strings.TrimSpace(text[from:to]); strings.Contains(part, " ") {
			all = append(all, sentence{file, p.lineAt(from), part})
		}
		from = to
	}
	for _, at := range sentenceEnd.FindAllStringIndex(text, -1) {
		space := at[0] + strings.IndexByte(text[at[0]:at[1]], ' ')
		if !endsWithAbbreviation(text[:space]) {
			cut(space + 1)
		}
	}
	cut(len(text))
	*p = paragraph{}
	return all
}

func endsWithAbbreviation(s string) bool {
	for _, a := range abbreviations {
		if strings.HasSuffix(s, a) {
			return true
		}
	}
	return false
}

// commentSentences returns the sentences of the comments of a Go file. Code in comments, which
// is indented, and directives are left out.
func commentSentences(name, text string) ([]sentence, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []sentence
	for _, group := range file.Comments {
		c := comment{file: name}
		for _, part := range group.List {
			first := fset.Position(part.Pos()).Line
			for i, line := range commentLines(part) {
				c.add(first+i, line)
			}
		}
		all = append(all, c.end()...)
	}
	return all, nil
}

// comment collects the sentences of a comment.
type comment struct {
	file   string
	all    []sentence
	now    paragraph
	inItem bool // now is an item of a list, whose lines are indented.
}

func (c *comment) add(line int, text string) {
	item := listItem.FindString(text)
	code := strings.HasPrefix(text, "\t") || item == "" && !c.inItem && strings.HasPrefix(text, "    ")
	if item != "" || code || strings.TrimSpace(text) == "" {
		c.end()
		c.inItem = item != ""
	}
	if !code {
		c.now.add(line, strings.TrimPrefix(text, item))
	}
}

// end ends the paragraph and returns all sentences so far.
func (c *comment) end() []sentence {
	c.all = append(c.all, c.now.sentences(c.file)...)
	return c.all
}

// commentLines returns the lines of a comment without its marks. A directive has none.
func commentLines(c *ast.Comment) []string {
	if block, ok := strings.CutPrefix(c.Text, "/*"); ok {
		return strings.Split(strings.TrimSuffix(block, "*/"), "\n")
	}
	line := strings.TrimPrefix(c.Text, "//")
	if directive.MatchString(line) {
		return nil
	}
	return []string{strings.TrimPrefix(line, " ")}
}

// directive is a comment for a tool, such as go:build or nolint:errcheck.
var directive = regexp.MustCompile(`^(line |export |[a-z0-9]+:[a-z0-9])`)

// listItem begins an item of a list.
var listItem = regexp.MustCompile(`^\s*([-*+]|\d+\.) +`)
