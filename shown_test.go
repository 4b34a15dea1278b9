package troupe_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// A comment before a Go block of a Markdown file says where the code is shown from:
//
//	<!-- code: examples/guide/desk/risk.go -->
//	<!-- code: examples/guide/lanes_test.go#sliding -->
//
// The first shows a file from its package clause on. The second shows a region: the lines between
// //guide:begin sliding and //guide:end sliding, without the indentation that they share.

// shown returns what a source note stands for.
func shown(fsys fs.FS, source string) (string, error) {
	name, region, _ := strings.Cut(source, "#")
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return "", err
	}
	code := string(text)
	if region == "" {
		at := strings.Index("\n"+code, "\npackage ")
		if at < 0 {
			return "", fmt.Errorf("%s has no package clause", name)
		}
		return code[at:], nil
	}
	var lines []string
	inside, begun := false, false
	for line := range strings.Lines(code) {
		switch strings.TrimSpace(line) {
		case "//guide:begin " + region:
			inside, begun = true, true
		case "//guide:end " + region:
			inside = false
		default:
			if inside && !strings.HasPrefix(strings.TrimSpace(line), "//guide:") {
				lines = append(lines, line)
			}
		}
	}
	if !begun {
		return "", fmt.Errorf("%s has no line //guide:begin %s", name, region)
	}
	if inside {
		return "", fmt.Errorf("%s has no line //guide:end %s", name, region)
	}
	return strings.Trim(strings.Join(dedent(lines), ""), "\n") + "\n", nil
}

// dedent removes the tabs with which all lines begin.
func dedent(lines []string) []string {
	for len(lines) > 0 && !slices.ContainsFunc(lines, func(l string) bool { return l != "\n" && !strings.HasPrefix(l, "\t") }) {
		changed := false
		for i, l := range lines {
			if l != "\n" {
				lines[i], changed = l[1:], true
			}
		}
		if !changed {
			break
		}
	}
	return lines
}

// checkShown compares a block with the code that it is shown from.
func checkShown(fsys fs.FS, b block) error {
	want, err := shown(fsys, b.source)
	if err != nil {
		return fmt.Errorf("%s:%d: %w", b.file, b.line, err)
	}
	if b.code == want {
		return nil
	}
	got, wanted := strings.Split(b.code, "\n"), strings.Split(want, "\n")
	for i := range max(len(got), len(wanted)) {
		g, w := "the end", "the end"
		if i < len(got) {
			g = fmt.Sprintf("%q", got[i])
		}
		if i < len(wanted) {
			w = fmt.Sprintf("%q", wanted[i])
		}
		if g != w {
			return fmt.Errorf("%s:%d: the page has %s where %s has %s; copy the code again", b.file, b.line+i, g, b.source, w)
		}
	}
	return nil
}

func TestMarkdownShowsTheTestedCode(t *testing.T) {
	module := os.DirFS(".")
	blocks, _, err := parseTree(module)
	if err != nil {
		t.Fatal(err)
	}
	var problems error
	sources := map[string]bool{}
	for _, b := range blocks {
		if b.source != "" {
			sources[b.source] = true
			problems = errors.Join(problems, checkShown(module, b))
		}
	}
	if problems != nil {
		t.Error(problems)
	}
	// A reader who copies the pages of the guide has the whole desk.
	files, err := fs.Glob(module, "examples/guide/desk/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") && !sources[f] {
			t.Errorf("no page shows %s as a whole", f)
		}
	}
	if len(files) < 5 {
		t.Errorf("the desk has only the files %v", files)
	}
}

func TestCodeThatDiffersIsReported(t *testing.T) {
	tree := fstest.MapFS{
		"x.go": {Data: []byte("// A comment.\npackage x\n\nfunc f() {\n\t//guide:begin a\n\tif x {\n\n\t\t//guide:begin b\n\t\ty()\n\t\t//guide:end b\n\t}\n\t//guide:end a\n\t//guide:begin open\n}\n")},
		"y.go": {Data: []byte("package y\n")},
		"z.go": {Data: []byte("// Nothing.\n")},
	}
	for name, tc := range map[string]struct{ source, code, want string }{
		"region":    {"x.go#a", "if x {\n\n\ty()\n}\n", ""},
		"within":    {"x.go#b", "y()\n", ""},
		"file":      {"y.go", "package y\n", ""},
		"differs":   {"x.go#a", "if x {\n\n\tz()\n}\n", `page.md:12: the page has "\tz()" where x.go#a has "\ty()"`},
		"shorter":   {"x.go#a", "if x {\n", `page.md:12: the page has the end where x.go#a has "\ty()"`},
		"longer":    {"x.go#b", "y()\nz()\n", `page.md:11: the page has "z()" where`},
		"no region": {"x.go#c", "", "page.md:10: x.go has no line //guide:begin c"},
		"no end":    {"x.go#open", "", "page.md:10: x.go has no line //guide:end open"},
		"no file":   {"w.go", "", "page.md:10: "},
		"no clause": {"z.go", "", "page.md:10: z.go has no package clause"},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkShown(tree, block{file: "page.md", line: 10, code: tc.code, source: tc.source})
			if tc.want == "" && err != nil {
				t.Errorf("the same code is reported: %v", err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestSourceNoteBelongsToTheBlockBehindIt(t *testing.T) {
	const page = "<!-- code: a.go -->\n\n```go\nx\n```\n\n```go\ny\n```\n<!-- code: b.go -->\ntext\n```go\nz\n```\n"
	blocks, _ := parseMarkdown("page.md", page)
	var sources []string
	for _, b := range blocks {
		sources = append(sources, b.source)
	}
	if want := []string{"a.go", "", ""}; !slices.Equal(sources, want) {
		t.Errorf("the sources are %q, want %q", sources, want)
	}
}
