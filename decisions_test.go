package troupe_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// firstReserved is the first number that could be reserved before its page was
// written. Smaller numbers without a page are explained one by one in the index.
const firstReserved = 60

// opposite maps what the status of a decision says of another one to what the
// status of that one must say in return.
var opposite = map[string]string{
	"Amends":        "Amended by",
	"Amended by":    "Amends",
	"Supersedes":    "Superseded by",
	"Superseded by": "Supersedes",
}

var (
	decisionFile = regexp.MustCompile(`^(\d{4})-[a-z0-9-]+\.md$`)
	statusLine   = regexp.MustCompile(`(?m)^\*\*Status\*\*: (.*)$`)
	statusWord   = regexp.MustCompile(`^(proposed|accepted|superseded), \d{4}-\d{2}-\d{2}\.`)
	relation     = regexp.MustCompile(`(Amends|Amended by|Supersedes|Superseded by) ([^.]*(?:\.md[^.]*)*)\.`)
	decisionLink = regexp.MustCompile(`\[(\d+)\]\((\d{4})-[a-z0-9-]+\.md\)`)
	indexRow     = regexp.MustCompile(`(?m)^\| \[(\d{4}) [^\]]*\]\(([^)]*)\) \| ([^|]*) \|$`)
	missingRow   = regexp.MustCompile(`(?m)^\| (\d{4}) \(no page\) \| [^|]+ \|$`)
)

// decision is what the status of one page says.
type decision struct {
	file      string
	status    string
	relations map[string][]int // By "Amends", "Amended by", and so on.
}

func TestDecisionsNameTheirSuccessors(t *testing.T) {
	t.Parallel()
	for _, problem := range checkDecisions(os.DirFS("docs/decisions")) {
		t.Error(problem)
	}
}

