package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLinksToSourceAndPackagesAreTurned(t *testing.T) {
	s := &site{
		repository: fstest.MapFS{"bench/README.md": {}, "actor/doc.go": {}},
		packages:   map[string]string{"actor": "api/actor.md"},
	}
	for link, want := range map[string]string{
		"../guide/asking.md#errors": "../guide/asking.md#errors",
		"../../actor":               "../../api/actor.md",
		"../../bench":               "../../bench/README.md",
		"../../examples/x/main.go":  source + "examples/x/main.go",
		"../pictures/page.png":      "../pictures/page.png",
		"https://go.dev/x":          "https://go.dev/x",
		"#part":                     "#part",
	} {
		if got := s.target("docs/reference/x.md", link); got != want {
			t.Errorf("the link %s leads to %s, want %s", link, got, want)
		}
	}
}

func TestCodeOfPagesIsLeftAlone(t *testing.T) {
	s := &site{repository: fstest.MapFS{}}
	const page = "text\n- [a](b.go)\n- c\n\n```go\nx := f[int](b.go)\n- y\n```\n"
	const want = "text\n\n- [a](" + source + "docs/b.go)\n- c\n\n```go\nx := f[int](b.go)\n- y\n```\n"
	if got := s.page("docs/x.md", page); got != want {
		t.Errorf("the page is\n%s\nwant\n%s", got, want)
	}
}

func TestReferenceBeginsWithExamples(t *testing.T) {
	s := &site{packages: map[string]string{"pets": "api/pets.md", "home/yard": "api/home-yard.md"}, repository: fstest.MapFS{
		"pets/pets.go": {Data: []byte("// Package pets has pets, see [Cat.Purr], [Noisy.Noise] and [yard.Gate].\npackage pets\n\n" +
			"import \"" + module + "/home/yard\"\n\n" +
			"var _ yard.Gate\n\n// Cat is a pet.\ntype Cat struct{ hidden int }\n\n// Purr purrs, as [fmt.Println] does.\nfunc (c *Cat) Purr() {}\n\n" +
			"// Noisy makes noise.\ntype Noisy interface{ Noise() }\n\nfunc secret() {}\n")},
		"pets/pets_test.go":  {Data: []byte("package pets_test\n\nimport \"fmt\"\n\nfunc Example() {\n\tfmt.Println(1)\n\t// Output: 1\n}\n")},
		"pets/other_test.go": {Data: []byte("package pets\n\nfunc Inner() {}\n")},
	}}
	page, err := s.reference("pets")
	if err != nil {
		t.Fatal(err)
	}
	rest := page
	for _, want := range []string{
		"# Package pets", "[Cat.Purr](pets.md#Cat.Purr)", "[Noisy.Noise](pets.md#Noisy.Noise)", "[yard.Gate](home-yard.md#Gate)",
		"**Example**", "fmt.Println(1)", "Output:", "type Cat {#Cat}", "func (\\*Cat) Purr {#Cat.Purr}", "func (c *Cat) Purr()", "https://pkg.go.dev/fmt#Println",
		"<a id=\"Noisy.Noise\">",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("the page has no %q, or not there:\n%s", want, page)
		}
		rest = after
	}
	for _, not := range []string{"secret", "Inner", "hidden"} {
		if strings.Contains(page, not) {
			t.Errorf("the page shows %s", not)
		}
	}
}

func TestBrokenLinksOfTheSiteAreListed(t *testing.T) {
	html := fstest.MapFS{
		"index.html":   {Data: []byte(`<a href="a/b.html#part">x</a> <a href="a/">y</a> <a href="https://go.dev/">z</a> <script> href="none.html" </script>`)},
		"a/b.html":     {Data: []byte(`<h1 id="part">x</h1> <a href="../index.html">up</a> <a href="#top">t</a> <img src="none.png">`)},
		"a/index.html": {Data: []byte(`<a href="b.html#%C3%A4">x</a>`)},
	}
	broken, links, err := brokenLinks(html)
	want := []string{`a/b.html: a/b.html has no part "top"`, "a/b.html: nothing is at none.png", `a/index.html: a/b.html has no part "ä"`}
	if err != nil || links != 6 || !slices.Equal(broken, want) {
		t.Errorf("%d links, broken %q, %v; want 6 and %q", links, broken, err, want)
	}
}

func TestSiteHasAMenu(t *testing.T) {
	to := t.TempDir()
	repository := fstest.MapFS{
		"README.md":                {Data: []byte("# Top\n")},
		"docs/guide/README.md":     {Data: []byte("[b](b.md) [a](a.md) [b](b.md#x)\n")},
		"docs/guide/a.md":          {},
		"docs/guide/b.md":          {},
		"docs/guide/testdata/x.md": {},
		".hidden/x.md":             {},
		"docs/guide/forgotten.md":  {},
		"docs/reference/rules.md":  {},
		"docs/pictures/p.png":      {Data: []byte("p")},
	}
	if err := write(repository, nil, to); err != nil {
		t.Fatal(err)
	}
	nav, err := os.ReadFile(filepath.Join(to, "mkdocs.yml"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "    - docs/guide/b.md\n    - docs/guide/a.md\n    - docs/guide/forgotten.md\n  - Rules:\n    - docs/reference/rules.md\n"
	if !strings.Contains(string(nav), want) {
		t.Errorf("the menu is\n%s", nav)
	}
	for name, there := range map[string]bool{"README.md": true, "docs/pictures/p.png": true, ".hidden/x.md": false, "docs/guide/testdata/x.md": false} {
		if _, err := os.Stat(filepath.Join(to, "pages", name)); (err == nil) != there {
			t.Errorf("%s is there: %v, want %v", name, err == nil, there)
		}
	}
}

func TestOneOfTheFlagsIsNeeded(t *testing.T) {
	for _, flags := range [][2]string{{"", ""}, {"a", "b"}} {
		if err := run(flags[0], flags[1]); err == nil || !strings.Contains(err.Error(), "either -to FOLDER or -check FOLDER") {
			t.Errorf("%q ended with %v", flags, err)
		}
	}
	if err := run("", t.TempDir()); err == nil || !strings.Contains(err.Error(), "0 of 0 links") {
		t.Errorf("a folder without pages passes: %v", err)
	}
}
