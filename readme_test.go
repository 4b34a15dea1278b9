package troupe_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/troupe-go/troupe/internal/lane"
)

// The tests walk the whole module, so `go test` runs them again after a change to any of its files
// rather than showing a cached result.

func TestMarkdownCodeCompiles(t *testing.T) {
	lane.Check(t)
	blocks, _, err := parseTree(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if err := compile(t.TempDir(), blocks); err != nil {
		t.Error(err)
	}
}

func TestMarkdownLinksLeadSomewhere(t *testing.T) {
	module := os.DirFS(".")
	_, links, err := parseTree(module)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if !resolves(module, l) {
			t.Errorf("%s:%d: the link to %s leads nowhere", l.file, l.line, l.target)
		}
	}
}

func TestMarkdownBrokenCodeIsReported(t *testing.T) {
	const page = "# Page\n\n```go\n%s\n```\n"
	for name, tc := range map[string]struct{ code, want string }{
		"sound":      {"package main\n\nfunc main() {}", ""},
		"fragment":   {"x := 1", "page.md:4: a Go block is a whole file"},
		"type error": {"package main\n\nfunc main() { undefined() }", "page.md:6:15: undefined: undefined"},
		"syntax":     {"package main\n\nfunc main() {", "page.md:7"},
		"import":     {"package main\n\nimport _ \"no/such/package\"", "page.md:6:8: "},
	} {
		t.Run(name, func(t *testing.T) {
			blocks, _ := parseMarkdown("page.md", fmt.Sprintf(page, tc.code))
			if len(blocks) != 1 {
				t.Fatalf("found %d blocks, want 1", len(blocks))
			}
			err := compile(t.TempDir(), blocks)
			if tc.want == "" {
				if err != nil {
					t.Errorf("a sound block is reported: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestMarkdownBrokenLinkIsReported(t *testing.T) {
	tree := fstest.MapFS{
		"docs/a.md": {Data: []byte("[b](b.md#part) [up](../x.go) [top](#a) [web](https://go.dev/x)\n" +
			"`[code](no1.md)`\n\n~~~go\n// [code](no2.md)\n~~~\n[gone](b.txt) ![out](../../x.go)\n[ref]: /no3.md\n")},
		"docs/b.md": {},
		"x.go":      {},
	}
	_, links, err := parseTree(tree)
	if err != nil {
		t.Fatal(err)
	}
	var broken []string
	for _, l := range links {
		if !resolves(tree, l) {
			broken = append(broken, fmt.Sprint(l.file, ":", l.line, " ", l.target))
		}
	}
	want := "docs/a.md:7 b.txt, docs/a.md:7 ../../x.go, docs/a.md:8 /no3.md"
	if got := strings.Join(broken, ", "); got != want {
		t.Errorf("broken links:\n got %s\nwant %s", got, want)
	}
}

// compile compiles the blocks, each as a package of this module. Only files in temp are written: the
// blocks are laid over the module's folder.
func compile(temp string, blocks []block) error {
	packages, overlay, problems := layOver(temp, blocks)
	if len(packages) == 0 {
		return problems
	}
	// With -export, go list compiles without linking; go vet does not take packages that exist only in an
	// overlay.
	var report strings.Builder
	list := exec.Command("go", append([]string{"list", "-export", "-overlay", overlay}, packages...)...)
	list.Stderr = &report
	if err := list.Run(); err != nil {
		err = fmt.Errorf("the Go code of Markdown files does not compile: %w\n%s", err, &report)
		problems = errors.Join(problems, err)
	}
	return problems
}

// layOver writes the blocks to temp, with line directives that make errors speak of the Markdown file, and
// an overlay that has each block in a package of this module.
func layOver(temp string, blocks []block) (packages []string, overlay string, problems error) {
	module, err := os.Getwd()
	if err != nil {
		return nil, "", err
	}
	replace := map[string]string{}
	for i, b := range blocks {
		if b.source != "" {
			continue // It is compiled where it is shown from, and compared with that.
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", b.code, parser.PackageClauseOnly); err != nil {
			const message = "%s:%d: a Go block is a whole file, beginning with its package clause"
			problems = errors.Join(problems, fmt.Errorf(message, b.file, b.line))
			continue
		}
		folder := fmt.Sprintf("markdown%d", i)
		source := filepath.Join(temp, folder+".go")
		code := fmt.Sprintf("//line %s:%d:1\n%s", filepath.Join(module, b.file), b.line, b.code)
		problems = errors.Join(problems, os.WriteFile(source, []byte(code), 0o600))
		replace[filepath.Join(module, folder, "block.go")] = source
		packages = append(packages, "./"+folder)
	}
	overlay = filepath.Join(temp, "overlay.json")
	content, err := json.Marshal(map[string]any{"Replace": replace})
	return packages, overlay, errors.Join(problems, err, os.WriteFile(overlay, content, 0o600))
}
