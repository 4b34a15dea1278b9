package troupe_test

import (
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// block is a fenced block of Go code in a Markdown file.
type block struct {
	file string // Slash-separated, relative to the module.
	line int    // Of the first line of code.
	code string
	// source names the file that the code is shown from, and after a # its region; "" if it is the page's own.
	source string
}

// link is a link in a Markdown file, outside of code.
type link struct {
	file   string
	line   int
	target string
}

var (
	sourceNote = regexp.MustCompile(`^<!-- code: (\S+) -->$`)
	fence      = regexp.MustCompile("^\\s*(`{3,}|~{3,})\\s*(\\S*)")
	codeSpan   = regexp.MustCompile("`[^`]*`")
	inlineLink = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)`)
	linkTarget = regexp.MustCompile(`^\s{0,3}\[[^\]]+\]:\s*<?([^\s>]+)`)
)

// parseMarkdown finds the Go blocks and the links of one file.
func parseMarkdown(file, text string) (blocks []block, links []link) {
	var open, language, source string
	for i, line := range strings.Split(text, "\n") {
		mark := fence.FindStringSubmatch(line)
		switch {
		case open == "" && mark != nil:
			open, language = mark[1], mark[2]
			if language == "go" {
				blocks = append(blocks, block{file: file, line: i + 2, source: source})
			}
			source = ""
		case open == "":
			if note := sourceNote.FindStringSubmatch(line); note != nil {
				source = note[1]
			} else if line != "" {
				source = ""
			}
			line = codeSpan.ReplaceAllString(line, "")
			for _, found := range inlineLink.FindAllStringSubmatch(line, -1) {
				links = append(links, link{file, i + 1, found[1]})
			}
			if found := linkTarget.FindStringSubmatch(line); found != nil {
				links = append(links, link{file, i + 1, found[1]})
			}
		case mark != nil && strings.HasPrefix(mark[1], open) && mark[2] == "":
			open = ""
		case language == "go":
			blocks[len(blocks)-1].code += line + "\n"
		}
	}
	return blocks, links
}

// parseTree parses every Markdown file below fsys, hidden folders and test data excepted.
func parseTree(fsys fs.FS) (blocks []block, links []link, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if entry.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "testdata") {
			return fs.SkipDir
		}
		if entry.IsDir() || path.Ext(name) != ".md" {
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		b, l := parseMarkdown(name, string(text))
		blocks, links = append(blocks, b...), append(links, l...)
		return nil
	})
	return blocks, links, err
}

// resolves reports whether a link leads to a file or folder of fsys. Links to other places and within
// a page are taken on trust.
func resolves(fsys fs.FS, l link) bool {
	u, err := url.Parse(l.target)
	if err != nil {
		return false
	}
	if u.Scheme != "" || u.Host != "" || u.Path == "" {
		return true
	}
	name := path.Join(path.Dir(l.file), u.Path)
	if strings.HasPrefix(u.Path, "/") {
		name = path.Clean(u.Path[1:])
	}
	_, err = fs.Stat(fsys, name)
	return err == nil
}
