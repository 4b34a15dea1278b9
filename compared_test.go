package troupe_test

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	testName = regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	testFunc = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(`)
	source   = regexp.MustCompile(`\]\(https://[^)]+\)`)
)

// testsIn returns the names of all tests below a folder.
func testsIn(fsys fs.FS, folder string) (names map[string]bool, err error) {
	names = map[string]bool{}
	err = fs.WalkDir(fsys, folder, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(p, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(fsys, p)
		for _, m := range testFunc.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return err
	})
	return names, err
}

// unfounded returns what is wrong with a table that compares: a cell in the second column,
// which is ours, must name tests that exist; all later ones must link to a source. Each row has as many cells as the first.
func unfounded(table string, tests map[string]bool) (faults []string, rows int) {
	const notCompared = "not compared"
	columns := 0
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if strings.HasPrefix(line, "| feature ") {
			columns = len(cells)
			continue
		}
		rows++
		if len(cells) != columns {
			faults = append(faults, fmt.Sprintf("the row %q has %d cells, not %d", cells[0], len(cells), columns))
			continue
		}
		named := testName.FindAllStringSubmatch(cells[1], -1)
		if len(named) == 0 {
			faults = append(faults, fmt.Sprintf("the row %q names no test of ours", cells[0]))
		}
		for _, m := range named {
			if !tests[m[1]] {
				faults = append(faults, fmt.Sprintf("the row %q names the test %s, which does not exist", cells[0], m[1]))
			}
		}
		for _, cell := range cells[2:] {
			if cell != notCompared && !source.MatchString(cell) {
				faults = append(faults, fmt.Sprintf("the row %q says %q without a source", cells[0], cell))
			}
		}
	}
	return faults, rows
}

func TestComparisonOfTheJournalIsFounded(t *testing.T) {
	tests, err := testsIn(os.DirFS("."), "journal")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("docs/journal-compared.md")
	if err != nil {
		t.Fatal(err)
	}
	faults, rows := unfounded(string(table), tests)
	for _, f := range faults {
		t.Error(f)
	}
	if rows < 10 {
		t.Errorf("the table has %d rows, want 10 at least", rows)
	}
}

func TestComparisonOfThePlatformIsFounded(t *testing.T) {
	tests, err := testsIn(os.DirFS("."), ".")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("docs/compare.md")
	if err != nil {
		t.Fatal(err)
	}
	faults, rows := unfounded(string(table), tests)
	for _, f := range faults {
		t.Error(f)
	}
	if rows < 10 {
		t.Errorf("the table has %d rows, want 10 at least", rows)
	}
}

func TestUnfoundedComparisonIsReported(t *testing.T) {
	const table = "| feature | Troupe | a | b | c | d |\n|---|---|---|---|---|---|\n" +
		"| good | `TestGood` | not compared | [x](https://x.org) | not compared | not compared |\n" +
		"| gone | `TestGone` | not compared | they can't | not compared | not compared |\n" +
		"| none | yes | not compared | not compared | not compared | not compared |\n" +
		"| short | `TestGood` | not compared |\n"
	faults, rows := unfounded(table, map[string]bool{"TestGood": true})
	want := []string{
		`the row "gone" names the test TestGone, which does not exist`, `the row "gone" says "they can't" without a source`,
		`the row "none" names no test of ours`, `the row "short" has 3 cells, not 6`,
	}
	if rows != 4 || !slices.Equal(faults, want) {
		t.Errorf("%d rows have the faults %q, want %q", rows, faults, want)
	}
}