func TestBrokenDecisionsAreReported(t *testing.T) {
	t.Parallel()
	const first = "# 1. A\n\n**Status**: accepted, 2026-11-21. Amended by [3](0003-c.md).\n"
	const third = "# 3. C\n\n**Status**: accepted, 2026-11-22. Amends [1](0001-a.md).\n"
	const index = "| page | status |\n|---|---|\n| [0001 A](0001-a.md) | accepted, amended by 3 |\n" +
		"| 0002 (no page) | dropped |\n| [0003 C](0003-c.md) | accepted |\n"
	whole := map[string]string{"0001-a.md": first, "0003-c.md": third, "README.md": index}
	for _, test := range []struct{ name, file, old, new, want string }{
		{"whole", "README.md", "", "", ""},
		{"later page says nothing", "0003-c.md", " Amends [1](0001-a.md).", "", `0003-c.md: the status does not say "Amends 1"`},
		{"earlier page says nothing", "0001-a.md", " Amended by [3](0003-c.md).", "", `0001-a.md: the status does not say "Amended by 3"`},
		{"wrong relation", "0003-c.md", "Amends", "Supersedes", `0001-a.md: the status does not say "Superseded by 3"`},
		{"no such page", "0003-c.md", "[1](0001-a.md)", "[7](0007-g.md)", "0003-c.md: the status names 7, which has no page"},
		{"number and file differ", "0003-c.md", "[1](0001", "[2](0001", "0003-c.md: the link [2] leads to page 0001"},
		{"link without a relation", "0003-c.md", "Amends", "See", "0003-c.md: the status has a link that belongs to no relation"},
		{"no status", "0003-c.md", "**Status**", "Status", "0003-c.md: no line with **Status**"},
		{"unknown status", "0003-c.md", "accepted", "done", "0003-c.md: the status must begin with"},
		{"not in the index", "README.md", "[0003 C](0003-c.md)", "[0003 C](0004-c.md)", "0003-c.md: not in the index"},
		{"index is out of date", "README.md", ", amended by 3", "", `README.md: the status of 0001-a.md is "accepted", want "accepted, amended by 3"`},
		{"missing number", "README.md", "0002 (no page)", "0009 (no page)", "README.md: number 2 has neither a page nor an explanation"},
		{"explained page exists", "README.md", "0002 (no page)", "0003 (no page)", "README.md: number 3 has a page, and is listed without one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{}
			for name, text := range whole {
				if name == test.file {
					text = strings.Replace(text, test.old, test.new, 1)
				}
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			got := strings.Join(checkDecisions(fsys), "\n")
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// checkDecisions returns what is wrong with the decision pages in fsys and with
// their index, README.md.
func checkDecisions(fsys fs.FS) (problems []string) {
	report := func(file, format string, args ...any) {
		problems = append(problems, path.Base(file)+": "+fmt.Sprintf(format, args...))
	}
	files, err := fs.Glob(fsys, "[0-9]*.md")
	if err != nil {
		return []string{err.Error()}
	}
	index, err := fs.ReadFile(fsys, "README.md")
	if err != nil {
		return []string{err.Error()}
	}
	pages := map[int]decision{}
	for _, file := range files {
		name := decisionFile.FindStringSubmatch(file)
		if name == nil {
			report(file, "the name is not NNNN-name.md")
			continue
		}
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return []string{err.Error()}
		}
		number, _ := strconv.Atoi(name[1])
		d, wrong := readStatus(file, string(text))
		for _, w := range wrong {
			report(file, "%s", w)
		}
		pages[number] = d
	}
	last := 0
	for number, d := range pages {
		last = max(last, number)
		for kind, others := range d.relations {
			for _, other := range others {
				back, ok := pages[other]
				if !ok {
					report(d.file, "the status names %d, which has no page", other)
				} else if !slices.Contains(back.relations[opposite[kind]], number) {
					report(back.file, "the status does not say %q", fmt.Sprint(opposite[kind], " ", number))
				}
			}
		}
	}
	return append(problems, checkIndex(string(index), pages, last)...)
}

// readStatus reads the status of a page, and returns what is wrong with it.
func readStatus(file, text string) (d decision, problems []string) {
	d = decision{file: file, relations: map[string][]int{}}
	line := statusLine.FindStringSubmatch(text)
	if line == nil {
		return d, []string{"no line with **Status**"}
	}
	word := statusWord.FindStringSubmatch(line[1])
	if word == nil {
		return d, []string{"the status must begin with proposed, accepted or superseded, and a date: " + line[1]}
	}
	d.status = word[1]
	related := 0
	for _, r := range relation.FindAllStringSubmatch(line[1], -1) {
		for _, l := range decisionLink.FindAllStringSubmatch(r[2], -1) {
			number, _ := strconv.Atoi(l[1])
			if target, _ := strconv.Atoi(l[2]); target != number {
				problems = append(problems, fmt.Sprintf("the link [%s] leads to page %s", l[1], l[2]))
			}
			d.relations[r[1]] = append(d.relations[r[1]], number)
			related++
		}
	}
	if related != len(decisionLink.FindAllString(line[1], -1)) {
		problems = append(problems, "the status has a link that belongs to no relation")
	}
	return d, problems
}

// checkIndex compares the index with the pages, the last of which has the given
// number.
func checkIndex(index string, pages map[int]decision, last int) (problems []string) {
	rows := map[string]string{}
	for _, row := range indexRow.FindAllStringSubmatch(index, -1) {
		rows[row[2]] = row[3]
	}
	explained := map[int]bool{}
	for _, row := range missingRow.FindAllStringSubmatch(index, -1) {
		number, _ := strconv.Atoi(row[1])
		explained[number] = true
	}
	for number := 1; number <= last; number++ {
		d, ok := pages[number]
		switch {
		case !ok && !explained[number] && number < firstReserved:
			problems = append(problems, fmt.Sprintf("README.md: number %d has neither a page nor an explanation", number))
		case !ok:
		case explained[number]:
			problems = append(problems, fmt.Sprintf("README.md: number %d has a page, and is listed without one", number))
		case rows[d.file] == "":
			problems = append(problems, d.file+": not in the index")
		case rows[d.file] != indexStatus(d):
			problems = append(problems, fmt.Sprintf("README.md: the status of %s is %q, want %q", d.file, rows[d.file], indexStatus(d)))
		}
	}
	return problems
}

// indexStatus returns what the index must say of the page.
func indexStatus(d decision) string {
	status := d.status
	for _, kind := range []string{"Amended by", "Superseded by"} {
		if numbers := d.relations[kind]; len(numbers) > 0 {
			status += ", " + strings.ToLower(kind) + " " + strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
		}
	}
	return status
}
