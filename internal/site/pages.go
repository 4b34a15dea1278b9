package main

import (
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
)

const (
	module = "github.com/troupe-go/troupe"
	source = "https://" + module + "/tree/main/"
)

// site is the documentation of a repository.
type site struct {
	repository fs.FS
	packages   map[string]string // The page of a package, by its folder.
}

var (
	inline = regexp.MustCompile(`(\]\()([^)\s]+)(\))`)
	fenced = regexp.MustCompile("^\\s*(```|~~~)")
)

// collect reads the Markdown files and pictures, hidden folders and test data excepted. Links to what is no page lead to the source.
func (s *site) collect() (files map[string][]byte, err error) {
	files = map[string][]byte{}
	err = fs.WalkDir(s.repository, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		picture := strings.HasPrefix(name, "docs/") && (path.Ext(name) == ".png" || path.Ext(name) == ".svg")
		if path.Ext(name) != ".md" && !picture {
			return nil
		}
		text, err := fs.ReadFile(s.repository, name)
		if err != nil {
			return err
		}
		if !picture {
			text = []byte(s.page(name, string(text)))
		}
		files[name] = text
		return nil
	})
	return files, err
}

// page turns the links of one page. MkDocs turns those between Markdown files itself.
func (s *site) page(name, text string) string {
	var b strings.Builder
	code, previous := false, ""
	for line := range strings.Lines(text) {
		if fenced.MatchString(line) {
			code = !code
		}
		if !code {
			// Markdown of MkDocs wants an empty line before a list.
			if item(line) && strings.TrimSpace(previous) != "" && !item(previous) && !strings.HasPrefix(previous, " ") {
				b.WriteString("\n")
			}
			line = inline.ReplaceAllStringFunc(line, func(found string) string {
				m := inline.FindStringSubmatch(found)
				return m[1] + s.target(name, m[2]) + m[3]
			})
		}
		b.WriteString(line)
		previous = line
	}
	return b.String()
}

func item(line string) bool { return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "1. ") }

// target is where a link of a page leads in the site.
func (s *site) target(from, link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" {
		return link
	}
	to := path.Join(path.Dir(from), u.Path)
	switch ext := path.Ext(to); {
	case ext == ".md", ext == ".png", ext == ".svg":
		return link
	case s.packages[to] != "":
		return strings.Repeat("../", strings.Count(from, "/")) + s.packages[to]
	}
	if _, err := fs.Stat(s.repository, path.Join(to, "README.md")); err == nil {
		return strings.Repeat("../", strings.Count(from, "/")) + path.Join(to, "README.md")
	}
	return source + to
}
