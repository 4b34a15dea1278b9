package troupe_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// publicPackages returns the folders with a package that users may import: all with a doc.go
// outside of internal, cmd, bench, examples and testdata.
func publicPackages(fsys fs.FS) (folders []string, err error) {
	err = fs.WalkDir(fsys, ".", func(p string, e fs.DirEntry, err error) error {
		name := e.Name()
		switch {
		case err != nil:
			return err
		case e.IsDir() && p != "." && (strings.HasPrefix(name, ".") ||
			slices.Contains([]string{"internal", "cmd", "bench", "examples", "testdata"}, name)):
			return fs.SkipDir
		case name == "doc.go" && path.Dir(p) != ".":
			folders = append(folders, path.Dir(p))
		}
		return nil
	})
	return folders, err
}

// unlisted returns the folders that the map of packages does not list.
func unlisted(doc string, folders []string) (missing []string) {
	for _, f := range folders {
		if !strings.Contains(doc, fmt.Sprintf("[github.com/troupe-go/troupe/%s]", f)) {
			missing = append(missing, f)
		}
	}
	return missing
}

func TestMapListsEachPackage(t *testing.T) {
	folders, err := publicPackages(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) < 10 {
		t.Errorf("only %v are packages", folders)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if missing := unlisted(string(doc), folders); len(missing) != 0 {
		t.Errorf("doc.go does not list %v; add a line for each", missing)
	}
}

func TestUnlistedPackageIsReported(t *testing.T) {
	missing := unlisted("//   - [github.com/troupe-go/troupe/sched] runs jobs.", []string{"sched", "sched/other"})
	if !slices.Equal(missing, []string{"sched/other"}) {
		t.Errorf("missing are %v, want [sched/other]", missing)
	}
}

// The most lines of a package comment: it fits on two screens.
const maxDocLines = 50

// The line by which the example of a package comment has begun.
const maxExampleLine = 15

// badDoc returns what is wrong with the package comment in a doc.go, or nil.
func badDoc(doc string) (problems []string) {
	comment, _, _ := strings.Cut(doc, "\npackage ")
	lines := strings.Split(comment, "\n")
	if len(lines) > maxDocLines {
		problems = append(problems, fmt.Sprintf("the package comment has %d lines, at most %d fit on two screens; move rules to docs/reference",
			len(lines), maxDocLines))
	}
	example := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "//\t") })
	if example < 0 || example >= maxExampleLine {
		problems = append(problems, fmt.Sprintf("the package comment has no example, an indented block of code, in its first %d lines", maxExampleLine))
	}
	return problems
}

func TestPackageCommentsAreShortAndBeginWithAnExample(t *testing.T) {
	folders, err := publicPackages(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, f := range folders {
		doc, err := os.ReadFile(path.Join(f, "doc.go"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(doc), "\npackage main\n") {
			continue // Users don't import it.
		}
		checked++
		for _, problem := range badDoc(string(doc)) {
			t.Errorf("%s/doc.go: %s", f, problem)
		}
	}
	if checked < 10 {
		t.Errorf("only %d package comments were checked", checked)
	}
}

func TestBadPackageCommentIsReported(t *testing.T) {
	const intro, example = "// Package p does it.\n//\n", "//\tp.Do()\n//\n"
	rules := strings.Repeat("// A rule.\n", 14)
	for name, tc := range map[string]struct {
		doc  string
		want int
	}{
		"sound":        {intro + example + rules + "package p\n", 0},
		"no example":   {intro + rules + "package p\n", 1},
		"late example": {intro + rules + "//\n" + example + "package p\n", 1},
		"long":         {intro + example + strings.Repeat(rules, 4) + "package p\n", 1},
		"both":         {intro + strings.Repeat(rules, 4) + "package p\n", 2},
	} {
		if got := badDoc(tc.doc); len(got) != tc.want {
			t.Errorf("%s: the problems are %q, want %d", name, got, tc.want)
		}
	}
}
